//! Slow lists and other statements.

use std::num::NonZeroU32;
use std::time::Duration;

use restwright_conformance::Specimen;
use restwright_core::Component;
use restwright_list::{Expression, SortBag, SortFields, ValueType, Window};
use restwright_resource::{
    EntityDefinition, IdentifierKind, ListQuery, Read, Repository, Statement, Store, StoreError,
};
use sqlx::Connection;

use crate::databases::PostgresSchema;

#[tokio::test]
async fn waiting_lists_do_not_block_views_and_writes() {
    let Some(schema) = PostgresSchema::new().await else { return };
    let named = |name: &'static str| EntityDefinition::new(name, "id", IdentifierKind::Given(ValueType::Integer));
    let (locked, free) = (named("locked"), named("free"));
    let store = schema.store().migrate().connections(NonZeroU32::new(2).unwrap()).wait(Duration::from_secs(1));
    [&locked, &free].into_iter().for_each(|definition| store.declare(definition).unwrap());
    store.start().await.unwrap();
    let mut other = sqlx::PgConnection::connect(&schema.url()).await.unwrap();
    let mut lock = other.begin().await.unwrap();
    sqlx::query("LOCK TABLE locked IN ACCESS EXCLUSIVE MODE").execute(&mut *lock).await.unwrap();

    let list = async || {
        let order = SortBag::among(&SortFields::by_identifier("id"), []).unwrap();
        let window = Window::seek(None, 10);
        let query = ListQuery::new(Expression::TRUE, &order, &window);
        Repository::list::<Specimen>(&store, Statement::new(&locked), &query).await.map(drop)
    };
    let others = async {
        // The lists have started.
        tokio::time::sleep(Duration::from_millis(100)).await;
        // A statement that waits for a connection fails after a second.
        for id in 0..20 {
            let read = Read::Exists { identifier: &id.into(), condition: &Expression::TRUE };
            assert_eq!(store.read(Statement::new(&free), read).await.unwrap().total, 0);
        }
        let transaction = store.begin().await.unwrap();
        store.commit(transaction).await.unwrap();
        // The second list times out before the first one ends.
        tokio::time::sleep(Duration::from_millis(1_200)).await;
        lock.rollback().await.unwrap();
    };
    let (first, second, ()) = tokio::join!(list(), list(), others);
    let outcomes = [first, second];
    assert_eq!(outcomes.iter().filter(|outcome| outcome.is_ok()).count(), 1, "{outcomes:?}");
    assert!(outcomes.iter().any(|outcome| matches!(outcome, Err(StoreError::Unavailable(_)))), "{outcomes:?}");
    Component::stop(&store).await;
    schema.drop().await;
}
