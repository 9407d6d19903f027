//! Runs the conformance suite on tables that the stores create.

use restwright_resource::Store;
use std::cell::RefCell;
use std::num::NonZeroU32;
use std::time::Duration;

use restwright_conformance::{definitions, store_conformance};
use restwright_core::Component;
use restwright_sql::SqlStore;

use crate::databases::{PostgresSchema, SqliteFile};

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
