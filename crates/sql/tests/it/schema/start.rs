use restwright_core::Component;
use restwright_resource::conformance::definitions;
use restwright_sql::{DatabaseStore, Dialect};

use crate::databases::{PostgresSchema, SqliteFile};

fn declare<D: Dialect>(store: DatabaseStore<D>) -> DatabaseStore<D> {
    for definition in definitions() {
        store.declare(&definition).unwrap();
    }
    store
}

#[tokio::test]
async fn a_migration_creates_the_tables_of_the_suite() {
    let file = SqliteFile::new();
    let store = declare(file.store().migrate());
    println!("{}", store.ddl());
    store.start().await.unwrap();
    store.start().await.unwrap();
    store.stop().await;
    let Some(schema) = PostgresSchema::new().await else { return };
    let store = declare(schema.store().migrate());
    println!("{}", store.ddl());
    store.start().await.unwrap();
    store.start().await.unwrap();
    store.stop().await;
    schema.drop().await;
}
