//! A list, a resource and a replaying middleware, built outside the crate.

use restwright_core::Configuration;
use restwright_core::schema::{Mode, PropertyCollection, Registry, Schema, SchemaSide, SchemaType, typed};
use restwright_runtime::Api;
use restwright_testing::TestClient;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::replay::Idempotency;
use crate::resource::{Endpoints, Resource};

#[derive(Clone, Serialize, Deserialize)]
struct Plant {
    id: i64,
    name: String,
    height_cm: Option<u32>,
}

impl Schema for Plant {
    type Changes = Self;

    fn schema_type(registry: &mut Registry) -> SchemaType {
        registry.define::<Self, _>("Plant", |registry| {
            PropertyCollection::new("Plant")
                .property(typed::<i64>(registry, "id").minimum(1).modes([Mode::View, Mode::List]))
                .property(typed::<String>(registry, "name").min_length(1).max_length(40))
                .property(typed::<Option<u32>>(registry, "height_cm").maximum(10_000))
        })
    }
}

impl Resource for Plant {
    const PATH: &'static str = "/plants";
}

fn api() -> Api {
    Api::builder(Configuration::new("plants", "1.0.0"))
        .middleware(Idempotency::default())
        .module(&Endpoints::<Plant>::new())
        .build()
        .unwrap()
}

#[test]
fn registers_five_endpoints_from_one_type() {
    let client = TestClient::new(api());
    let created = client.post("/plants").json(&json!({"name": "Fern"})).send();
    created.assert_status(201).assert_documented();
    assert_eq!(created.json::<Value>(), json!({"data": {"id": 1, "name": "Fern", "height_cm": null}}));
    let changed = client.patch("/plants/1").json(&json!({"height_cm": 30})).send();
    changed.assert_status(200).assert_documented();
    assert_eq!(changed.json::<Value>()["data"]["height_cm"], 30);
    client.get("/plants/1").send().assert_status(200).assert_documented();
    client.delete("/plants/1").send().assert_status(204).assert_documented();
    client.get("/plants/1").send().assert_status(404);
    client.patch("/plants/1").json(&json!({"name": ""})).send().assert_status(422);
}

#[test]
fn the_page_imposes_its_envelope() {
    let client = TestClient::new(api());
    for name in ["a", "b", "c"] {
        client.post("/plants").json(&json!({ "name": name })).send().assert_status(201);
    }
    let page = client.get("/plants?page=2&limit=2").send();
    page.assert_status(200).assert_documented();
    let page = page.json::<Value>();
    assert_eq!(page["pagination"], json!({"page": 2, "page_size": 2, "total": 3, "has_more": false}));
    assert_eq!(page["data"][0]["name"], "c");
    client.get("/plants?page=0&limit=51").send().assert_status(422);
}

#[test]
fn a_response_is_replayed() {
    let client = TestClient::new(api());
    let send =
        |name: &str| client.post("/plants").header("Idempotency-Key", "k1").json(&json!({ "name": name })).send();
    let first = send("Fern");
    let second = send("Fern");
    assert_eq!(first.json::<Value>(), second.json::<Value>());
    second.assert_status(201).assert_documented();
    assert_eq!(second.header("idempotency-replayed"), Some("true"));
    send("Moss").assert_status(409).assert_documented();
}

#[test]
fn shapes_differ_by_mode() {
    let api = api();
    let create = api.operations().find(|operation| operation.id == "createPlant").unwrap();
    let body = &create.request_body.as_ref().unwrap().content[0];
    let mut registry = api.registry().clone();
    let used = body.schema.as_ref().unwrap();
    let schema = registry.json_schema(&used.schema, SchemaSide::Input, used.mode);
    assert_eq!(schema, json!({"$ref": "#/components/schemas/PlantCreate"}));
    let component = &registry.components()["PlantCreate"];
    assert!(
        component["properties"].get("id").is_none() && component["properties"].get("name").is_some(),
        "{component}"
    );
}
