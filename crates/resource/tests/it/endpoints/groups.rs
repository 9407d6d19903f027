//! Resources in groups.

use std::time::Duration;

use restwright::auth::Access;
use restwright::prelude::*;
use restwright::schema::Mode;
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
        .module(Endpoints::<Ticket>::new(store.clone(), Access::authenticated("caller")).batch());
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

#[test]
fn groups_contain_versions_of_a_resource() {
    let store = MemoryStore::new();
    let tickets = || Endpoints::<Ticket>::new(store.clone(), Access::public());
    let older = || tickets().name("OldTicket").list_name("old_tickets").without(Mode::Delete);
    let api = |older: Endpoints<Ticket>| {
        let api = Api::builder(configuration()).group(Group::new("/v2").module(tickets()));
        api.group(Group::new("/v1").module(older)).build()
    };
    let client = TestClient::new(api(older()).unwrap());
    client.post("/v1/tickets").json(&json!({"title": "No light"})).send().assert_status(201);
    client.get("/v2/tickets/1").send().assert_status(200).assert_documented();
    client.delete("/v1/tickets/1").send().assert_status(405);
    client.delete("/v2/tickets/1").send().assert_status(204);
    let ids: Vec<_> = client.api().operations().map(|operation| operation.id.to_string()).collect();
    for id in ["viewTicket", "viewOldTicket", "listTickets", "listOldTickets"] {
        assert!(ids.iter().any(|known| known == id), "{ids:?} lacks {id}");
    }
    // Ids of operations are unique in an Api.
    let errors = api(tickets()).unwrap_err().to_string();
    assert!(errors.contains("the resources at `/v2/tickets` and `/v1/tickets` are both named `Ticket`"), "{errors}");
    let twice = Group::new("/v1").module(tickets()).module(tickets());
    let errors = Api::builder(configuration()).group(twice).build().unwrap_err().to_string();
    assert!(errors.contains("the resource `tickets` at `/v1/tickets` is registered twice"), "{errors}");
}
