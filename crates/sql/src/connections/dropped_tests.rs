//! Tests statements on SQLite whose requests end, and code of the application that panics.

#![cfg(feature = "sqlite")]

use std::future::{Future, pending};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};
use tokio::time::{sleep, timeout};

use super::{FilePools, Source};
use crate::driver::ChangeStatement;
use crate::store::SqlStore;
use crate::transactions::{SqlTransaction, begin_sql};

const MS: Duration = Duration::from_millis(1);

/// A statement that runs for seconds.
const LONG: &str = "INSERT INTO names SELECT count(*) FROM \
     (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 20000000) SELECT i FROM n)";

/// A statement with so many steps that a connection looks at its limits.
const MEDIUM: &str = "INSERT INTO names SELECT 'medium' FROM \
     (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 5000) SELECT i FROM n) LIMIT 1 OFFSET 4990";

/// A database with a table of names, whose file is removed on drop.
pub(super) struct NamesFile(String);

impl NamesFile {
    pub(super) fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("restwright-dropped-{}-{name}.db", std::process::id()));
        Self(path.display().to_string())
    }

    fn raw(&self) -> rusqlite::Connection {
        rusqlite::Connection::open(&self.0).unwrap()
    }

    pub(super) fn names(&self) -> Vec<String> {
        let raw = self.raw();
        let mut select = raw.prepare("SELECT name FROM names ORDER BY rowid").unwrap();
        select.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    }

    pub(super) async fn store(&self) -> SqlStore {
        let store = SqlStore::new(format!("sqlite://{}", self.0));
        let connections = &store.shared.connections;
        connections.create().await.unwrap();
        self.raw().execute_batch("CREATE TABLE names (name TEXT)").unwrap();
        connections.start().await.unwrap();
        connections.allow_groups().await.unwrap();
        store
    }
}

impl Drop for NamesFile {
    fn drop(&mut self) {
        for suffix in ["", "-wal", "-shm"] {
            let _ = std::fs::remove_file(format!("{}{suffix}", self.0));
        }
    }
}

/// Returns a runtime with one worker.
fn runtime(blocking_threads: usize) -> Runtime {
    Builder::new_multi_thread().worker_threads(1).max_blocking_threads(blocking_threads).enable_all().build().unwrap()
}

pub(super) fn insert(name: &str) -> ChangeStatement {
    change(&format!("INSERT INTO names VALUES ('{name}')"))
}

fn change(sql: &str) -> ChangeStatement {
    ChangeStatement { sql: sql.into(), values: Vec::new(), is_kept: true, following: None }
}

pub(super) fn pools(store: &SqlStore) -> Arc<FilePools> {
    store.shared.connections.grouped().unwrap()
}

async fn begin(store: &SqlStore) -> SqlTransaction {
    let settings = &store.shared.settings;
    SqlTransaction::begin(&store.shared.connections, 1, begin_sql(settings, "")).await.unwrap()
}

/// Keeps all threads of a runtime for blocking work busy. The runtime has one.
fn occupy(runtime: &Runtime, time: Duration) {
    runtime.spawn_blocking(move || thread::sleep(time));
    thread::sleep(20 * MS);
}

/// Runs a step on a runtime whose threads for blocking work are busy, and drops its future before a thread has begun it.
fn drop_unbegun<T>(runtime: &Runtime, step: impl Future<Output = T>) {
    occupy(runtime, 400 * MS);
    assert!(runtime.block_on(async { timeout(50 * MS, step).await.is_err() }));
}

#[test]
fn a_statement_that_no_thread_has_begun_does_not_run_in_the_next_transaction() {
    let file = NamesFile::new("insert");
    let (one, other) = (runtime(1), runtime(8));
    let store = other.block_on(file.store());
    let mut first = one.block_on(begin(&store));
    drop_unbegun(&one, first.execute(("INSERT INTO names VALUES ('dropped')".to_owned(), Vec::new())));
    one.block_on(async { drop(first) });
    other.block_on(async {
        let mut second = begin(&store).await;
        sleep(600 * MS).await;
        second.execute(("INSERT INTO names VALUES ('second')".to_owned(), Vec::new())).await.unwrap();
        second.commit().await.unwrap();
    });
    assert_eq!(file.names(), ["second"]);
}

#[test]
fn a_commit_that_no_thread_has_begun_does_not_commit_the_next_transaction() {
    let file = NamesFile::new("commit");
    let (one, other) = (runtime(1), runtime(8));
    let store = other.block_on(file.store());
    let first = one.block_on(begin(&store));
    drop_unbegun(&one, first.commit());
    other.block_on(async {
        let mut second = begin(&store).await;
        second.execute(("INSERT INTO names VALUES ('half')".to_owned(), Vec::new())).await.unwrap();
        sleep(600 * MS).await;
        drop(second);
        sleep(100 * MS).await;
    });
    assert_eq!(file.names(), Vec::<String>::new());
}

#[test]
fn a_begin_that_no_thread_has_begun_does_not_undo_a_change() {
    let file = NamesFile::new("begin");
    let (one, other) = (runtime(1), runtime(8));
    let store = other.block_on(file.store());
    drop_unbegun(&one, begin(&store));
    other.block_on(async {
        let pools = pools(&store);
        let turn = async {
            let guard = pools.writes.acquire(|| Ok(())).await;
            sleep(600 * MS).await;
            guard
        };
        let grouped = pools.groups.run(&store.shared.settings, turn, insert("acknowledged")).await.unwrap();
        assert_eq!(grouped.outcome.unwrap().count, 1);
        sleep(200 * MS).await;
    });
    assert_eq!(file.names(), ["acknowledged"]);
}

/// Drops transactions at any moment, while others change rows.
#[test]
fn acknowledged_changes_survive_a_storm_of_dropped_transactions() {
    let file = NamesFile::new("storm");
    let (one, other) = (runtime(2), runtime(8));
    let store = other.block_on(file.store());
    let is_over = Arc::new(AtomicBool::new(false));
    let (of_storm, ended) = (store.clone(), Arc::clone(&is_over));
    let storm = thread::spawn(move || {
        one.block_on(async {
            let mut turn = 0;
            while !ended.load(Ordering::Relaxed) {
                turn += 1;
                (0..2).for_each(|_| drop(tokio::task::spawn_blocking(|| thread::sleep(Duration::from_micros(300)))));
                let work = async {
                    let mut first = begin(&of_storm).await;
                    for name in ["dropped 1", "dropped 2"] {
                        let _ = first.execute((format!("INSERT INTO names VALUES ('{name}')"), Vec::new())).await;
                    }
                };
                let _ = timeout(Duration::from_micros(200 + turn % 13 * 150), work).await;
            }
        });
    });
    let acknowledged: Vec<_> = other.block_on(async {
        let (pools, mut acknowledged) = (pools(&store), Vec::new());
        for turn in 0..300 {
            let name = turn.to_string();
            if pools.change(insert(&name)).await.is_ok_and(|grouped| grouped.outcome.is_ok()) {
                acknowledged.push(name);
            }
        }
        acknowledged
    });
    is_over.store(true, Ordering::Relaxed);
    storm.join().unwrap();
    assert_eq!(file.names(), acknowledged);
}

#[test]
fn a_cancelled_statement_does_not_cancel_the_next_user() {
    let file = NamesFile::new("cancelled");
    let (one, other) = (runtime(8), runtime(8));
    let store = one.block_on(file.store());
    let mut first = one.block_on(begin(&store));
    let of_other = store.clone();
    let waiting = other.spawn(async move { pools(&of_other).change(change(MEDIUM)).await.unwrap().outcome });
    thread::sleep(50 * MS);
    // The worker of the change has no time until the cancelled statement has ended its transaction.
    other.spawn(async { thread::sleep(300 * MS) });
    thread::sleep(30 * MS);
    one.block_on(async {
        assert!(timeout(50 * MS, first.execute((LONG.to_owned(), Vec::new()))).await.is_err());
        drop(first);
    });
    assert_eq!(other.block_on(waiting).unwrap().unwrap().count, 1);
}

/// Returns the processor time of this process, in ticks of 10 ms.
fn processor_time() -> u64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = stat.rsplit_once(')').unwrap().1.split_whitespace().collect();
    fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore)]
fn a_panic_leaves_a_usable_connection() {
    restwright_tests::alone("connections::dropped_tests::a_panic_leaves_a_usable_connection", || {
        let file = NamesFile::new("panic");
        let (runtime, in_memory) = (runtime(8), SqlStore::new("sqlite::memory:"));
        runtime.block_on(async {
            let store = file.store().await;
            let mut transaction = begin(&store).await;
            let panicked = [
                tokio::spawn(async move {
                    let panic = |_: &mut rusqlite::Connection| -> rusqlite::Result<()> { panic!("of the application") };
                    transaction.with_sqlite(panic).await
                }),
                tokio::spawn({
                    let store = in_memory.clone();
                    async move { store.with_sqlite(|_| -> rusqlite::Result<()> { panic!("of the application") }).await }
                }),
            ];
            for one in panicked {
                assert!(one.await.unwrap_err().is_panic());
            }
            sleep(100 * MS).await;
            let before = processor_time();
            sleep(500 * MS).await;
            assert!(processor_time() - before < 20, "the process is not idle");
            assert_eq!(pools(&store).change(insert("after")).await.unwrap().outcome.unwrap().count, 1);
            in_memory.with_sqlite(|raw| raw.execute_batch("SELECT 1")).await.unwrap();
        });
        assert_eq!(file.names(), ["after"]);
    });
}

#[test]
fn a_request_with_the_connection_runs_its_own_change() {
    let file = NamesFile::new("leader");
    runtime(8).block_on(async {
        let store = file.store().await;
        let pools = pools(&store);
        let mut others = Vec::new();
        for number in 0..100 {
            let (pools, settings) = (Arc::clone(&pools), Arc::clone(&store.shared.settings));
            let name = number.to_string();
            others
                .push(tokio::spawn(async move { pools.groups.run(&settings, pending(), insert(&name)).await.is_ok() }));
        }
        sleep(100 * MS).await;
        let own = timeout(Duration::from_secs(10), pools.change(insert("own"))).await;
        assert!(own.is_ok_and(|grouped| grouped.is_ok()));
        others.iter().for_each(tokio::task::JoinHandle::abort);
    });
    let names = file.names();
    assert_eq!((names.len(), names.last().map(String::as_str)), (65, Some("own")));
}

#[test]
fn workers_that_end_close_their_connections() {
    let file = NamesFile::new("workers");
    let store = runtime(8).block_on(file.store());
    for _ in 0..5 {
        let store = store.clone();
        let worker = thread::spawn(move || {
            Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
                while store.shared.connections.fetch_inline(&"SELECT name FROM names".into(), &[]).await.is_none() {
                    sleep(MS).await;
                }
            });
        });
        worker.join().unwrap();
    }
    let Source::Sqlite { inline, .. } = &store.shared.connections.source else { panic!("the store is on SQLite") };
    assert_eq!(inline.open(), 0);
}

#[tokio::test]
async fn a_kept_statement_returns_new_columns() {
    let file = NamesFile::new("columns");
    let store = file.store().await;
    file.raw().execute_batch("INSERT INTO names VALUES ('x')").unwrap();
    let mut held = store.shared.connections.acquire(super::Access::Read).await.unwrap();
    let mut columns = async || {
        let rows = held.connection().fetch("SELECT * FROM names".into(), Vec::new(), true).await.unwrap();
        rows[0].columns()
    };
    assert_eq!(columns().await, 1);
    file.raw().execute_batch("ALTER TABLE names ADD COLUMN more TEXT").unwrap();
    assert_eq!(columns().await, 2);
}

#[tokio::test]
async fn limits_can_be_arbitrarily_long() {
    let file = NamesFile::new("limits");
    drop(file.store().await);
    let store = SqlStore::new(format!("sqlite://{}", file.0)).wait(Duration::MAX).statement_timeout(Duration::MAX);
    let connections = &store.shared.connections;
    connections.create().await.unwrap();
    connections.start().await.unwrap();
    connections.allow_groups().await.unwrap();
    let pools = pools(&store);
    let (one, other) = tokio::join!(pools.change(insert("one")), pools.change(insert("other")));
    assert!(one.unwrap().outcome.is_ok() && other.unwrap().outcome.is_ok());
}
