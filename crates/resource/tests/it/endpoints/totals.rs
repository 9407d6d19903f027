//! Lists without totals: `pagination = page(total = false)`.

use restwright::auth::Access;
use restwright::openapi::Document;
use restwright::prelude::*;
use restwright::schema::{int64, string};
use restwright::testing::TestClient;
use restwright_resource::{Endpoints, IdentifierKind, ResourceDefinition, ResourcePagination};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::counting_store::CountingStore;

/// An event.
#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(path = "/events", pagination = page(total = false, default = 2, max = 3))]
struct Event {
    #[property(id)]
    id: i64,
    #[property(filter(eq), sort)]
    name: String,
}

fn runs() -> ResourceDefinition {
    let shape = PropertyCollection::new("Run").property(int64("id").read_only()).property(string("name"));
    ResourceDefinition::new("/runs", "runs", shape, "id", IdentifierKind::Integer)
        .pagination(ResourcePagination::OffsetWithoutTotal)
}

#[test]
fn a_list_without_total_counts_nothing() {
    let store = CountingStore::default();
    let events = Endpoints::<Event>::new(store.clone(), Access::public());
    let runs = Endpoints::from_definition(runs(), store, Access::public());
    let api = Api::builder(Configuration::new("events", "1.0.0")).module(&events).module(&runs).build().unwrap();
    let client = TestClient::new(api);
    for path in ["/events", "/runs"] {
        for name in ["a", "b", "c"] {
            client.post(path).json(&json!({"name": name})).send().assert_status(201);
        }
    }
    for (query, names, pagination) in [
        ("/events", json!(["a", "b"]), json!({"page": 1, "page_size": 2, "has_more": true})),
        ("/events?page=2", json!(["c"]), json!({"page": 2, "page_size": 2, "has_more": false})),
        ("/events?limit=3", json!(["a", "b", "c"]), json!({"page": 1, "page_size": 3, "has_more": false})),
        ("/events?name=b&page=7", json!([]), json!({"page": 7, "page_size": 2, "has_more": false})),
        ("/runs?limit=2", json!(["a", "b"]), json!({"offset": 0, "limit": 2, "has_more": true})),
        ("/runs?offset=2", json!(["c"]), json!({"offset": 2, "limit": 20, "has_more": false})),
    ] {
        let response = client.get(query).send();
        response.assert_documented();
        let body: Value = response.assert_status(200).json();
        let found: Vec<_> = body["data"].as_array().unwrap().iter().map(|item| &item["name"]).collect();
        assert_eq!((json!(found), &body["pagination"]), (names, &pagination), "{query}");
    }
    client.get("/events?limit=4").send().assert_violations([("query", "/limit", "maximum")]);
    let links = client.get("/events").send();
    assert_eq!(links.header("link").map(|link| link.contains("rel=\"last\"")), Some(false));
    let document: Value = serde_json::from_str(&Document::from_api(client.api()).to_json()).unwrap();
    let schemas = document["components"]["schemas"].as_object().unwrap();
    assert!(schemas.contains_key("UncountedPagePagination"), "{:?}", schemas.keys());
    assert!(!schemas.contains_key("PagePagination"));
}
