//! Files of SQLite that cannot be opened or written.

use restwright_core::Component;
use restwright_sql::{SqlStore, StorePart};

use crate::databases::SqliteFile;

/// Returns the error of a start.
async fn start(store: &SqlStore) -> String {
    store.start().await.err().map(|error| error.to_string()).unwrap_or_default()
}

#[tokio::test]
async fn the_error_of_an_unwritable_folder_names_the_file() {
    for file in ["/proc/animals.db", "/nowhere/at/all/animals.db"] {
        let error = start(&SqlStore::new(format!("sqlite://{file}"))).await;
        assert!(error.contains(&format!("`{file}`")) && error.contains("unable to open"), "{error}");
    }
}

#[tokio::test]
async fn the_error_of_a_read_only_file_names_it_unless_only_reads_are_required() {
    let file = SqliteFile::new();
    let writable = file.store();
    writable.start().await.unwrap();
    let store = SqlStore::new(format!("{}?mode=ro", file.url()));
    let error = start(&store).await;
    let name = file.url().replace("sqlite://", "");
    assert!(error.contains(&format!("`{name}`")) && error.contains("readonly"), "{error}");
    assert_eq!(start(&store.requires([StorePart::Reads])).await, "");
    writable.stop().await;
}
