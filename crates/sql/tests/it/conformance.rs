//! The suite that every store passes, on tables of the stores' own making.

use std::cell::RefCell;
use std::time::Duration;

use restwright_core::Component;
use restwright_resource::Repository;
use restwright_resource::conformance::{Specimen, definitions, store_conformance};
use restwright_sql::{DatabaseStore, Dialect, SqlStore};

use crate::databases::{PostgresSchema, SqliteFile};

/// The smallest number of the suite's cases.
const CASES: usize = 440;

/// A case of one writer waits for it in vain.
const WAIT: Duration = Duration::from_millis(300);

async fn passes<S: Repository<Specimen>>(make: impl AsyncFn() -> S) {
    let cases = store_conformance(make).await.unwrap();
    assert!(cases.len() >= CASES, "{} cases", cases.len());
}

async fn start<D: Dialect>(store: &DatabaseStore<D>) {
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

#[tokio::test]
async fn postgres_passes_the_suite() {
    let schemas = RefCell::new(Vec::new());
    let Some(first) = PostgresSchema::new().await else { return };
    first.drop().await;
    let make = async || {
        let schema = PostgresSchema::new().await.unwrap();
        let store = schema.store().wait(WAIT * 2).migrate();
        schemas.borrow_mut().push(schema);
        start(&store).await;
        store
    };
    passes(make).await;
    for schema in schemas.into_inner() {
        schema.drop().await;
    }
}

#[tokio::test]
async fn either_passes_the_suite_by_its_url() {
    let files = RefCell::new(Vec::new());
    let make = async || {
        let file = SqliteFile::new();
        let store = SqlStore::new(file.url()).wait(WAIT).migrate();
        files.borrow_mut().push(file);
        start(store.sqlite().unwrap()).await;
        store
    };
    passes(make).await;
}
