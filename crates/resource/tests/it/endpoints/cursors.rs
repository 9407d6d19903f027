//! A derived resource whose list uses cursors.

use restwright::auth::Access;
use restwright::prelude::*;
use restwright::testing::TestClient;
use restwright_resource::MemoryStore;
use serde::Serialize;
use serde_json::{Value, json};

/// A line of a log.
#[derive(Clone, Serialize, Resource)]
#[resource(path = "/lines", pagination = cursor(default = 2, max = 3), sort(derive(Debug)))]
struct Line {
    #[property(id, sort(default))]
    number: i64,
    #[property(filter(contains))]
    text: String,
}

#[test]
fn each_page_links_to_the_next() {
    let api = Api::builder(Configuration::new("log", "1.0.0")).resource::<Line>(MemoryStore::new(), Access::public());
    let client = TestClient::new(api.build().unwrap());
    for text in ["a", "b", "c"] {
        client.post("/lines").json(&json!({"text": text})).send().assert_status(201);
    }
    let texts =
        |page: &Value| page["data"].as_array().unwrap().iter().map(|line| line["text"].clone()).collect::<Vec<_>>();
    let first: Value = client.get("/lines").send().assert_documented().json();
    let next = first["pagination"]["next_cursor"].as_str().unwrap();
    let second: Value = client.get(format!("/lines?cursor={next}")).send().json();
    assert_eq!((texts(&first), texts(&second)), (vec![json!("a"), json!("b")], vec![json!("c")]));
    client.get("/lines?limit=4").send().assert_status(422);
}
