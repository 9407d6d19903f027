//! Runs the suite of stores on SQLite files.

use restwright_conformance::{definitions, store_conformance};
use restwright_core::Component;
use restwright_sql::SqlStore;

#[tokio::test]
async fn sqlite_passes_the_suite() {
    let folder = tempfile::tempdir().unwrap();
    let number = std::cell::Cell::new(0);
    let make = async || {
        number.set(number.get() + 1);
        let file = folder.path().join(format!("{}.db", number.get()));
        let store = SqlStore::new(format!("sqlite://{}", file.display())).migrate();
        definitions().iter().for_each(|definition| store.declare(definition).unwrap());
        store.start().await.unwrap();
        store
    };
    let cases = store_conformance(make).await.unwrap();
    println!("{} cases on SQLite {}", cases.len(), rusqlite::version());
    assert!(cases.len() >= 60, "{} cases", cases.len());
}

#[tokio::test]
async fn code_of_the_application_has_a_connection_of_rusqlite() {
    let store = SqlStore::new("sqlite::memory:");
    let sum = store.with_sqlite(|connection| connection.query_row("SELECT 1 + 1", [], |row| row.get::<_, i64>(0)));
    assert_eq!(sum.await.unwrap(), 2);
}
