//! Errors of the memory, of the disk and of functions of the application while changes share a transaction of SQLite.

use std::future::Future;
use std::process::Command;

use futures_util::future::join_all;
use restwright::prelude::*;
use restwright_core::Component;
use restwright_resource::{EntityStore, Scope, Store};
use restwright_sql::{SqlStatements, SqlStore};
use rusqlite::Connection;
use rusqlite::functions::{Context, FunctionFlags};
use serde::{Deserialize, Serialize};
use tokio::signal::unix::{SignalKind, signal};
use uuid::Uuid;

use crate::databases::SqliteFile;
use crate::groups::groups;

/// A medal. The store generates its identifier, so its insert has no `RETURNING`. With `RETURNING`, SQLite could undo only the statement.
#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(path = "/medals")]
struct Medal {
    #[property(id)]
    id: Uuid,
    #[property(unique)]
    name: String,
    size: i64,
}

fn medal(name: &str) -> Medal {
    Medal { id: Uuid::nil(), name: name.to_owned(), size: 1 }
}

async fn started(file: &SqliteFile) -> SqlStore {
    let store = file.store().migrate();
    store.declare(&Medal::definition()).unwrap();
    store.start().await.unwrap();
    store
}

async fn insert(store: &SqlStore, name: &str) -> Result<Medal> {
    EntityStore::new(store, &Scope::new()).insert(medal(name)).await
}

async fn count(store: &SqlStore) -> u64 {
    EntityStore::<Medal>::new(store, &Scope::new()).count(&()).await.unwrap()
}

/// Creates medals that wait for the same transaction, and returns the status of each create.
async fn create_together(store: &SqlStore, medals: Vec<Medal>) -> Vec<u16> {
    let before = groups(store).0;
    let transaction = store.begin().await.unwrap();
    let create = async |medal| match EntityStore::new(store, &Scope::new()).insert(medal).await {
        Ok(_created) => 201,
        Err(problem) => problem.status().as_u16(),
    };
    let (statuses, ()) = tokio::join!(join_all(medals.into_iter().map(create)), async { drop(transaction) });
    assert_eq!(groups(store).0, before + 1, "the changes share a transaction");
    statuses
}

/// Returns `true` if SQLite ends the transaction in which a statement fails.
async fn ends_the_transaction(store: &SqlStore, failing: &'static str) -> bool {
    let run = move |connection: &mut Connection| {
        connection.execute_batch("BEGIN IMMEDIATE; INSERT INTO sizes VALUES (1)")?;
        connection.execute_batch(failing).unwrap_err();
        Ok(connection.is_autocommit())
    };
    store.with_sqlite(run).await.unwrap()
}

/// Runs a test in a separate process, because limits of memory and of files concern a whole process.
fn alone(test: &str, body: impl Future<Output = ()>) {
    restwright_tests::alone(&format!("group_failures::{test}"), || {
        tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(body);
    });
}

#[test]
fn a_change_without_enough_memory_does_not_undo_the_others() {
    alone("a_change_without_enough_memory_does_not_undo_the_others", async {
        let file = SqliteFile::new();
        let store = started(&file).await;
        // The index computes a string with twice as many characters as the size of the medal.
        let tables = "CREATE INDEX medals_size ON medals (length(hex(zeroblob(size))));
            CREATE TABLE sizes (size INTEGER); CREATE INDEX sizes_size ON sizes (length(hex(zeroblob(size))));
            PRAGMA hard_heap_limit = 50000000";
        store.with_sqlite(|connection| connection.execute_batch(tables)).await.unwrap();
        assert!(ends_the_transaction(&store, "INSERT INTO sizes VALUES (100000000)").await);

        let large = Medal { size: 100_000_000, ..medal("large") };
        let medals = vec![medal("one"), large.clone(), medal("two"), large, medal("one"), medal("three")];
        assert_eq!(create_together(&store, medals).await, [201, 503, 201, 503, 409, 201]);
        assert_eq!(count(&store).await, 3);
        insert(&store, "later").await.unwrap();
        store.stop().await;
    });
}

/// Sets the size in bytes beyond which this process cannot write to a file.
fn limit_files(size: &str) {
    let (process, limit) = (std::process::id().to_string(), format!("--fsize={size}:"));
    assert!(Command::new("prlimit").args(["--pid", &process, &limit]).status().unwrap().success());
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore)]
fn an_error_of_the_disk_concerns_the_changes_that_it_meets() {
    alone("an_error_of_the_disk_concerns_the_changes_that_it_meets", async {
        let file = SqliteFile::new();
        let store = started(&file).await;
        store.with_sqlite(|connection| connection.execute_batch("CREATE TABLE sizes (size)")).await.unwrap();
        // SIGXFSZ would end the process. With a handler, the write fails, and SQLite reports an I/O error.
        let _handler = signal(SignalKind::from_raw(25)).unwrap();

        // A value that is larger than the cache is written before the commit, so the statement fails.
        limit_files("2000000");
        assert!(ends_the_transaction(&store, "INSERT INTO sizes VALUES (zeroblob(8000000))").await);
        let large = medal(&"large".repeat(2_000_000));
        let medals = vec![medal("one"), large.clone(), medal("two"), large, medal("one"), medal("three")];
        assert_eq!(create_together(&store, medals).await, [201, 503, 201, 503, 409, 201]);
        assert_eq!(count(&store).await, 3);

        // Every commit fails.
        limit_files("0");
        assert_eq!(create_together(&store, vec![medal("four"), medal("five"), medal("one")]).await, [503; 3]);
        assert_eq!(insert(&store, "six").await.unwrap_err().status().as_u16(), 503);
        assert_eq!(count(&store).await, 3);

        limit_files("unlimited");
        assert_eq!(create_together(&store, vec![medal("four"), medal("five"), medal("one")]).await, [201, 201, 409]);
        assert_eq!(count(&store).await, 5);
        store.stop().await;
    });
}

/// Runs code on the connection that changes rows.
async fn on_writer(store: &SqlStore, run: impl FnOnce(&mut Connection) -> rusqlite::Result<()> + Send + 'static) {
    let mut transaction = store.begin().await.unwrap();
    transaction.with_sqlite(run).await.unwrap();
    store.commit(transaction).await.unwrap();
}

#[tokio::test]
async fn a_function_that_panics_fails_one_change() {
    let file = SqliteFile::new();
    let store = started(&file).await;
    on_writer(&store, |connection| {
        let check = |_: &Context<'_>| -> rusqlite::Result<i64> { panic!("of the application") };
        connection.create_scalar_function("check_medal", 1, FunctionFlags::default(), check)?;
        connection.execute_batch(
            "CREATE TRIGGER check_medals BEFORE INSERT ON medals WHEN NEW.size = 7 BEGIN SELECT check_medal(NEW.name); END",
        )
    })
    .await;
    let checked = |name: &str| Medal { size: 7, ..medal(name) };
    let medals = vec![medal("one"), checked("a"), medal("two"), checked("b"), medal("one"), medal("three")];
    assert_eq!(create_together(&store, medals).await, [201, 500, 201, 500, 409, 201]);
    assert_eq!(count(&store).await, 3);
    assert_eq!(create_together(&store, vec![checked("a"), checked("b")]).await, [500; 2]);
    insert(&store, "later").await.unwrap();
    assert_eq!(count(&store).await, 4);
    store.stop().await;
}

#[tokio::test]
async fn hooks_that_panic_do_not_affect_changes() {
    let file = SqliteFile::new();
    let store = started(&file).await;
    on_writer(&store, |connection| {
        connection.update_hook(Some(|_, _: &str, _: &str, _| panic!("of the application")))?;
        connection.commit_hook(Some(|| panic!("of the application")))?;
        connection.rollback_hook(Some(|| panic!("of the application")))
    })
    .await;
    let medals = vec![medal("one"), medal("two"), medal("one"), medal("three")];
    assert_eq!(create_together(&store, medals).await, [201, 201, 409, 201]);
    drop(store.begin().await.unwrap());
    insert(&store, "later").await.unwrap();
    assert_eq!(count(&store).await, 4);
    store.stop().await;
}
