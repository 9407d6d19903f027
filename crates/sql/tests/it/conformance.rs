//! Runs the conformance suite on tables that the stores create.

use restwright_resource::{Resource, Store};
use std::cell::{Cell, RefCell};
use std::num::NonZeroU32;
use std::time::Duration;

use restwright_conformance::{definitions, store_conformance};
use restwright_core::Component;
use restwright_sql::SqlStore;
use tokio::task::JoinSet;

use crate::databases::{PostgresSchema, SqliteFile};
use crate::groups::{self, Coin};

/// The minimum number of cases in the suite.
const CASES: usize = 60;

/// In some cases, a second writer waits in vain. The wait is short to save time.
pub(crate) const WAIT: Duration = Duration::from_millis(300);

async fn passes<S: Store>(make: impl AsyncFn() -> S) {
    let cases = store_conformance(make).await.unwrap();
    assert!(cases.len() >= CASES, "{} cases", cases.len());
}

pub(crate) async fn start(store: &SqlStore) {
    definitions().iter().for_each(|definition| store.declare(definition).unwrap());
    store.start().await.unwrap();
}

#[tokio::test]
async fn sqlite_passes_the_suite() {
    let files = RefCell::new(Vec::new());
    let make = async || {
        let file = SqliteFile::new();
        let store = file.store().wait(WAIT).migrate();
        files.borrow_mut().push(file);
        start(&store).await;
        store
    };
    passes(make).await;
}

/// Runs the suite while 63 other writers create rows of another table. The changes of the suite share transactions with their creates.
#[tokio::test]
#[ignore = "it takes longer than the others, and the gate runs it"]
async fn the_suite_passes_among_64_writers() {
    let (files, running) = (RefCell::new(Vec::new()), RefCell::new(None::<(SqlStore, JoinSet<()>)>));
    let (groups, changes) = (Cell::new(0), Cell::new(0));
    let end = async || {
        let Some((store, mut writers)) = running.take() else { return };
        writers.shutdown().await;
        let counted = groups::groups(&store);
        groups.set(groups.get() + counted.0);
        changes.set(changes.get() + counted.1);
        store.stop().await;
    };
    let make = async || {
        end().await;
        let file = SqliteFile::new();
        let store = file.store().wait(WAIT * 5).migrate();
        files.borrow_mut().push(file);
        store.declare(&Coin::definition()).unwrap();
        start(&store).await;
        let mut writers = JoinSet::new();
        for writer in 0..63 {
            let store = store.clone();
            writers.spawn(async move {
                for number in 0.. {
                    // Fails if a transaction of the suite lasts too long.
                    let _ = groups::insert(&store, &format!("{writer} {number}")).await;
                }
            });
        }
        running.replace(Some((store.clone(), writers)));
        store
    };
    passes(make).await;
    end().await;
    let (groups, changes) = (groups.get(), changes.get());
    assert!(changes > groups * 2, "{groups} groups of {changes} changes");
}

/// Runs the suite on one store whose tables are emptied for each case, which is much faster than creating them.
pub(crate) async fn postgres_passes(schema: &PostgresSchema, store: SqlStore) {
    let store = store.wait(WAIT * 2).connections(NonZeroU32::new(3).unwrap()).migrate();
    start(&store).await;
    let tables: Vec<_> =
        definitions().iter().map(|definition| format!("{}.{}", schema.name, definition.name())).collect();
    let empty = format!("TRUNCATE {} RESTART IDENTITY CASCADE", tables.join(", "));
    let make = async || {
        schema.run(&empty).await;
        store.clone()
    };
    passes(make).await;
    store.stop().await;
}

#[tokio::test]
#[ignore = "it takes longer than the others, and the gate runs it"]
async fn postgres_passes_the_suite() {
    let Some(schema) = PostgresSchema::new().await else { return };
    postgres_passes(&schema, schema.store()).await;
    schema.drop().await;
}
