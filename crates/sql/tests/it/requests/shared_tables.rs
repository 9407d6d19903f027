//! Two resources on one table.

use restwright::auth::Access;
use restwright::prelude::*;
use restwright::testing::TestClient;
use restwright_resource::Endpoints;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::databases::SqliteFile;

/// A ticket.
#[derive(Clone, Serialize, Deserialize, Resource)]
#[resource(path = "/tickets")]
struct Ticket {
    #[property(id)]
    id: i64,
    #[property(filter(eq))]
    title: String,
}

/// A ticket with the fields that partners see.
#[derive(Clone, Serialize, Deserialize, Resource)]
#[resource(path = "/partner-tickets", table = "tickets")]
struct PartnerTicket {
    #[property(id)]
    id: i64,
    #[property(filter(eq), exclude(update))]
    title: String,
}

#[test]
fn two_resources_may_share_one_table() {
    let file = SqliteFile::new();
    let store = file.store().migrate();
    let configuration = || Configuration::new("tickets", "1.0.0");
    let tickets = || Endpoints::<Ticket>::new(store.clone(), Access::public());
    let partners = || Endpoints::<PartnerTicket>::new(store.clone(), Access::public());
    let error = Api::builder(configuration()).module(&tickets()).module(&partners()).build().unwrap_err().to_string();
    assert!(error.contains("`listTickets`") || error.contains("`Endpoints::list_name`"), "{error}");
    let partners = partners().list_name("partner tickets");
    let api = Api::builder(configuration()).module(&tickets()).module(&partners).build().unwrap();
    let document = serde_json::to_value(restwright::openapi::Document::from_api(&api)).unwrap();
    let list = &document["paths"]["/partner-tickets"]["get"];
    assert_eq!(
        (&list["operationId"], &list["summary"], &list["tags"]),
        (&json!("listPartnerTickets"), &json!("List partner tickets"), &json!(["Partner tickets"]))
    );
    let client = TestClient::new(api);
    client.start().unwrap();
    client.post("/tickets").json(&json!({"title": "No light"})).send().assert_status(201);
    let listed = client.get("/partner-tickets?title=No%20light").send();
    assert_eq!(listed.assert_status(200).assert_documented().json::<Value>()["data"][0]["title"], "No light");
    client.patch("/partner-tickets/1").json(&json!({"title": "Light"})).send().assert_status(422);
    client.patch("/tickets/1").json(&json!({"title": "Light"})).send().assert_status(200);
    let shown = client.get("/partner-tickets/1").send();
    assert_eq!(shown.assert_status(200).json::<Value>()["data"]["title"], "Light");
    client.stop();
}
