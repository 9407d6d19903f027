//! Statements on rows in memory, next to `MemoryStore`.

use jiff::Timestamp;
use restwright_list::{Expression, ValueType};
use restwright_resource::{
    Change, EntityDefinition, EntityStore, FieldDefinition, IdentifierKind, MemoryStore, Read, Row, Scope, Statement,
    Store, StoreError, Transaction, Version,
};

use crate::map_store::MapStore;
use crate::per_caller::Note;

fn notes() -> EntityDefinition {
    EntityDefinition::new("notes", "id", IdentifierKind::Given(ValueType::Integer))
        .field(FieldDefinition::new("tenant", ValueType::Integer))
        .field(FieldDefinition::new("title", ValueType::Text).unique())
        .field(FieldDefinition::new("deleted", ValueType::DateTime).nullable().deleted_at())
}

fn note(id: i64, title: &str) -> Row {
    Row::new(&notes()).with("id", id).with("tenant", 1).with("title", title)
}

/// A deleted entity stays until it is restored, and its unique value is free.
async fn deletes_and_restores(store: &dyn Store) -> Vec<String> {
    let (notes, now) = (notes(), Timestamp::constant(1_700_000_000, 0));
    let statement = || Statement::new(&notes).at(now);
    let mut outcomes = Vec::new();
    let mut note_outcome = |outcome: Result<String, StoreError>| {
        outcomes.push(outcome.unwrap_or_else(|error| error.to_string()));
    };
    let delete = |expected| Change::Delete { identifier: 1.into(), expected };
    let shown =
        |row: Option<_>| format!("{:?}", row.map(|row: restwright_resource::Versioned<Row>| row.entity.to_json()));
    note_outcome(store.write(statement(), Change::Insert(note(1, "a"))).await.map(shown));
    note_outcome(store.write(statement(), delete(Some(Version::new(1)))).await.map(shown));
    note_outcome(store.write(statement(), delete(None)).await.map(shown));
    note_outcome(store.write(statement(), delete(None)).await.map(shown));
    note_outcome(store.write(statement().with_deleted(), delete(None)).await.map(shown));
    note_outcome(store.read(statement(), Read::Count(&Expression::TRUE)).await.map(|read| read.total.to_string()));
    let all = store.read(statement().with_deleted(), Read::Find(&1.into())).await;
    note_outcome(all.map(|mut read| shown(read.rows.items.pop())));
    note_outcome(store.write(statement(), Change::Insert(note(2, "a"))).await.map(shown));
    let restored = Change::Update { row: note(1, "a"), expected: None };
    note_outcome(store.write(statement().with_deleted(), restored).await.map(shown));
    let restored = Change::Update { row: note(1, "b"), expected: None };
    note_outcome(store.write(statement().with_deleted(), restored).await.map(shown));
    note_outcome(store.read(statement(), Read::Count(&Expression::TRUE)).await.map(|read| read.total.to_string()));
    outcomes
}

#[tokio::test]
async fn a_deleted_entity_stays_as_in_a_memory_store() {
    let (own, memory) = (MapStore::default(), MemoryStore::new());
    memory.declare(&notes()).unwrap();
    let outcomes = deletes_and_restores(&own).await;
    assert_eq!(outcomes, deletes_and_restores(&memory).await);
    assert!(outcomes[6].contains("2023-11-14"), "{outcomes:#?}");
}

/// An entity of another scope is missing, with any version.
#[tokio::test]
async fn a_moved_entity_is_missing_before_its_version_is_compared() {
    let definition = EntityDefinition::new("notes", "id", IdentifierKind::Integer)
        .field(FieldDefinition::new("tenant", ValueType::Integer).scope());
    let scope = Scope::new().with("tenant", 1);
    let memory = MemoryStore::new();
    memory.declare(&definition).unwrap();
    for store in [&MapStore::default() as &dyn Store, &memory] {
        let inserted = store.write(Statement::new(&definition).scoped(&scope), Change::Insert(Row::new(&definition)));
        let id = inserted.await.unwrap().unwrap().entity.value("id").into_owned();
        let row = Row::new(&definition).with("id", id).with("tenant", 2);
        let moved = Change::Update { row, expected: Some(Version::new(-1)) };
        let outcome = store.write(Statement::new(&definition), moved).await;
        assert!(matches!(outcome, Err(StoreError::NotFound)), "{outcome:?}");
    }
}

#[tokio::test]
async fn a_store_without_transactions_rejects_the_transaction_of_another_store() {
    let (store, definition) = (MapStore::default(), notes());
    let mut transaction = Transaction::new(());
    let written = store.write(Statement::new(&definition).within(&mut transaction), Change::Insert(note(1, "a"))).await;
    assert!(written.unwrap_err().to_string().contains("the store has no transactions"));
    let read = store.read(Statement::new(&definition).within(&mut transaction), Read::Count(&Expression::TRUE)).await;
    assert!(read.unwrap_err().to_string().contains("the store has no transactions"));
    assert_eq!(store.read(Statement::new(&definition), Read::Count(&Expression::TRUE)).await.unwrap().total, 0);
}

#[tokio::test]
async fn an_entity_store_names_the_store_without_transactions() {
    let (store, scope) = (MapStore::default(), Scope::new());
    let mut transaction = MemoryStore::new().begin().await.unwrap();
    let counted = EntityStore::<Note>::new(&store, &scope).within(&mut transaction).count(&()).await.unwrap_err();
    let error = std::error::Error::source(&counted).map(ToString::to_string).unwrap_or_default();
    assert!(error.contains("the store of `notes` has no transactions"), "{error}");
    assert_eq!(EntityStore::<Note>::new(&store, &scope).count(&()).await.unwrap(), 0);
}
