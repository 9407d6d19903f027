//! Tests the connection limit for lists, the queue for connections, and connections that the server has closed.

#![cfg(all(feature = "postgres", feature = "sqlite"))]

use std::num::NonZeroU32;
use std::time::{Duration, Instant};

use restwright_list::ValueType;
use restwright_tests::is_quick_async;

use super::{Access, Connections, Held};
use crate::driver::{Cell, DriverError};
use crate::store::SqlStore;

const WAIT: Duration = Duration::from_millis(300);
/// The time limit of statements that must not wait for it.
const NEVER: Duration = Duration::from_mins(2);

/// Checks that only lists wait when lists use all connections that they may use.
async fn check(connections: &Connections, all: usize, expected: usize) {
    let mut lists = Vec::new();
    for _ in 0..(expected - 1).max(1) {
        lists.push(connections.acquire_list("pets").await.unwrap());
    }
    // The last place is for the lists of other entities.
    let error = connections.acquire_list("pets").await.err().unwrap();
    assert!(format!("{error:?}").contains("other lists use all connections that lists may use"), "{all}: {error:?}");
    if expected > 1 {
        // A list that waits would fail, because no connection is released.
        lists.push(connections.acquire_list("owners").await.unwrap());
    }
    is_quick_async(all, WAIT * 2, async || {
        let began = Instant::now();
        let error = connections.acquire_list("visits").await.err().unwrap();
        let waited = began.elapsed();
        assert!(waited >= WAIT, "{waited:?}");
        let expected = "other lists use all connections that lists may use";
        assert!(format!("{error:?}").contains(expected), "{all}: {error:?}");
        waited
    })
    .await;
    // Other statements get the remaining connections without waiting, because none is released.
    let mut others = Vec::new();
    for _ in expected..all {
        others.push(connections.acquire(Access::Read).await.unwrap());
    }
    drop(others);
    // The waiting list gets the next free connection.
    let later = async {
        tokio::time::sleep(WAIT / 3).await;
        lists.pop();
    };
    let (next, ()) = tokio::join!(connections.acquire_list("visits"), later);
    assert!(next.is_ok(), "{all}");
}

const SHARES: [(u32, usize); 5] = [(1, 1), (2, 1), (3, 2), (4, 3), (8, 6)];

#[tokio::test]
async fn lists_on_sqlite_leave_a_quarter_of_the_connections() {
    for (all, expected) in SHARES {
        let file = std::env::temp_dir().join(format!("restwright-lists-{}-{all}.db", std::process::id()));
        let store = SqlStore::new(format!("sqlite://{}", file.display())).wait(WAIT);
        let store = store.connections(NonZeroU32::new(all).unwrap());
        store.shared.connections.create().await.unwrap();
        check(&store.shared.connections, all as usize, expected).await;
        store.shared.connections.close().await;
        for suffix in ["", "-wal", "-shm"] {
            let _ = std::fs::remove_file(format!("{}{suffix}", file.display()));
        }
    }
}

#[tokio::test]
async fn lists_on_postgresql_leave_a_quarter_of_the_connections() {
    let Some(url) = restwright_tests::environment("POSTGRES_URL") else { return };
    for (all, expected) in SHARES {
        let store = SqlStore::new(url.clone()).wait(WAIT).connections(NonZeroU32::new(all).unwrap());
        check(&store.shared.connections, all as usize, expected).await;
        store.shared.connections.close().await;
        // The pool of an application has the same share.
        let pool = sqlx::postgres::PgPoolOptions::new().max_connections(all).connect(&url).await.unwrap();
        let store = SqlStore::from_postgres_pool(pool.clone()).wait(WAIT);
        check(&store.shared.connections, all as usize, expected).await;
        pool.close().await;
    }
}

/// The maximum number of waiting statements.
const QUEUE: usize = 2;

/// Checks that two statements can wait for the only connection of a store, and that a third statement fails immediately.
async fn check_queue(store: &SqlStore) {
    let connections = &store.shared.connections;
    for _ in 0..2 {
        let held = connections.acquire(Access::Write).await.unwrap();
        let waiting = async || connections.acquire(Access::Write).await.map(drop);
        let beyond = async {
            // Lets the other statements wait.
            tokio::time::sleep(WAIT / 10).await;
            let began = Instant::now();
            let error = connections.acquire(Access::Write).await.err().unwrap();
            assert!(began.elapsed() < NEVER / 2, "{:?}", began.elapsed());
            drop(held);
            format!("{error:?}")
        };
        let (first, second, beyond) = tokio::join!(waiting(), waiting(), beyond);
        assert!(first.is_ok() && second.is_ok(), "{first:?}, {second:?}");
        assert!(beyond.contains("too many statements are waiting for a connection"), "{beyond}");
    }
}

#[tokio::test]
async fn a_statement_beyond_the_queue_fails_immediately() {
    let one = |store: SqlStore| store.wait(NEVER).queue(QUEUE).connections(NonZeroU32::MIN);
    let sqlite = one(SqlStore::new("sqlite::memory:"));
    check_queue(&sqlite).await;
    sqlite.shared.connections.close().await;
    let Some(url) = restwright_tests::environment("POSTGRES_URL") else { return };
    let one = |store: SqlStore| store.wait(NEVER).queue(QUEUE).connections(NonZeroU32::MIN);
    let postgres = one(SqlStore::new(url.clone()));
    check_queue(&postgres).await;
    postgres.shared.connections.close().await;
    let pool = sqlx::postgres::PgPoolOptions::new().max_connections(1).connect(&url).await.unwrap();
    check_queue(&one(SqlStore::from_postgres_pool(pool.clone()))).await;
    pool.close().await;
}

/// Returns the id of the PostgreSQL server process that serves a connection.
async fn process(held: &mut Held) -> Result<i64, DriverError> {
    let rows = held.connection().fetch("SELECT pg_backend_pid()".into(), Vec::new(), false).await;
    match rows?[0].cell(0, ValueType::Integer)? {
        Cell::Integer(process) => Ok(process),
        other => panic!("{other:?}"),
    }
}

async fn close_on_server(url: &str, processes: &[i64]) {
    let other = SqlStore::new(url.to_owned());
    let mut killer = other.shared.connections.acquire(Access::Write).await.unwrap();
    for process in processes {
        let sql = format!("SELECT pg_terminate_backend({process}, 1000)");
        killer.connection().run(sql.into()).await.unwrap();
    }
    drop(killer);
    other.shared.connections.close().await;
}

#[tokio::test]
async fn a_connection_closed_by_the_server_is_not_used_again() {
    let Some(url) = restwright_tests::environment("POSTGRES_URL") else { return };
    let store = SqlStore::new(url.clone()).connections(NonZeroU32::MIN);
    let connections = &store.shared.connections;
    let current = async || process(&mut connections.acquire(Access::Write).await.unwrap()).await;
    let first = current().await.unwrap();
    assert_eq!(current().await.unwrap(), first, "the connection is kept");
    close_on_server(&url, &[first]).await;
    // Connections that were idle for longer than one second are tested before use.
    tokio::time::sleep(Duration::from_millis(1_100)).await;
    assert_ne!(current().await.unwrap(), first);
    store.shared.connections.close().await;
}

#[tokio::test]
async fn other_connections_are_tested_after_one_breaks() {
    let Some(url) = restwright_tests::environment("POSTGRES_URL") else { return };
    let store = SqlStore::new(url.clone()).connections(NonZeroU32::new(3).unwrap());
    let connections = &store.shared.connections;
    let mut held = Vec::new();
    let mut closed = Vec::new();
    for _ in 0..3 {
        let mut connection = connections.acquire(Access::Write).await.unwrap();
        closed.push(process(&mut connection).await.unwrap());
        held.push(connection);
    }
    drop(held);
    close_on_server(&url, &closed).await;
    let mut first = connections.acquire(Access::Write).await.unwrap();
    assert!(process(&mut first).await.is_err(), "the first connection was used recently, so it is not tested");
    first.set_busy(true);
    drop(first);
    for _ in 0..3 {
        let mut next = connections.acquire(Access::Write).await.unwrap();
        assert!(!closed.contains(&process(&mut next).await.unwrap()));
    }
    store.shared.connections.close().await;
}
