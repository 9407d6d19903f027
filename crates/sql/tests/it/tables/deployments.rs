//! Migrations while processes of the earlier version read and write.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use restwright_list::ValueType;
use restwright_resource::{EntityDefinition, FieldDefinition, IdentifierKind, OnDelete};
use restwright_sql::SqlStore;
use restwright_tests::is_quick_async;
use sqlx::{AssertSqlSafe, Connection, PgConnection};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use super::database::{Database, on_own_postgres, start};
use crate::log::logged_fields;

fn animals() -> EntityDefinition {
    EntityDefinition::new("animals", "id", IdentifierKind::Integer).field(FieldDefinition::new("name", ValueType::Text))
}

fn with_born() -> EntityDefinition {
    animals().field(FieldDefinition::new("born", ValueType::Date).nullable())
}

fn with_index() -> EntityDefinition {
    with_born().index(["name"])
}

const INDEX: &str = "animals_name_idx";

/// SQL that fills the table of `animals` beyond the size from which its indexes are created with `CONCURRENTLY`.
const MANY_ROWS: &str = "INSERT INTO animals (name) SELECT repeat('x', 200) || n FROM generate_series(1, 80000) n";

/// Opens a connection with a name, and runs SQL on it.
async fn session(database: &Database, name: &str, sql: &str) -> PgConnection {
    let mut connection = PgConnection::connect(&database.url()).await.unwrap();
    let sql = format!("SET application_name = '{name}'; {sql}");
    sqlx::raw_sql(AssertSqlSafe(sql)).execute(&mut connection).await.unwrap();
    connection
}

/// A process of the earlier version, which reads and writes all the time.
struct EarlierVersion {
    is_over: Arc<AtomicBool>,
    /// The number of reads and the number of writes.
    counts: [Arc<AtomicUsize>; 2],
    tasks: [JoinHandle<Duration>; 2],
}

impl EarlierVersion {
    async fn start(database: &Database) -> Self {
        let is_over = Arc::new(AtomicBool::new(false));
        let [a, b] = [session(database, "earlier version", "").await, session(database, "earlier version", "").await];
        let counts: [Arc<AtomicUsize>; 2] = Default::default();
        let read = repeat(a, "SELECT count(*) FROM animals WHERE id < 3", is_over.clone(), counts[0].clone());
        let write = repeat(b, "INSERT INTO animals (name) VALUES ('new')", is_over.clone(), counts[1].clone());
        Self { is_over, counts, tasks: [read, write] }
    }

    /// Returns the time until it has completed three more reads and writes.
    async fn next(&self) -> Duration {
        let began = Instant::now();
        let next = self.counts.each_ref().map(|count| count.load(Ordering::Relaxed) + 3);
        until("the earlier version reads and writes", async || {
            self.counts.iter().zip(next).all(|(count, next)| count.load(Ordering::Relaxed) >= next)
        })
        .await;
        began.elapsed()
    }

    /// Returns the times of the longest read and of the longest write.
    async fn longest(self) -> [Duration; 2] {
        self.is_over.store(true, Ordering::Relaxed);
        let [read, write] = self.tasks;
        [read.await.unwrap(), write.await.unwrap()]
    }
}

/// Waits until something is true, at most a minute.
async fn until(what: &str, is_true: impl AsyncFn() -> bool) {
    let wait = async {
        while !is_true().await {
            sleep(Duration::from_millis(20)).await;
        }
    };
    assert!(timeout(Duration::from_mins(1), wait).await.is_ok(), "{what}");
}

/// Repeats a statement until `is_over`, and returns the longest time that it took.
fn repeat(
    mut session: PgConnection,
    sql: &'static str,
    is_over: Arc<AtomicBool>,
    count: Arc<AtomicUsize>,
) -> JoinHandle<Duration> {
    tokio::spawn(async move {
        let mut longest = Duration::ZERO;
        while !is_over.load(Ordering::Relaxed) {
            let began = Instant::now();
            sqlx::raw_sql(sql).execute(&mut session).await.unwrap();
            longest = longest.max(began.elapsed());
            count.fetch_add(1, Ordering::Relaxed);
            sleep(Duration::from_millis(5)).await;
        }
        longest
    })
}

/// Ends the transaction of a session after a time.
fn end_after(mut session: PgConnection, time: Duration) -> JoinHandle<()> {
    tokio::spawn(async move {
        sleep(time).await;
        sqlx::raw_sql("ROLLBACK").execute(&mut session).await.unwrap();
        session.close().await.unwrap();
    })
}

fn waiting(database: &Database, definitions: &[EntityDefinition], wait: Duration) -> SqlStore {
    let store = SqlStore::new(database.url()).migrate().start_wait(wait);
    definitions.iter().for_each(|definition| store.declare(definition).unwrap());
    store
}

/// The SQL of a transaction that has read the table.
const REPORT: &str = "BEGIN; SELECT count(*) FROM animals";

/// The SQL of a transaction that `CREATE INDEX CONCURRENTLY` waits for, but no `ALTER TABLE`.
const EXPORT: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1";

#[tokio::test]
async fn an_open_report_delays_a_migration_and_not_the_earlier_version() {
    on_own_postgres(async |database| {
        start(&database.migrating(&[animals()])).await.unwrap();
        let earlier = EarlierVersion::start(database).await;
        let mut report = session(database, "report", REPORT).await;
        let is_started = AtomicBool::new(false);
        let during = async {
            // Each time the migration waits, the earlier version waits, too. If the migration waited for the report, it would not be
            // quick.
            let waits = "SELECT 'yes' FROM pg_locks WHERE relation = 'animals'::regclass AND NOT granted AND mode = 'AccessExclusiveLock'";
            let attempt = async || {
                until("the migration waits", async || !database.texts(waits).await.is_empty()).await;
                earlier.next().await
            };
            is_quick_async("the earlier version", Duration::from_millis(1500), attempt).await;
            sleep(Duration::from_secs(4)).await;
            assert!(!is_started.load(Ordering::Relaxed), "the report is not over");
            sqlx::raw_sql("ROLLBACK").execute(&mut report).await.unwrap();
        };
        let store = database.migrating(&[with_born()]);
        let start = async {
            let started = start(&store).await;
            is_started.store(true, Ordering::Relaxed);
            started
        };
        let (started, lines) = logged_fields(async { tokio::join!(start, during).0 }).await;
        started.unwrap();
        earlier.longest().await;
        let line = lines.iter().find(|line| line.starts_with("the migration waits for locks of other sessions"));
        assert!(line.unwrap().contains("(report, idle in transaction, for "), "{lines:?}");
    })
    .await;
}

#[tokio::test]
async fn a_migration_that_waits_too_long_names_the_session() {
    on_own_postgres(async |database| {
        start(&database.migrating(&[animals()])).await.unwrap();
        let before = database.schema().await;
        let report = session(database, "report", REPORT).await;
        let message = start(&waiting(database, &[with_born()], Duration::from_secs(2))).await.unwrap_err();
        let expected = "the migration waited 2s for locks of other sessions: pid ";
        assert!(message.starts_with(expected), "{message}");
        assert!(message.contains(" (report, idle in transaction, for "), "{message}");
        assert!(message.contains("the table `animals` lacks the column `born`"), "{message}");
        assert_eq!(database.schema().await, before);
        report.close().await.unwrap();
        start(&database.migrating(&[with_born()])).await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn the_index_of_a_large_table_blocks_neither_reads_nor_writes() {
    on_own_postgres(async |database| {
        start(&database.migrating(&[animals()])).await.unwrap();
        database.run(MANY_ROWS).await;
        let mut export = session(database, "export", EXPORT).await;
        let earlier = EarlierVersion::start(database).await;
        let waiting = async {
            let waits = "SELECT 'yes' FROM pg_locks WHERE locktype = 'virtualxid' AND NOT granted";
            until("the index waits", async || !database.texts(waits).await.is_empty()).await;
            is_quick_async("the earlier version", Duration::from_secs(1), async || earlier.next().await).await;
            sleep(Duration::from_secs(4)).await;
            sqlx::raw_sql("ROLLBACK").execute(&mut export).await.unwrap();
        };
        let store = database.migrating(&[with_index()]);
        let (started, lines) = logged_fields(async { tokio::join!(start(&store), waiting).0 }).await;
        started.unwrap();
        earlier.longest().await;
        assert!(lines.iter().any(|line| line.contains("(export, idle in transaction, for ")), "{lines:?}");
    })
    .await;
}

#[tokio::test]
async fn an_index_whose_creation_did_not_finish_is_created_again() {
    let is_valid = format!("SELECT indisvalid::text FROM pg_index WHERE indexrelid = '{INDEX}'::regclass");
    for rows in ["INSERT INTO animals (name) VALUES ('x'), ('y')", MANY_ROWS] {
        on_own_postgres(async |database| {
            start(&database.migrating(&[with_born()])).await.unwrap();
            database.run(rows).await;
            database.run("INSERT INTO animals (name) VALUES ('same'), ('same')").await;
            let failing = format!("CREATE UNIQUE INDEX CONCURRENTLY {INDEX} ON animals (name)");
            database.try_run(&failing).await.unwrap_err();
            assert_eq!(database.texts(&is_valid).await, ["false"]);
            let message = start(&database.store(&[with_index()])).await.unwrap_err();
            let expected = "because an index of this name is invalid: its creation did not finish\n    DROP INDEX \"";
            assert!(message.contains(expected), "{message}");
            start(&database.migrating(&[with_index()])).await.unwrap();
            assert_eq!(database.texts(&is_valid).await, ["true"]);
            start(&database.store(&[with_index()])).await.unwrap();
        })
        .await;
    }
}

#[tokio::test]
async fn several_processes_create_the_index_of_a_large_table_together() {
    on_own_postgres(async |database| {
        start(&database.migrating(&[animals()])).await.unwrap();
        database.run(MANY_ROWS).await;
        let definitions = [with_index()];
        let stores: Vec<_> = (0..3).map(|_| database.migrating(&definitions)).collect();
        let [a, b, c] = stores.as_slice() else { unreachable!() };
        let started = timeout(Duration::from_secs(60), async { tokio::join!(start(a), start(b), start(c)) }).await;
        assert_eq!(started.unwrap(), (Ok(()), Ok(()), Ok(())));
    })
    .await;
}

#[tokio::test]
async fn a_start_after_a_crash_continues_the_migration() {
    let owners = || EntityDefinition::new("owners", "id", IdentifierKind::Integer);
    let next = || [with_index(), owners().field(FieldDefinition::new("name", ValueType::Text).nullable())];
    on_own_postgres(async |database| {
        start(&database.migrating(&[animals(), owners()])).await.unwrap();
        database.run(MANY_ROWS).await;
        let columns = "SELECT table_name || '.' || column_name FROM information_schema.columns WHERE table_schema = current_schema() \
                       AND column_name IN ('born', 'name') ORDER BY 1";
        let has_index = format!("SELECT 'yes' FROM pg_class WHERE oid = to_regclass('{INDEX}')");
        // The first crash is after the first column, and the second crash is during the creation of the index.
        let blocked = session(database, "report", "BEGIN; SELECT count(*) FROM owners").await;
        let has = async |expected: &[&str]| database.texts(columns).await == expected;
        let store = database.migrating(&next());
        tokio::select! {
            outcome = start(&store) => panic!("it waits for the report: {outcome:?}"),
            () = until("the first column", async || has(&["animals.born", "animals.name"]).await) => {}
        }
        drop(store);
        blocked.close().await.unwrap();
        let export = session(database, "export", EXPORT).await;
        let store = database.migrating(&next());
        let all = ["animals.born", "animals.name", "owners.name"];
        tokio::select! {
            outcome = start(&store) => panic!("it waits for the export: {outcome:?}"),
            () = until("the index", async || has(&all).await && !database.texts(&has_index).await.is_empty()) => {}
        }
        drop(store);
        export.close().await.unwrap();
        start(&database.migrating(&next())).await.unwrap();
        start(&database.store(&next())).await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn a_process_that_migrates_for_too_long_is_named() {
    on_own_postgres(async |database| {
        // The key of the lock is `restwrig` in ASCII.
        let other = session(database, "other", "SELECT pg_advisory_lock(x'7265737477726967'::bigint)").await;
        let message = start(&waiting(database, &[animals()], Duration::from_secs(1))).await.unwrap_err();
        assert!(
            message.starts_with("another process has migrated the PostgreSQL database for more than 1s: pid "),
            "{message}"
        );
        assert!(message.contains(" (other, idle, for "), "{message}");
        other.close().await.unwrap();
    })
    .await;
}

/// Prints how long each change of a migration takes at a million rows, and the longest read and write of the earlier version.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "a measurement"]
async fn longest_statements_of_the_earlier_version() {
    let owners = || EntityDefinition::new("owners", "id", IdentifierKind::Integer);
    let owner = || FieldDefinition::new("owner", ValueType::Integer).nullable();
    let born = |field: &str| FieldDefinition::new(field.to_owned(), ValueType::Date).nullable();
    let tagged = || with_index().field(owner());
    let referring = || with_index().field(owner().references("owners", OnDelete::Restrict));
    let renamed = animals().field(born("birth").renamed_from("born")).index(["name"]);
    let renamed = renamed.field(owner().references("owners", OnDelete::Restrict));
    let set_owners = "UPDATE animals SET owner = 1 + id % 1000";
    let steps = [
        ("nothing", "", animals()),
        ("a column", "", with_born()),
        ("an index", "", with_index()),
        ("a column next to a report of 4 s", REPORT, tagged()),
        ("a foreign key and its index", set_owners, referring()),
        ("a new name of a column", "", renamed),
    ];
    on_own_postgres(async |database| {
        start(&database.migrating(&[animals(), owners()])).await.unwrap();
        let rows = "INSERT INTO animals (name) SELECT 'an animal with a name of sixty bytes, or a few more ' || n FROM generate_series(1, 1000000) n; \
                    INSERT INTO owners (id) SELECT n FROM generate_series(1, 1000) n; ANALYZE";
        database.run(rows).await;
        for (change, before, definition) in steps.clone() {
            let before = session(database, "report", before).await;
            let report = end_after(before, Duration::from_secs(4));
            let earlier = EarlierVersion::start(database).await;
            let began = Instant::now();
            start(&database.migrating(&[owners(), definition])).await.unwrap();
            let took = began.elapsed();
            let [read, write] = earlier.longest().await;
            println!("{change}: {took:.1?}, the longest read {read:.1?}, the longest write {write:.1?}");
            assert!(read < Duration::from_millis(1500) && write < Duration::from_millis(1500), "{read:?}, {write:?}");
            report.await.unwrap();
        }
    })
    .await;
}
