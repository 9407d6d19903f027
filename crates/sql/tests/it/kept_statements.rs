//! Prepared statements that a connection keeps.

use restwright_conformance::Specimen;
use restwright_core::Component;
use restwright_list::{Comparison, Expression, SortBag, SortFields, Value, ValueType, Window};
use restwright_resource::{EntityDefinition, IdentifierKind, ListQuery, Repository, Statement, Store};
use restwright_sql::SqlStatements;
use sqlx::Connection as _;

use crate::databases::PostgresSchema;

/// The numbers of conditions. A statement also contains up to one value for its limit.
const CONDITIONS: [usize; 4] = [10, 257, 250, 300];

fn definition() -> EntityDefinition {
    EntityDefinition::new("numbers", "id", IdentifierKind::Given(ValueType::Integer))
}

/// Runs lists whose filters contain this number of conditions, and returns how many more statements the connection keeps after each.
async fn kept(store: &dyn Store, conditions: &[usize]) -> Vec<usize> {
    let definition = definition();
    let order = SortBag::among(&SortFields::by_identifier("id"), []).unwrap();
    let window = Window::seek(None, 10);
    let mut transaction = store.begin().await.unwrap();
    let mut kept = Vec::new();
    for number in conditions {
        let before = transaction.postgres().unwrap().cached_statements_size();
        let each = (0..*number).map(|id| Expression::condition("id", Comparison::Ne(Value::Integer(id as i128))));
        let query = ListQuery::new(each.fold(Expression::TRUE, Expression::and), &order, &window);
        let statement = Statement::new(&definition).within(&mut transaction);
        store.list::<Specimen>(statement, &query).await.unwrap();
        kept.push(transaction.postgres().unwrap().cached_statements_size() - before);
    }
    store.commit(transaction).await.unwrap();
    kept
}

#[tokio::test]
async fn a_statement_with_more_than_256_values_is_not_kept() {
    let Some(schema) = PostgresSchema::new().await else { return };
    let store = schema.store().migrate();
    store.declare(&definition()).unwrap();
    store.start().await.unwrap();
    assert_eq!(kept(&store, &CONDITIONS).await, [1, 0, 1, 0]);
    Component::stop(&store).await;
    schema.drop().await;
}
