//! The round trips of a create to PostgreSQL, with a key and without.

use serde_json::json;

use super::Shop;
use crate::databases::PostgresSchema;
use crate::http::proxy;

#[tokio::test]
async fn a_create_with_a_key_takes_four_round_trips() {
    let Some(schema) = PostgresSchema::new().await else { return };
    let (url, statements) = proxy::start(&schema.url());
    let shop = Shop::at(&url, |keys| keys).await;
    // The first of each prepares its statements.
    shop.create("a", "one").await.assert_status(201);
    shop.client.post("/parcels").json(&json!({"label": "two"})).await.assert_status(201);

    statements.take();
    shop.create("b", "three").await.assert_status(201);
    let created = statements.take();
    let [begin, insert, keep, commit] = created.as_slice() else { panic!("{created:?}") };
    assert!(begin.starts_with("BEGIN ISOLATION LEVEL REPEATABLE READ; SET LOCAL lock_timeout = "), "{begin}");
    assert!(begin.contains("; INSERT INTO \"idempotency_keys\" "), "{begin}");
    assert_eq!([insert, keep, commit], ["execute", "execute", "COMMIT"]);

    // Sent again, the insert of the key fails, and the response is read.
    shop.create("b", "three").await.assert_header("Idempotency-Replayed", "true");
    assert_eq!(statements.take()[1..], ["ROLLBACK", "execute"]);

    // The hooks of the resource are in a transaction.
    shop.client.post("/parcels").json(&json!({"label": "four"})).await.assert_status(201);
    let without = statements.take();
    assert_eq!(without[1..], ["execute", "COMMIT"], "{without:?}");
    shop.stop().await;
    schema.drop().await;
}
