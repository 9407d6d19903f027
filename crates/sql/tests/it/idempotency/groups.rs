//! Keys of groups with custom controllers, resources and inner middlewares.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use restwright::AfterAuthentication;
use restwright::Next;
use restwright::auth::Access;
use restwright::http::header::ETAG;
use restwright::http::{HeaderValue, HttpRequest, HttpResponse, Payload};
use restwright::prelude::*;
use restwright::testing::TestClient;
use restwright_resource::idempotency::Idempotency;
use restwright_resource::{Endpoints, EntityStore, Scope};
use restwright_sql::{SqlIdempotency, SqlStore};
use serde_json::json;
use uuid::Uuid;

use super::{Callers, Parcel, on_both, outcome};
use crate::databases::SqliteFile;

#[tokio::test]
async fn a_custom_controller_writes_in_a_separate_transaction() {
    on_both(async |database| {
        let store = SqlStore::new(database.url()).migrate();
        let count = Arc::new(AtomicUsize::new(0));
        let (own, counted) = (store.clone(), Arc::clone(&count));
        let send = Route::post("/sent").id("send").handler(async move |(): ()| {
            let number = counted.fetch_add(1, Ordering::SeqCst);
            let parcel = Parcel { id: Uuid::new_v4(), label: format!("sent {number}"), version: 0 };
            let parcel = EntityStore::<Parcel>::new(&own, &Scope::new()).insert(parcel).await?;
            if number == 0 {
                return Err(Problem::unavailable("the first time"));
            }
            Ok(Data(parcel.label))
        });
        let group = Group::new("")
            .access(Access::authenticated("key"))
            .middleware(Idempotency::new(SqlIdempotency::new(&store)))
            .controller(send);
        let parcels = Endpoints::<Parcel>::new(store.clone(), Access::authenticated("key"));
        let configuration = Configuration::new("shop", "1.0.0").authenticator("key", Callers);
        let api = Api::builder(configuration).group(group).module(&parcels).build().unwrap();
        api.start().await.unwrap();
        let client = TestClient::new(api).with_header("X-Caller", "ann");
        for expected in ["503", "200", "200 replay"] {
            let response = client.post("/sent").header("Idempotency-Key", "a").await;
            assert_eq!(outcome(&response), expected);
        }
        assert_eq!(count.load(Ordering::SeqCst), 2);
        client.api().stop().await;
    })
    .await;
}

/// Adds a header to a response, or turns the response into a stream.
#[derive(Clone)]
struct Around {
    makes_stream: bool,
}

impl Middleware for Around {
    async fn handle(&self, request: &mut HttpRequest, next: Next<'_>) -> Result<HttpResponse> {
        let mut response = next.run(request).await;
        response.insert_header(ETAG, HeaderValue::from_static("\"own\""));
        if self.makes_stream && response.status().is_success() {
            response.set_payload(Payload::stream(BodyPieces));
        }
        Ok(response)
    }
}

/// An empty stream.
struct BodyPieces;

impl futures_core::Stream for BodyPieces {
    type Item = std::result::Result<bytes::Bytes, Box<dyn std::error::Error>>;

    fn poll_next(
        self: std::pin::Pin<&mut Self>,
        _: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Self::Item>> {
        std::task::Poll::Ready(None)
    }
}

/// Returns a client of parcels in a store. An inner middleware runs within the middleware of the keys.
async fn client(parcels: &SqlStore, keys: &SqlStore, inner: Around) -> TestClient {
    let idempotency = Idempotency::new(SqlIdempotency::new(keys));
    let parcels = Endpoints::<Parcel>::new(parcels.clone(), Access::authenticated("key"));
    let configuration = Configuration::new("shop", "1.0.0").authenticator("key", Callers);
    let api = Api::builder(configuration).middleware(idempotency).middleware(AfterAuthentication(inner));
    let api = api.module(&parcels).build().unwrap();
    api.start().await.unwrap();
    TestClient::new(api).with_header("X-Caller", "ann").with_header("Idempotency-Key", "a")
}

#[tokio::test]
async fn changes_are_made_once_and_effects_of_inner_middlewares_are_stored() {
    on_both(async |database| {
        // The stores share a database, but have different settings.
        let (store, keys) = (SqlStore::new(database.url()).migrate(), SqlStore::new(database.url()).migrate());
        let keys = keys.statement_timeout(Duration::from_secs(3));
        let client = client(&store, &keys, Around { makes_stream: false }).await;
        let mut outcomes = Vec::new();
        for _ in 0..2 {
            let created = client.post("/parcels").json(&json!({"label": "one"})).await;
            created.assert_header("ETag", "\"own\"");
            outcomes.push(outcome(&created));
            let path = created.header("location").unwrap();
            for label in ["two", "three", "three"] {
                let request = client.patch(path).header("If-Match", "*");
                outcomes.push(outcome(&request.json(&json!({"label": label})).await));
            }
            assert_eq!(client.get(path).await.json::<serde_json::Value>()["data"]["label"], "two");
        }
        assert_eq!(outcomes, ["201", "200", "422", "422", "201 replay", "200 replay", "422", "422"]);
        client.api().stop().await;
    })
    .await;
}

#[tokio::test]
async fn rejects_a_stream_before_anything_is_committed() {
    on_both(async |database| {
        let store = SqlStore::new(database.url()).migrate();
        let client = client(&store, &store, Around { makes_stream: true }).await;
        let refused = client.post("/parcels").json(&json!({"label": "one"})).await;
        assert!(refused.assert_status(500).cause().unwrap().contains("put this middleware around"));
        let count = EntityStore::<Parcel>::new(&store, &Scope::new()).count(&()).await.unwrap();
        assert_eq!(count, 0);
        client.api().stop().await;
    })
    .await;
}

#[tokio::test]
async fn keys_in_another_database_are_stored_too() {
    on_both(async |database| {
        let file = SqliteFile::new();
        let (store, keys) = (SqlStore::new(file.url()).migrate(), SqlStore::new(database.url()).migrate());
        let client = client(&store, &keys, Around { makes_stream: false }).await;
        for expected in ["201", "201 replay"] {
            assert_eq!(outcome(&client.post("/parcels").json(&json!({"label": "one"})).await), expected);
        }
        client.api().stop().await;
    })
    .await;
}
