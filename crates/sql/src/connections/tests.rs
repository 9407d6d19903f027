//! The share that lists have of the connections.

#![cfg(all(feature = "postgres", feature = "sqlite"))]

use std::num::NonZeroU32;
use std::time::{Duration, Instant};

use super::{Access, Connections};
use crate::dialect::{Dialect, Postgres, Sqlite};
use crate::store::DatabaseStore;

const WAIT: Duration = Duration::from_millis(300);

/// Opens as many lists as there may be, and checks that the next one waits and that others do not.
async fn check<D: Dialect>(connections: &Connections<D>, all: usize, expected: usize) {
    let mut lists = Vec::new();
    for _ in 0..expected {
        lists.push(connections.acquire_list().await.unwrap());
    }
    let began = Instant::now();
    let error = connections.acquire_list().await.err().unwrap();
    let waited = began.elapsed();
    assert!(waited >= WAIT && waited < WAIT * 2, "{waited:?}");
    assert!(format!("{error:?}").contains("other lists had their share of the connections"), "{all}: {error:?}");
    // The others have the rest, at once.
    let began = Instant::now();
    let mut others = Vec::new();
    for _ in expected..all {
        others.push(connections.acquire(Access::Read).await.unwrap());
    }
    assert!(began.elapsed() < WAIT, "{all}");
    drop(others);
    // A list that waits comes next.
    let later = async {
        tokio::time::sleep(WAIT / 3).await;
        lists.pop();
    };
    let (next, ()) = tokio::join!(connections.acquire_list(), later);
    assert!(next.is_ok(), "{all}");
}

const SHARES: [(u32, usize); 5] = [(1, 1), (2, 1), (3, 2), (4, 3), (8, 6)];

#[tokio::test]
async fn lists_on_sqlite_leave_a_quarter_of_the_connections() {
    for (all, expected) in SHARES {
        let file = std::env::temp_dir().join(format!("restwright-lists-{}-{all}.db", std::process::id()));
        let store = DatabaseStore::<Sqlite>::new(format!("sqlite://{}", file.display())).wait(WAIT);
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
        let store = DatabaseStore::<Postgres>::new(url.clone()).wait(WAIT).connections(NonZeroU32::new(all).unwrap());
        check(&store.shared.connections, all as usize, expected).await;
        store.shared.connections.close().await;
        // The pool of an application has the same share.
        let pool = sqlx::postgres::PgPoolOptions::new().max_connections(all).connect(&url).await.unwrap();
        let store = DatabaseStore::<Postgres>::from_pool(pool.clone()).wait(WAIT);
        check(&store.shared.connections, all as usize, expected).await;
        pool.close().await;
    }
}
