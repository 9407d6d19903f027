//! The error of an Api that cannot start because of its database, word by word.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

use restwright::auth::Access;
use restwright::prelude::*;
use restwright_core::Component;
use restwright_resource::Endpoints;
use restwright_resource::idempotency::Idempotency;
use restwright_sql::{SqlIdempotency, SqlStore};
use serde::{Deserialize, Serialize};
use sqlx::ConnectOptions;
use sqlx::sqlite::SqliteConnectOptions;

use crate::databases::SqliteFile;
use crate::idempotency::Callers;

/// A town.
#[derive(Clone, Serialize, Deserialize, Resource)]
#[resource(path = "/towns")]
struct Town {
    #[property(id)]
    id: i64,
    name: String,
}

/// Returns the error of an Api with this database. `migrate` creates the table first.
fn error(url: &str, migrate: bool) -> String {
    let store = SqlStore::new(url).wait(Duration::from_secs(1)).start_wait(Duration::ZERO);
    let store = if migrate { store.migrate() } else { store };
    error_of(store)
}

fn error_of(store: SqlStore) -> String {
    let api = Api::builder(Configuration::new("towns", "1.0.0")).resource::<Town>(store, Access::public()).build();
    let api = match api {
        Ok(api) => api,
        Err(errors) => return errors.to_string(),
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let error = runtime.block_on(api.start()).unwrap_err();
    assert_eq!(format!("{error:?}"), error.to_string(), "`main` prints `Debug`");
    error.to_string()
}

/// Starts a server that responds to each connection with an error of PostgreSQL, and returns its port.
fn server_that_reports(code: &'static str, message: &'static str) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || listener.incoming().flatten().for_each(|stream| drop(report(stream, code, message))));
    port
}

fn report(mut stream: TcpStream, code: &str, message: &str) -> std::io::Result<()> {
    loop {
        let mut length = [0; 4];
        stream.read_exact(&mut length)?;
        let mut startup = vec![0; u32::from_be_bytes(length) as usize - 4];
        stream.read_exact(&mut startup)?;
        // A request for TLS, which this server does not support.
        if startup == 80_877_103_u32.to_be_bytes() {
            stream.write_all(b"N")?;
            continue;
        }
        let fields = format!("SFATAL\0VFATAL\0C{code}\0M{message}\0\0");
        stream.write_all(b"E")?;
        stream.write_all(&u32::try_from(fields.len() + 4).unwrap().to_be_bytes())?;
        return stream.write_all(fields.as_bytes());
    }
}

/// Checks the error of a component that cannot connect.
#[track_caller]
fn check_start(url: &str, database: &str, expected: &str) {
    assert_eq!(error(url, true), format!("the component `{database}` cannot start: {expected}"));
}

#[test]
fn the_error_of_a_postgresql_server_says_what_to_change() {
    let cases = [
        ("28P01", "password authentication failed for user \"ann\"", "check the user and the password of the URL"),
        ("28000", "role \"ann\" does not exist", "check the user of the URL, and `pg_hba.conf` of the server"),
        (
            "28000",
            "no pg_hba.conf entry for host \"10.0.0.7\", user \"ann\", database \"shop\", no encryption",
            "check the user of the URL, and `pg_hba.conf` of the server",
        ),
        (
            "3D000",
            "database \"shop\" does not exist",
            "create the database, for example with `createdb`, or correct the name in the URL",
        ),
        (
            "42501",
            "permission denied for database \"shop\"",
            "grant the user of the URL this right, or let another user create the tables",
        ),
        (
            "42501",
            "new row violates row-level security policy for table \"towns\"",
            "change the `WITH CHECK` expression of the table's policy, or set its parameters with `per_transaction` on the store",
        ),
        (
            "53300",
            "sorry, too many clients already",
            "lower the connections with `.connections(..)` on the store, or raise `max_connections` of the server",
        ),
        ("57P03", "the database system is starting up", "start again when the server accepts connections"),
        (
            "08P01",
            "unsupported startup parameter: options",
            "if the URL belongs to a transaction pooler, such as pgbouncer, call `.transaction_pooler()` on the store",
        ),
    ];
    for (code, message, advice) in cases {
        let port = server_that_reports(code, message);
        let expected = format!("cannot connect to `127.0.0.1:{port}`: {message}; {advice}");
        check_start(&format!("postgres://ann:s3cret@127.0.0.1:{port}/shop"), "PostgreSQL", &expected);
    }
    let port = server_that_reports("XX000", "unknown");
    check_start(
        &format!("postgres://ann:s3cret@127.0.0.1:{port}/shop?sslmode=require"),
        "PostgreSQL",
        &format!(
            "cannot connect to `127.0.0.1:{port}`: server does not support TLS; check `sslmode` and `sslrootcert` of the URL"
        ),
    );
}

#[test]
fn an_unreachable_postgresql_server_is_named_by_its_address() {
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let hangs = silent.local_addr().unwrap().port();
    let cases = [
        (
            format!("postgres://ann:s3cret@127.0.0.1:{closed}/shop"),
            format!(
                "cannot connect to `127.0.0.1:{closed}`: Connection refused (os error 111); start the server, \
                 or correct the host and the port of the URL"
            ),
        ),
        (
            format!("postgres://ann:s3cret@127.0.0.1:{hangs}/shop"),
            format!(
                "a connection to `127.0.0.1:{hangs}` did not open within 10s; check the host and the port of the URL, and \
                 firewalls between"
            ),
        ),
        (
            "postgres:///shop?host=/nowhere/at/all".to_owned(),
            "cannot connect to `/nowhere/at/all`, port 5432: No such file or directory (os error 2); no server has this \
             socket; check the folder and the port of the URL"
                .to_owned(),
        ),
    ];
    for (url, expected) in cases {
        check_start(&url, "PostgreSQL", &expected);
    }
    // The words of the name server depend on the system.
    let error = error("postgres://ann:s3cret@nowhere.invalid/shop", true);
    let end = "; the host is unknown; check the host of the URL and the name server";
    assert!(error.contains("cannot connect to `nowhere.invalid:5432`: ") && error.ends_with(end), "{error}");
}

#[test]
fn a_sqlite_file_that_cannot_be_used_is_named() {
    let cannot_open = "unable to open database file; the path must name a file in an existing folder, and the process needs \
                       the right to write to both";
    let folder = std::env::temp_dir();
    let text = folder.join(format!("restwright-start-{}.txt", std::process::id()));
    std::fs::write(&text, "This text is not a database, although it is long enough for the header of one. ".repeat(4))
        .unwrap();
    let file = SqliteFile::new();
    let (text_path, file_path) = (text.display().to_string(), file.url().replace("sqlite://", ""));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let store = file.store();
        store.start().await.unwrap();
        store.stop().await;
    });
    let cases = [
        ("/nowhere/at/all/shop.db", "", cannot_open),
        (folder.to_str().unwrap(), "", cannot_open),
        ("/proc/shop.db", "", cannot_open),
        (
            &text_path,
            "",
            "file is not a database; the file is not a SQLite database, or is encrypted; choose another file",
        ),
        (
            &file_path,
            "?mode=ro",
            "attempt to write a readonly database; make the file and its folder writable, or call \
             `.requires([StorePart::Reads])` on the store if it only reads",
        ),
    ];
    for (path, query, expected) in cases {
        check_start(&format!("sqlite://{path}{query}"), "SQLite", &format!("cannot connect to `{path}`: {expected}"));
    }
    std::fs::remove_file(text).unwrap();
}

#[test]
fn a_wrong_url_is_an_error_of_the_build() {
    let (sqlite, postgres) = (
        "; write for example `sqlite://animals.db`",
        "; write for example `postgres://user:password@localhost/animals`",
    );
    let no_scheme = "it has no scheme; write `postgres://` in front of it";
    let keywords = "it is a connection string of keywords; write a URL, `postgres://user:password@host:5432/database`";
    let hosts =
        "it has several hosts, and one is supported; write the host of the primary, or of a proxy that finds it";
    let schemes = "the URL must begin with `postgres://`, `postgresql://` or `sqlite://`";
    let cases = [
        ("", "SQLite", "it is empty".to_owned()),
        (
            "shop",
            "SQLite",
            "`shop` is neither a URL nor the path of a file; write `sqlite://shop` for the file of this name"
                .to_owned(),
        ),
        ("mysql://ann:s3cret@localhost/shop", "SQLite", format!("no store supports the scheme `mysql:`; {schemes}")),
        ("ann:s3cret@localhost/shop", "SQLite", format!("no store supports the scheme `ann:`; {schemes}")),
        ("127.0.0.1:5432/shop", "SQLite", no_scheme.to_owned()),
        ("ann.lee:1s3cret@localhost/shop", "SQLite", no_scheme.to_owned()),
        ("ann.lee:s3cret@localhost/shop", "SQLite", no_scheme.to_owned()),
        ("host=db.local port=5432 dbname=shop password=s3cret", "SQLite", keywords.to_owned()),
        ("postgres://ann:s3cret@one,two/shop?target_session_attrs=read-write", "PostgreSQL", hosts.to_owned()),
        (
            "postgres://ann:s3cret@localhost/shop?channel_binding=require",
            "PostgreSQL",
            "`channel_binding=require` is not supported; write `sslmode=verify-full` instead".to_owned(),
        ),
        ("sqlite://shop.db?mode=maybe", "SQLite", "its parameter `mode=maybe` is not supported; the parameters are `mode=ro`, `mode=rw`, `mode=rwc`, `mode=memory` and `immutable=1`".to_owned()),
        ("postgres://ann:s3cret@localhost:port/shop", "PostgreSQL", "invalid port number".to_owned()),
        (
            "postgres://ann:s3cret@localhost/shop?sslmode=maybe",
            "PostgreSQL",
            "unknown value \"maybe\" for `ssl_mode`".to_owned(),
        ),
    ];
    for (url, database, expected) in cases {
        let example = if database == "SQLite" { sqlite } else { postgres };
        assert_eq!(
            error(url, true),
            format!(
                "the Api cannot be built because of 1 error:\n  - the URL of the {database} store is invalid: {expected}{example}\n"
            )
        );
    }
}

#[test]
fn a_missing_table_is_shown_with_the_statement_that_creates_it() {
    let expected = "the component `SQLite` cannot start: the SQLite database does not match the definitions; call `migrate()` on the store \
                    to add everything at the start, or run these statements:\n- the table `towns` is missing\n    CREATE TABLE \"towns\" (";
    let error = error("sqlite::memory:", false);
    assert!(error.starts_with(expected), "{error}");
}

#[test]
fn a_file_that_another_process_locks_is_named() {
    let file = SqliteFile::new();
    let path = file.url().replace("sqlite://", "");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let _other = runtime.block_on(async {
        let mut other = SqliteConnectOptions::new().filename(&path).create_if_missing(true).connect().await.unwrap();
        sqlx::raw_sql("BEGIN EXCLUSIVE; CREATE TABLE held (id INTEGER)").execute(&mut other).await.unwrap();
        other
    });
    let advice = "another process has locked the file; stop it, or choose another file";
    check_start(&file.url(), "SQLite", &format!("cannot connect to `{path}`: database is locked; {advice}"));
}

#[tokio::test]
async fn a_database_that_is_not_utf_8_is_an_error() {
    use sqlx::Connection;
    let Some(url) = restwright_tests::environment("POSTGRES_URL") else { return };
    let mut connection = sqlx::PgConnection::connect(&url).await.unwrap();
    let name = format!("restwright_latin1_{}", std::process::id());
    let sql = format!("CREATE DATABASE {name} ENCODING 'LATIN1' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'");
    sqlx::raw_sql(sqlx::AssertSqlSafe(sql)).execute(&mut connection).await.unwrap();
    let options: sqlx::postgres::PgConnectOptions = url.parse().unwrap();
    let url = options.database(&name).to_url_lossy().to_string();
    for store in [SqlStore::new(&url), SqlStore::new(&url).migrate()] {
        let error = tokio::task::spawn_blocking(move || error_of(store)).await.unwrap();
        assert!(error.contains(&format!("the database \"{name}\" has the encoding LATIN1")), "{error}");
        assert!(error.contains("CREATE DATABASE .. ENCODING 'UTF8'"), "{error}");
    }
    let sql = format!("DROP DATABASE {name} WITH (FORCE)");
    sqlx::raw_sql(sqlx::AssertSqlSafe(sql)).execute(&mut connection).await.unwrap();
}

#[tokio::test]
async fn settings_of_a_url_without_effect_are_logged_once_and_sessions_have_a_name() {
    use sqlx::Row;
    let Some(schema) = crate::databases::PostgresSchema::new().await else { return };
    for (url, warning, name) in [
        (schema.url(), "", std::env::current_exe().unwrap().file_stem().unwrap().to_str().unwrap().to_owned()),
        (
            format!("{}&target_session_attrs=read-write&connect_timeout=3&application_name=shop", schema.url()),
            "target_session_attrs, connect_timeout",
            "shop".to_owned(),
        ),
    ] {
        let store = restwright_sql::SqlStore::new(url);
        let (_, lines) = crate::log::logged_fields(async { store.start().await.unwrap() }).await;
        let expected: Vec<_> = (!warning.is_empty())
            .then(|| {
                format!(
                    "settings of the connection are not supported and have no effect | database=\"PostgreSQL\" settings=\"{warning}\""
                )
            })
            .into_iter()
            .collect();
        let lines: Vec<_> = lines.iter().map(|line| line.trim_end()).collect();
        assert_eq!(lines, expected);
        let sql = "SELECT current_setting('application_name')";
        let row = sqlx::query(sql).fetch_one(&store.postgres_pool().unwrap()).await.unwrap();
        assert_eq!(row.get::<String, _>(0), name);
        store.stop().await;
    }
    schema.drop().await;
}

#[tokio::test]
async fn a_start_waits_for_a_server_with_too_many_connections() {
    use sqlx::Connection;
    let Some(schema) = crate::databases::PostgresSchema::new().await else { return };
    let role = format!("{}_crowded", schema.name);
    let rights = format!("GRANT USAGE, CREATE ON SCHEMA {0} TO {role}", schema.name);
    schema.run(&format!("CREATE ROLE {role} LOGIN PASSWORD 'secret' CONNECTION LIMIT 1; {rights}")).await;
    let url = schema.url();
    let url = format!("postgres://{role}:secret@{}", url.split_once('@').unwrap().1);
    let mut other = sqlx::PgConnection::connect(&url).await.unwrap();
    let began = std::time::Instant::now();
    let store = |wait| {
        let store = restwright_sql::SqlStore::new(&url).migrate().start_wait(wait);
        restwright_conformance::definitions().iter().for_each(|definition| store.declare(definition).unwrap());
        store
    };
    let error = store(Duration::from_secs(1)).start().await.unwrap_err().to_string();
    assert!(error.contains(&format!("too many connections for role \"{role}\"; lower the connections")), "{error}");
    assert!(began.elapsed() >= Duration::from_secs(1), "{:?}", began.elapsed());
    let ending = tokio::spawn(async move {
        tokio::time::sleep(Duration::from_secs(2)).await;
        sqlx::raw_sql("SELECT 1").execute(&mut other).await.unwrap();
        other.close().await.unwrap();
    });
    let store = store(Duration::from_secs(60));
    let (started, lines) = crate::log::logged(async { store.start().await }).await;
    started.unwrap();
    assert!(
        lines.iter().any(|line| line == "the start waits, because the server accepts no further connections"),
        "{lines:?}"
    );
    // The last connection of the start may still close.
    let opened = std::time::Instant::now();
    while let Err(error) = store.ready().await {
        assert!(opened.elapsed() < Duration::from_mins(1), "{error}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    store.stop().await;
    ending.await.unwrap();
    schema.run(&format!("DROP OWNED BY {role}; DROP ROLE {role}")).await;
    schema.drop().await;
}

/// The mayor of a town.
#[derive(Clone, Serialize, Deserialize, Resource)]
#[resource(path = "/mayors", batch, include(town(filter(name(eq)))))]
struct Mayor {
    #[property(id)]
    id: i64,
    #[property(references(Town))]
    town_id: i64,
}

#[test]
fn a_wrong_url_causes_no_other_errors() {
    for url in ["mysql://localhost/shop", "postgres://one,two/shop"] {
        let store = SqlStore::new(url);
        let idempotency = Idempotency::new(SqlIdempotency::new(&store));
        let mayors = Endpoints::<Mayor>::new(store.clone(), Access::authenticated("key")).idempotency(idempotency);
        let configuration = Configuration::new("towns", "1.0.0").authenticator("key", Callers);
        let api = Api::builder(configuration).resource::<Town>(store, Access::public()).module(&mayors).build();
        let errors = api.err().map(|errors| errors.to_string()).unwrap_or_default();
        assert!(errors.starts_with("the Api cannot be built because of 1 error:\n"), "{errors}");
    }
}
