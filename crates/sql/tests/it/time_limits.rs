//! The time limits that PostgreSQL enforces.

use std::time::Duration;

use restwright_resource::Store;
use restwright_sql::{SqlStatements, SqlStore};

use crate::databases::PostgresSchema;

/// Returns the server's limits of statements and of idle transactions within a transaction of the store.
async fn limits(store: SqlStore) -> (String, String) {
    let mut transaction = store.begin().await.unwrap();
    let connection = transaction.postgres().unwrap();
    let sql = "SELECT current_setting('statement_timeout'), current_setting('idle_in_transaction_session_timeout')";
    sqlx::query_as(sql).fetch_one(connection).await.unwrap()
}

#[tokio::test]
async fn the_server_ends_statements_and_transactions_of_a_lost_client() {
    let Some(schema) = PostgresSchema::new().await else { return };
    let store = || schema.store().statement_timeout(Duration::from_secs(3));
    let expected = ("3s".to_owned(), "1min".to_owned());
    assert_eq!(limits(store()).await, expected, "a connection of the store");
    assert_eq!(limits(store().transaction_pooler()).await, expected, "a connection of a pooler");
    schema.drop().await;
}
