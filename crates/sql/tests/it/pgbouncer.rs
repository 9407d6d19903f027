//! A store behind pgbouncer with a connection per transaction.

use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use restwright_conformance::{Specimen, definitions};
use restwright_core::Component;
use restwright_list::ValueType;
use restwright_resource::{EntityDefinition, FieldDefinition, IdentifierKind, Repository, Statement, Store};
use restwright_sql::{SqlStatements, SqlStore, TableMapping};
use restwright_tests::{environment, skip};
use sea_query::{Expr, Query};
use sqlx::postgres::PgConnectOptions;

use crate::conformance::postgres_passes;
use crate::databases::PostgresSchema;

/// A running pgbouncer. It ends with the test.
pub(crate) struct PgBouncer {
    process: Child,
    folder: PathBuf,
    url: String,
}

impl PgBouncer {
    /// Starts the program with two connections to the server at a URL. Returns `None` if the program is not installed.
    pub(crate) fn start(server: &str) -> Option<Self> {
        Self::with_pool(server, 2)
    }

    /// Starts the program with a number of connections to the server.
    fn with_pool(server: &str, connections: u32) -> Option<Self> {
        Self::with(server, &format!("pool_mode = transaction\ndefault_pool_size = {connections}"))
    }

    /// Starts the program with these settings.
    fn with(server: &str, settings: &str) -> Option<Self> {
        if !PathBuf::from("/usr/sbin/pgbouncer").exists() {
            skip("pgbouncer is not installed");
            return None;
        }
        let options: PgConnectOptions = server.parse().unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("restwright-pgbouncer-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o755)).unwrap();
        let file = folder.join("pgbouncer.ini");
        let (host, server_port) = (options.get_host(), options.get_port());
        let database = options.get_database().unwrap_or("postgres");
        let user = options.get_username();
        let settings = format!(
            "[databases]\nbehind = host={host} port={server_port} dbname={database} user={user}\n\
             [pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\nauth_type = any\n\
             max_client_conn = 500\n{settings}\n"
        );
        std::fs::write(&file, settings).unwrap();
        let mut command = Command::new("/usr/sbin/pgbouncer");
        // pgbouncer does not run as root.
        command.args(["-q", "-u", "postgres"]).arg(&file).stdout(Stdio::null()).stderr(Stdio::null());
        let process = command.spawn().unwrap();
        let started = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(started.elapsed() < Duration::from_mins(1), "pgbouncer does not listen");
            std::thread::sleep(Duration::from_millis(20));
        }
        Some(Self { process, folder, url: format!("postgres://{user}@127.0.0.1:{port}/behind") })
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }
}

impl Drop for PgBouncer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

#[tokio::test]
async fn a_store_without_the_setting_for_pgbouncer_names_it() {
    let Some(server) = environment("POSTGRES_URL") else { return };
    let Some(bouncer) = PgBouncer::start(&server) else { return };
    let error = SqlStore::new(&bouncer.url).start().await.unwrap_err().to_string();
    assert!(error.contains("call `.transaction_pooler()` on the store"), "{error}");
}

#[tokio::test]
async fn the_error_of_a_lost_prepared_statement_names_the_setting() {
    let Some(schema) = PostgresSchema::new().await else { return };
    let store = schema.store();
    let mut transaction = store.begin().await.unwrap();
    let select = Query::select().expr(Expr::val(1)).to_owned();
    transaction.fetch(&select).await.unwrap();
    sqlx::raw_sql("DEALLOCATE ALL").execute(transaction.postgres().unwrap()).await.unwrap();
    let error = transaction.fetch(&select).await.err().map(|error| error.to_string()).unwrap_or_default();
    assert!(error.contains("does not exist") && error.contains("call `.transaction_pooler()` on the store"), "{error}");
    drop(transaction);
    schema.drop().await;
}

#[tokio::test]
#[ignore = "it takes longer than the others, and the gate runs it"]
async fn a_store_behind_pgbouncer_passes_the_suite() {
    let Some(server) = environment("POSTGRES_URL") else { return };
    let Some(bouncer) = PgBouncer::start(&server) else { return };
    let schema = PostgresSchema::new().await.unwrap();
    let store = SqlStore::new(&bouncer.url).transaction_pooler();
    let store = definitions().iter().fold(store, |store, definition| {
        store.table(TableMapping::new(definition.name().to_owned()).schema(&schema.name))
    });
    postgres_passes(&schema, store).await;
    schema.drop().await;
}

/// A statement of the check waits longer for a lock than the role of the connection permits.
#[tokio::test]
async fn the_start_behind_pgbouncer_has_the_time_limits_of_the_store() {
    let Some(schema) = PostgresSchema::in_new_database().await else { return };
    let options: PgConnectOptions = schema.url().parse().unwrap();
    let database = options.get_database().unwrap();
    let role = format!("{database}_hasty");
    schema.run(&format!("CREATE ROLE {role} LOGIN SUPERUSER; ALTER ROLE {role} SET statement_timeout = 500")).await;
    let of_role = format!("postgres://{role}@{}:{}/{database}", options.get_host(), options.get_port());
    if let Some(bouncer) = PgBouncer::start(&of_role) {
        let start = async |store: SqlStore| {
            definitions().iter().for_each(|definition| store.declare(definition).unwrap());
            store.start().await.unwrap();
            store.stop().await;
        };
        start(schema.store().migrate()).await;
        let locks = schema.store();
        let mut lock = locks.begin().await.unwrap();
        sqlx::raw_sql("LOCK TABLE pg_catalog.pg_collation").execute(lock.postgres().unwrap()).await.unwrap();
        let unlock = async {
            tokio::time::sleep(Duration::from_secs(1)).await;
            drop(lock);
        };
        tokio::join!(start(SqlStore::new(&bouncer.url).transaction_pooler()), unlock);
        locks.stop().await;
    }
    schema.run(&format!("DROP ROLE {role}")).await;
    schema.drop_database().await;
}

/// The time limits of the store are startup parameters, which this pgbouncer discards.
#[tokio::test]
async fn a_store_behind_pgbouncer_with_a_connection_per_session_needs_no_setting() {
    let Some(server) = environment("POSTGRES_URL") else { return };
    let settings = "pool_mode = session\nignore_startup_parameters = extra_float_digits,options";
    let Some(bouncer) = PgBouncer::with(&server, settings) else { return };
    let schema = PostgresSchema::new().await.unwrap();
    let definition = EntityDefinition::new("pets", "id", IdentifierKind::Integer)
        .field(FieldDefinition::new("text", ValueType::Text).nullable());
    let store = SqlStore::new(&bouncer.url).migrate().table(TableMapping::new("pets").schema(&schema.name));
    store.declare(&definition).unwrap();
    store.start().await.unwrap();
    for _ in 0..20 {
        let statement = || Statement::new(&definition);
        let inserted = store.insert(statement(), Specimen::default()).await.unwrap();
        let id = inserted.entity.id.into();
        assert!(Repository::find::<Specimen>(&store, statement(), &id).await.unwrap().is_some());
        Repository::delete(&store, statement(), &id, Some(inserted.version)).await.unwrap();
    }
    store.stop().await;
    schema.drop().await;
}

#[tokio::test]
async fn a_store_behind_pgbouncer_is_ready_beside_other_clients() {
    let Some(server) = environment("POSTGRES_URL") else { return };
    let Some(bouncer) = PgBouncer::with_pool(&server, 20) else { return };
    let schema = PostgresSchema::new().await.unwrap();
    let definitions = definitions();
    let searchable = definitions.iter().find(|definition| definition.fields().any(|field| field.is_searchable()));
    let definition = searchable.unwrap();
    let store = SqlStore::new(&bouncer.url).transaction_pooler();
    let store = store.migrate().table(TableMapping::new(definition.name().to_owned()).schema(&schema.name));
    store.declare(definition).unwrap();
    store.start().await.unwrap();
    let clients: Vec<_> = (0..6)
        .map(|number| {
            let url = bouncer.url.clone();
            tokio::spawn(async move {
                use sqlx::Connection;
                let mut client = sqlx::PgConnection::connect(&url).await.unwrap();
                loop {
                    let sql = sqlx::AssertSqlSafe(format!("SELECT {number}, pg_sleep(0.001)"));
                    sqlx::raw_sql(sql).execute(&mut client).await.unwrap();
                }
            })
        })
        .collect();
    for probe in 0..200 {
        store.ready().await.unwrap_or_else(|error| panic!("probe {probe}: {error}"));
    }
    clients.iter().for_each(|client| client.abort());
    store.stop().await;
    schema.drop().await;
}

#[tokio::test]
async fn a_migration_behind_pgbouncer_waits_for_locks_and_names_their_session() {
    use sqlx::Connection;
    let Some(schema) = PostgresSchema::in_new_database().await else { return };
    let Some(bouncer) = PgBouncer::with_pool(&schema.url(), 5) else { return schema.drop_database().await };
    let definitions = definitions();
    let migrating = |wait| {
        let store = SqlStore::new(bouncer.url()).transaction_pooler().migrate().start_wait(wait);
        definitions.iter().for_each(|definition| store.declare(definition).unwrap());
        store
    };
    let wait = Duration::from_secs(60);
    let (a, b) = (migrating(wait), migrating(wait));
    let (a, b) = tokio::join!(a.start(), b.start());
    a.unwrap();
    b.unwrap();
    let table = definitions.first().unwrap().name();
    schema.run(&format!("ALTER TABLE {table} DROP COLUMN row_version")).await;
    let mut report = sqlx::PgConnection::connect(&schema.url()).await.unwrap();
    let sql = format!("SET application_name = 'report'; BEGIN; SELECT count(*) FROM {table}");
    sqlx::raw_sql(sqlx::AssertSqlSafe(sql)).execute(&mut report).await.unwrap();
    let error = migrating(Duration::from_secs(15)).start().await.unwrap_err().to_string();
    assert!(error.starts_with("the migration waited 15s for locks of other sessions: pid "), "{error}");
    assert!(error.contains("(report, idle in transaction, for "), "{error}");
    let ending = tokio::spawn(async move {
        tokio::time::sleep(Duration::from_secs(2)).await;
        report.close().await.unwrap();
    });
    migrating(wait).start().await.unwrap();
    ending.await.unwrap();
    schema.drop_database().await;
}
