//! The round trips of a create to PostgreSQL, with and without a key.

use restwright::auth::Access;
use restwright::prelude::*;
use restwright::testing::TestClient;
use restwright_resource::Endpoints;
use restwright_resource::idempotency::Idempotency;
use restwright_sql::{SqlIdempotency, SqlStore};
use serde_json::json;
use sqlx::postgres::PgPoolOptions;

use super::{Callers, Parcel, Shop, outcome};
use crate::databases::PostgresSchema;
use crate::requests::proxy;

#[tokio::test]
async fn a_create_with_a_key_takes_four_round_trips() {
    let Some(schema) = PostgresSchema::new().await else { return };
    let (url, statements) = proxy::start(&schema.url());
    let shop = Shop::at(&url, |keys| keys).await;
    // The first request of each kind prepares its statements.
    shop.create("a", "one").await.assert_status(201);
    shop.client.post("/parcels").json(&json!({"label": "two"})).await.assert_status(201);

    statements.take();
    shop.create("b", "three").await.assert_status(201);
    let created = statements.take();
    let [begin, insert, keep, commit] = created.as_slice() else { panic!("{created:?}") };
    assert!(begin.starts_with("BEGIN ISOLATION LEVEL REPEATABLE READ; SET LOCAL lock_timeout = "), "{begin}");
    assert!(begin.contains("; INSERT INTO \"idempotency_keys\" "), "{begin}");
    assert_eq!([insert, keep, commit], ["execute", "execute", "COMMIT"]);

    // The insert of a repeated key fails, and the response is read.
    shop.create("b", "three").await.assert_header("Idempotency-Replayed", "true");
    assert_eq!(statements.take()[1..], ["ROLLBACK", "execute"]);

    // The hooks of the resource run in a transaction.
    shop.client.post("/parcels").json(&json!({"label": "four"})).await.assert_status(201);
    let without = statements.take();
    assert_eq!(without[1..], ["execute", "COMMIT"], "{without:?}");
    shop.stop().await;
    schema.drop().await;
}

#[tokio::test]
async fn a_replay_keeps_the_connection_of_the_applications_pool() {
    let Some(schema) = PostgresSchema::new().await else { return };
    let pool = PgPoolOptions::new().max_connections(1).connect(&schema.url()).await.unwrap();
    let store = SqlStore::from_postgres_pool(pool.clone()).migrate();
    let idempotency = Idempotency::new(SqlIdempotency::new(&store));
    let parcels = Endpoints::<Parcel>::new(store, Access::authenticated("key")).idempotency(idempotency);
    let configuration = Configuration::new("shop", "1.0.0").authenticator("key", Callers);
    let api = Api::builder(configuration).module(&parcels).build().unwrap();
    api.start().await.unwrap();
    let client = TestClient::new(api).with_header("X-Caller", "ann");
    let process = async || sqlx::query_scalar::<_, i32>("SELECT pg_backend_pid()").fetch_one(&pool).await.unwrap();
    let before = process().await;
    for expected in ["201", "201 replay", "201 replay"] {
        let request = client.post("/parcels").header("Idempotency-Key", "a").json(&json!({"label": "one"}));
        assert_eq!(outcome(&request.await), expected);
    }
    assert_eq!(process().await, before);
    client.api().stop().await;
    schema.drop().await;
}
