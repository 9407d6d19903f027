//! Resources in groups.

use std::time::Duration;

use restwright::auth::Access;
use restwright::prelude::*;
use restwright::testing::TestClient;
use restwright_resource::{Endpoints, MemoryStore};
use serde::Serialize;
use serde_json::{Value, json};

use super::tenants::configuration;

/// A ticket.
#[derive(Clone, Serialize, Resource)]
#[resource(path = "/tickets")]
struct Ticket {
    #[property(id)]
    id: i64,
    #[property(filter(eq))]
    title: String,
}

#[test]
fn a_group_applies_to_its_resources() {
    let store = MemoryStore::new();
    let group = Group::new("/v1")
        .access(Access::authenticated("caller").all_permissions(["support"]))
        .body_limit(64)
        .deadline(Duration::from_secs(10))
        .module(Endpoints::<Ticket, _>::new(store.clone(), Access::authenticated("caller")).batch());
    let client = TestClient::new(Api::builder(configuration()).group(group).build().unwrap());
    let post = |caller: &str, path: &str, title: &str| {
        let response = client.post(path).header("X-Caller", caller).json(&json!({"title": title})).send();
        response.assert_documented();
        response
    };
    for (caller, path, title, expected) in [
        ("a support", "/v1/tickets", "No light", 201),
        ("a", "/v1/tickets", "No light", 403),
        ("a support", "/tickets", "No light", 404),
        ("a support", "/v1/tickets", &*"x".repeat(80), 413),
    ] {
        assert_eq!(post(caller, path, title).status(), expected, "{caller} {path} {title}");
    }
    let listed = client.get("/v1/tickets").header("X-Caller", "a support").send();
    assert_eq!(listed.assert_status(200).assert_documented().json::<Value>()["data"][0]["title"], "No light");
}
