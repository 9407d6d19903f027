//! Backups of a SQLite file while the store writes to it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::Duration;

use restwright_conformance::Specimen;
use restwright_core::Component;
use restwright_list::ValueType;
use restwright_resource::{EntityDefinition, FieldDefinition, IdentifierKind, Repository, Statement};
use sqlx::sqlite::SqliteConnection;
use sqlx::{AssertSqlSafe, Connection, Row};

use crate::databases::SqliteFile;

fn pets() -> EntityDefinition {
    EntityDefinition::new("pets", "id", IdentifierKind::Integer)
        .field(FieldDefinition::new("text", ValueType::Text).nullable())
}

#[tokio::test]
async fn a_backup_contains_every_acknowledged_write() {
    let file = SqliteFile::new();
    let store = file.store().migrate();
    store.declare(&pets()).unwrap();
    store.start().await.unwrap();
    let (last, is_over) = (Arc::new(AtomicI64::new(0)), Arc::new(AtomicBool::new(false)));
    let writing = tokio::spawn({
        let (store, last, is_over) = (store.clone(), last.clone(), is_over.clone());
        async move {
            let definition = pets();
            while !is_over.load(Ordering::Relaxed) {
                let statement = Statement::new(&definition);
                let inserted = Repository::insert::<Specimen>(&store, statement, Specimen::default()).await.unwrap();
                last.store(inserted.entity.id, Ordering::SeqCst);
            }
        }
    });
    let mut connection = SqliteConnection::connect(&file.url()).await.unwrap();
    for _ in 0..5 {
        tokio::time::sleep(Duration::from_millis(50)).await;
        let acknowledged = last.load(Ordering::SeqCst);
        let copy = SqliteFile::new();
        let path = copy.url().replace("sqlite://", "");
        let sql = AssertSqlSafe(format!("VACUUM INTO '{path}'"));
        sqlx::query(sql).execute(&mut connection).await.unwrap();
        let mut copied = SqliteConnection::connect(&copy.url()).await.unwrap();
        let state: String = sqlx::query("PRAGMA integrity_check").fetch_one(&mut copied).await.unwrap().get(0);
        let sql = "SELECT count(*) FROM pets WHERE id <= ?";
        let rows: i64 = sqlx::query(sql).bind(acknowledged).fetch_one(&mut copied).await.unwrap().get(0);
        assert_eq!((state.as_str(), rows), ("ok", acknowledged));
        copied.close().await.unwrap();
    }
    is_over.store(true, Ordering::Relaxed);
    writing.await.unwrap();
    assert!(last.load(Ordering::SeqCst) > 5, "the store writes during the backups");
    store.stop().await;
}
