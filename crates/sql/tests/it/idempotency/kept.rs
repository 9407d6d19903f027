//! The stored responses.

use restwright::testing::TestClient;
use serde_json::json;

use super::{Shop, on_both, outcome};

#[tokio::test]
async fn a_create_is_executed_once() {
    on_both(async |database| {
        let shop = Shop::new(database).await;
        let mut outcomes = Vec::new();
        for (key, label) in [("a", "one"), ("a", "one"), ("\"a\"", "one"), ("a", "two"), ("b", "two")] {
            outcomes.push(outcome(&shop.create(key, label).await));
        }
        assert_eq!(outcomes, ["201", "201 replay", "201 replay", "422", "201"]);
        shop.create("a", "two").await.assert_problem("idempotency_key_reused");
        assert_eq!((shop.parcels().await, shop.begun(), shop.committed()), (2, 2, 2));
        shop.stop().await;
    })
    .await;
}

#[tokio::test]
async fn a_replay_equals_the_first_response() {
    on_both(async |database| {
        let shop = Shop::new(database).await;
        let (first, again) = (shop.create("a", "one").await, shop.create("a", "one").await);
        assert_eq!(again.bytes(), first.bytes());
        for name in ["content-type", "location", "etag"] {
            assert!(first.header(name).is_some() && again.header(name) == first.header(name), "{name}");
        }
        let path = again.header("location").unwrap();
        shop.client.get(path).await.assert_status(200).assert_header("etag", first.header("etag").unwrap());
        shop.stop().await;
    })
    .await;
}

#[tokio::test]
async fn keys_survive_the_process_and_belong_to_their_caller() {
    on_both(async |database| {
        let shop = Shop::new(database).await;
        let first = shop.create("a", "one").await;
        shop.stop().await;
        let shop = Shop::new(database).await;
        let again = shop.create("a", "one").await;
        assert_eq!((outcome(&again).as_str(), again.bytes()), ("201 replay", first.bytes()));
        let bob = TestClient::new(shop.client.api().clone()).with_header("X-Caller", "bob");
        let request = bob.post("/parcels").header("Idempotency-Key", "a");
        assert_eq!(outcome(&request.json(&json!({"label": "one"})).await), "409");
        shop.stop().await;
    })
    .await;
}

#[tokio::test]
async fn conflicts_are_stored_and_other_failures_are_not() {
    on_both(async |database| {
        let shop = Shop::new(database).await;
        shop.create("a", "one").await.assert_status(201);
        for expected in ["409", "409 replay"] {
            let conflict = shop.create("b", "one").await;
            conflict.assert_problem("conflict");
            assert_eq!(outcome(&conflict), expected);
        }
        shop.create("c", "").await.assert_status(422);
        assert_eq!(outcome(&shop.create("c", "three").await), "201");
        shop.stop().await;
    })
    .await;
}

#[tokio::test]
async fn a_batch_is_executed_once() {
    on_both(async |database| {
        let shop = Shop::new(database).await;
        let send = async |labels: [&str; 2]| {
            let data = labels.map(|label| json!({"label": label}));
            let request = shop.client.post("/parcels/batch").header("Idempotency-Key", "a");
            let response = request.json(&json!({"data": data})).await;
            response.assert_documented();
            response
        };
        let (first, again) = (send(["one", "two"]).await, send(["one", "two"]).await);
        assert_eq!([&first, &again].map(outcome), ["201", "201 replay"]);
        assert_eq!(again.bytes(), first.bytes());
        assert_eq!(outcome(&send(["one", "six"]).await), "422");
        assert_eq!((shop.parcels().await, shop.begun(), shop.committed()), (2, 2, 2));
        shop.stop().await;
    })
    .await;
}

#[tokio::test]
async fn a_response_that_is_too_large_is_sent_but_not_stored() {
    on_both(async |database| {
        let shop = Shop::at(&database.url(), |keys| keys.max_response_bytes(1000)).await;
        let large = "l".repeat(1000);
        for expected in ["201", "409", "409 replay"] {
            assert_eq!(outcome(&shop.create("a", &large).await), expected);
        }
        assert_eq!(shop.parcels().await, 1);
        shop.stop().await;
    })
    .await;
}
