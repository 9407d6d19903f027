//! Requests with a key that change one entity of a resource without hooks. Their change is written at the end, together with the key and the response.

use std::collections::BTreeSet;
use std::rc::Rc;
use std::time::Duration;

use futures_util::future::join_all;
use jiff::Timestamp;
use restwright::auth::Access;
use restwright::prelude::*;
use restwright::testing::{TestClient, TestResponse};
use restwright_core::Clock;
use restwright_resource::Endpoints;
use restwright_resource::idempotency::Idempotency;
use restwright_sql::{SqlIdempotency, SqlStore};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{Callers, Database, Parcel, on_both, outcome};
use crate::databases::{PostgresSchema, SqliteFile};
use crate::measured::value;
use crate::requests::proxy;

/// A process that stores parcels without hooks.
struct Plain {
    client: TestClient,
    clock: Clock,
}

impl Plain {
    async fn new(database: &Database) -> Self {
        Self::at(&database.url(), None).await
    }

    /// Stores the keys in `keys`, or by default in the database of the parcels.
    async fn at(url: &str, keys: Option<&str>) -> Self {
        let store = SqlStore::new(url).migrate();
        let keys = keys.map_or_else(|| store.clone(), |keys| SqlStore::new(keys).migrate());
        Self::of(store, &keys).await
    }

    async fn of(store: SqlStore, keys: &SqlStore) -> Self {
        let clock = Clock::manual(1_800_000_000);
        let idempotency = Idempotency::new(SqlIdempotency::new(keys).max_response_bytes(2_000));
        let parcels = Endpoints::<Parcel>::new(store, Access::authenticated("key")).idempotency(idempotency);
        let configuration = Configuration::new("shop", "1.0.0").authenticator("key", Callers).clock(clock.clone());
        let api = Api::builder(configuration).module(&parcels).build().unwrap();
        api.start().await.unwrap();
        Self { client: TestClient::new(api).with_header("X-Caller", "ann"), clock }
    }

    async fn create(&self, key: &str, label: &str) -> TestResponse {
        let request = self.client.post("/parcels").header("Idempotency-Key", key);
        let response = request.json(&json!({"label": label})).await;
        response.assert_documented();
        response
    }

    async fn rename(&self, key: &str, path: &str, label: &str, condition: Option<&str>) -> TestResponse {
        let request = self.client.patch(path).header("Idempotency-Key", key);
        let request = condition.into_iter().fold(request, |request, tag| request.header("If-Match", tag));
        let response = request.json(&json!({"label": label})).await;
        response.assert_documented();
        response
    }

    async fn labels(&self) -> BTreeSet<String> {
        let page: Value = self.client.get("/parcels?limit=100").await.assert_status(200).json();
        let label = |parcel: &Value| parcel["label"].as_str().unwrap().to_owned();
        page["data"].as_array().unwrap().iter().map(label).collect()
    }

    async fn stop(self) {
        self.client.api().stop().await;
    }
}

#[tokio::test]
async fn creates_and_changes_are_made_once() {
    on_both(async |database| {
        let shop = Plain::new(database).await;
        let created = shop.create("a", "one").await;
        let (path, tag) = (created.header("location").unwrap(), created.header("etag").unwrap());
        let replayed = shop.create("a", "one").await;
        assert_eq!([outcome(&created), outcome(&replayed)], ["201", "201 replay"]);
        for name in ["location", "etag", "content-type"] {
            assert_eq!(replayed.header(name), created.header(name), "{name}");
        }
        assert_eq!(replayed.json::<Value>(), created.json::<Value>());
        assert_eq!(shop.client.get(path).await.header("etag"), Some(tag));

        let steps = [
            ("another body", shop.create("a", "two").await, "422"),
            ("a conflict", shop.create("b", "one").await, "409"),
            ("a conflict", shop.create("b", "one").await, "409 replay"),
            ("an update", shop.rename("c", path, "two", Some(tag)).await, "200"),
            ("an update", shop.rename("c", path, "two", Some(tag)).await, "200 replay"),
            ("a stale version", shop.rename("d", path, "three", Some(tag)).await, "412"),
            ("a stale version", shop.rename("d", path, "three", Some(tag)).await, "412"),
            (
                "an entity that is missing",
                shop.rename("e", "/parcels/0193e1a7-7a44-7000-8000-000000000000", "three", None).await,
                "404",
            ),
            ("an invalid body", shop.create("f", "").await, "422"),
            ("its key", shop.create("f", "four").await, "201"),
            ("a conflict of an update", shop.rename("g", path, "four", None).await, "409"),
        ];
        for (what, response, expected) in steps {
            assert_eq!(outcome(&response), expected, "{what}");
        }
        assert_eq!(shop.labels().await, ["four", "two"].map(str::to_owned).into());
        shop.stop().await;
    })
    .await;
}

/// A sender of letters.
#[derive(Clone, Serialize, Deserialize, Resource)]
#[resource(path = "/senders")]
struct Sender {
    #[property(id)]
    id: i64,
    name: String,
    #[property(deleted_at)]
    left_at: Option<Timestamp>,
}

/// A letter, whose identifier the database generates.
#[derive(Clone, Serialize, Deserialize, Resource)]
#[resource(path = "/letters", search(subject))]
struct Letter {
    #[property(id)]
    id: i64,
    /// The store checks the reference, because a sender may be marked as deleted.
    #[property(references(Sender))]
    sender_id: Option<i64>,
    #[property(references(Parcel))]
    parcel_id: Option<Uuid>,
    #[property(unique)]
    subject: String,
}

/// Sends the same requests with and without keys, on tables whose changes need a transaction or return what the database generates.
#[tokio::test]
async fn a_key_changes_no_response() {
    on_both(async |database| {
        let store = SqlStore::new(database.url()).migrate();
        let idempotency = || Idempotency::new(SqlIdempotency::new(&store));
        let access = || Access::authenticated("key");
        let configuration = Configuration::new("post", "1.0.0").authenticator("key", Callers);
        let parcels = Endpoints::<Parcel>::new(store.clone(), access()).idempotency(idempotency());
        let senders = Endpoints::<Sender>::new(store.clone(), access()).idempotency(idempotency());
        let letters = Endpoints::<Letter>::new(store.clone(), access()).idempotency(idempotency());
        let api = Api::builder(configuration).module(&parcels).module(&senders).module(&letters).build().unwrap();
        api.start().await.unwrap();
        let client = TestClient::new(api).with_header("X-Caller", "ann");
        let (mut number, mut outcomes) = (0, Vec::new());
        for key in [None, Some("key")] {
            let mut send = async |method: &str, path: &str, body: Value| {
                let request = if method == "POST" { client.post(path) } else { client.patch(path) };
                number += 1;
                let request = match key {
                    Some(key) => request.header("Idempotency-Key", format!("{key}-{number}")),
                    None => request,
                };
                request.json(&body).await
            };
            let parcel = send("POST", "/parcels", json!({"label": format!("{key:?}")})).await;
            let parcel = parcel.json::<Value>()["data"]["id"].clone();
            let sender = send("POST", "/senders", json!({"name": "Ann"})).await.json::<Value>()["data"]["id"].clone();
            let gone = send("POST", "/senders", json!({"name": "Bob"})).await.header("location").unwrap().to_owned();
            client.delete(&gone).await.assert_status(204);
            let gone = gone.rsplit('/').next().unwrap().parse::<i64>().unwrap();
            let subject = |subject: &str| format!("{subject} {key:?}");
            let first = json!({"sender_id": sender, "parcel_id": parcel, "subject": subject("Straße")});
            let created = send("POST", "/letters", first.clone()).await;
            let path = created.header("location").unwrap().to_owned();
            let missing = json!("0193e1a7-7a44-7000-8000-000000000000");
            let responses = [
                created,
                send("POST", "/letters", first).await,
                send("POST", "/letters", json!({"subject": subject("b"), "sender_id": gone})).await,
                send("POST", "/letters", json!({"subject": subject("b"), "parcel_id": missing})).await,
                send("POST", "/letters", json!({"subject": subject("b")})).await,
                send("PATCH", &path, json!({"subject": subject("c")})).await,
                send("PATCH", &path, json!({"subject": subject("b")})).await,
                send("PATCH", &path, json!({"sender_id": gone})).await,
                send("PATCH", &path, json!({"parcel_id": missing, "sender_id": null})).await,
                send("PATCH", "/letters/999999", json!({"subject": subject("d")})).await,
            ];
            let found: Value = client.get(format!("/letters?q={}", subject("C"))).await.json();
            outcomes.push(responses.map(|response| {
                response.assert_documented();
                let body: Value = response.json();
                (response.status().as_u16(), body["code"].clone(), body["violations"].clone())
            }));
            assert_eq!(found["data"][0]["subject"], subject("c"), "{found}");
        }
        assert_eq!(outcomes[0], outcomes[1]);
        let statuses = [201, 409, 422, 422, 201, 200, 409, 422, 422, 404];
        assert_eq!(outcomes[0].each_ref().map(|(status, ..)| *status), statuses);
        client.api().stop().await;
    })
    .await;
}

#[tokio::test]
async fn a_large_response_is_sent_but_not_stored() {
    on_both(async |database| {
        let shop = Plain::new(database).await;
        let label = "x".repeat(3_000);
        let outcomes = [shop.create("a", &label).await, shop.create("a", &label).await];
        assert_eq!(outcomes.map(|response| outcome(&response)), ["201", "409"]);
        shop.stop().await;
    })
    .await;
}

#[tokio::test]
async fn keys_in_another_database_are_stored_after_the_change() {
    on_both(async |database| {
        let file = SqliteFile::new();
        for (url, keys) in [(file.url(), database.url()), (database.url(), file.url())] {
            let shop = Plain::at(&url, Some(&keys)).await;
            let path = shop.create("a", "one").await.header("location").unwrap().to_owned();
            let outcomes = [
                shop.create("a", "one").await,
                shop.rename("b", &path, "two", None).await,
                shop.rename("b", &path, "two", None).await,
            ];
            assert_eq!(outcomes.map(|response| outcome(&response)), ["201 replay", "200", "200 replay"]);
            shop.stop().await;
        }
    })
    .await;
}

#[tokio::test]
async fn an_expired_key_is_used_again() {
    on_both(async |database| {
        let shop = Plain::new(database).await;
        shop.create("a", "one").await.assert_status(201);
        shop.clock.advance(Duration::from_hours(25));
        assert_eq!(outcome(&shop.create("a", "two").await), "201");
        assert_eq!(outcome(&shop.create("a", "two").await), "201 replay");
        shop.stop().await;
    })
    .await;
}

/// Several processes receive the same requests at the same time.
#[tokio::test]
async fn one_of_several_requests_in_two_processes_is_executed() {
    on_both(async |database| {
        let shops = Rc::new([Plain::new(database).await, Plain::new(database).await]);
        for round in 0..10 {
            let (key, label) = (format!("key-{round}"), format!("label {round}"));
            let sent = (0..8).map(|number| {
                let (shops, key, label) = (Rc::clone(&shops), key.clone(), label.clone());
                async move { outcome(&shops[number % 2].create(&key, &label).await) }
            });
            let outcomes = join_all(sent).await;
            let count = |wanted: &str| outcomes.iter().filter(|outcome| *outcome == wanted).count();
            assert_eq!((count("201"), count("201 replay")), (1, 7), "{outcomes:?}");
        }
        assert_eq!(shops[0].labels().await.len(), 10);
        for shop in Rc::into_inner(shops).unwrap() {
            shop.stop().await;
        }
    })
    .await;
}

#[tokio::test]
async fn concurrent_changes_of_one_entity_are_all_made() {
    on_both(async |database| {
        let shop = Plain::new(database).await;
        let path = shop.create("new", "first").await.header("location").unwrap().to_owned();
        let sent = (0..24).map(|number| shop.rename_to(number, &path));
        assert_eq!(join_all(sent).await, vec!["200"; 24]);
        let again = (0..24).map(|number| shop.rename_to(number, &path));
        assert_eq!(join_all(again).await, vec!["200 replay"; 24]);
        shop.stop().await;
    })
    .await;
}

impl Plain {
    async fn rename_to(&self, number: usize, path: &str) -> String {
        outcome(&self.rename(&format!("key-{number}"), path, &format!("label {number}"), None).await)
    }
}

/// All requests find the version of the condition, and one of them changes it.
#[tokio::test]
async fn of_concurrent_changes_with_one_condition_one_is_made() {
    on_both(async |database| {
        let shop = Plain::new(database).await;
        let created = shop.create("new", "first").await;
        let (path, tag) = (created.header("location").unwrap(), created.header("etag"));
        let sent = (0..24).map(|number| {
            let shop = &shop;
            async move { shop.rename(&format!("key-{number}"), path, &format!("label {number}"), tag).await }
        });
        let outcomes: Vec<_> = join_all(sent).await.iter().map(outcome).collect();
        let count = |wanted: &str| outcomes.iter().filter(|outcome| *outcome == wanted).count();
        assert_eq!((count("200"), count("412")), (1, 23), "{outcomes:?}");
        shop.stop().await;
    })
    .await;
}

#[tokio::test]
async fn creates_with_keys_share_transactions() {
    let file = SqliteFile::new();
    let shop = Plain::at(&file.url(), None).await;
    let sent = (0..96).map(|number| {
        let shop = &shop;
        // Every fourth create violates a unique constraint.
        async move { shop.create(&format!("key-{number}"), &format!("label {}", number - number % 4 / 3)).await }
    });
    let outcomes: Vec<_> = join_all(sent).await.iter().map(outcome).collect();
    let count = |wanted: &str| outcomes.iter().filter(|outcome| *outcome == wanted).count();
    assert_eq!((count("201"), count("409")), (72, 24), "{outcomes:?}");
    let report = shop.client.api().report();
    let count = |name| value(&report, name, &[]).unwrap();
    assert!(count("store_grouped_changes") > 71.0, "{report:?}");
    assert!(count("store_groups") * 2.0 < count("store_grouped_changes"), "{report:?}");
    assert_eq!(shop.labels().await.len(), 72);
    shop.stop().await;
}

#[tokio::test]
async fn a_create_with_a_key_takes_two_round_trips() {
    let Some(schema) = PostgresSchema::new().await else { return };
    let (url, statements) = proxy::start(&schema.url());
    let shop = Plain::at(&url, None).await;
    // The first request of each kind prepares its statements.
    let path = shop.create("a", "one").await.header("location").unwrap().to_owned();
    shop.rename("b", &path, "two", None).await.assert_status(200);
    shop.client.get(&path).await.assert_status(200);

    statements.take();
    shop.create("c", "three").await.assert_status(201);
    assert_eq!(statements.take(), ["execute", "execute"], "the key is read, then everything is written");
    shop.rename("d", &path, "four", None).await.assert_status(200);
    assert_eq!(statements.take(), ["execute", "execute", "execute"], "key, entity, and the change");
    shop.create("c", "three").await.assert_header("Idempotency-Replayed", "true");
    assert_eq!(statements.take(), ["execute"]);
    shop.stop().await;
    schema.drop().await;
}

#[tokio::test]
async fn a_timeout_of_a_change_with_a_transaction_pooler_is_a_503() {
    let Some(schema) = PostgresSchema::new().await else { return };
    let store = SqlStore::new(schema.url()).migrate().transaction_pooler();
    let store = store.statement_timeout(Duration::from_millis(500));
    let shop = Plain::of(store.clone(), &store).await;
    let path = shop.create("a", "one").await.header("location").unwrap().to_owned();
    let pool = sqlx::PgPool::connect(&schema.url()).await.unwrap();
    let mut lock = pool.begin().await.unwrap();
    sqlx::query("SELECT * FROM parcels FOR UPDATE").execute(&mut *lock).await.unwrap();
    assert_eq!(outcome(&shop.rename("b", &path, "two", None).await), "503");
    lock.rollback().await.unwrap();
    let outcomes = [shop.rename("b", &path, "two", None).await, shop.rename("b", &path, "two", None).await];
    assert_eq!(outcomes.map(|response| outcome(&response)), ["200", "200 replay"]);
    pool.close().await;
    shop.stop().await;
    schema.drop().await;
}
