//! Computed fields in every response with entities.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use restwright::auth::{Access, Identity};
use restwright::openapi::Document;
use restwright::prelude::*;
use restwright::testing::{TestClient, TestResponse};
use restwright_resource::idempotency::{Idempotency, MemoryIdempotencyStore};
use restwright_resource::{ComputedField, Endpoints};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::callers::Callers;
use super::counting_store::CountingStore;

/// A person.
#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(
    path = "/people",
    put,
    batch,
    delete(view),
    computed(full_name: String, #[property(read = "age")] is_adult: bool)
)]
struct Person {
    #[property(id)]
    id: i64,
    #[property(sort)]
    first: String,
    last: String,
    #[property(write_only)]
    age: Option<i64>,
}

impl Person {
    fn full_name(&self, _: &Identity) -> String {
        format!("{} {}", self.first, self.last)
    }

    fn is_adult(&self, _: &Identity) -> bool {
        self.age >= Some(18)
    }
}

/// A pet, which belongs to a person.
#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(path = "/pets", include(owner))]
struct Pet {
    #[property(id)]
    id: i64,
    name: String,
    #[property(references = Person)]
    owner_id: i64,
}

/// Counts its calls, and returns the number of entities of each call.
#[derive(Clone, Default)]
struct Calls(Arc<AtomicUsize>);

impl ComputedField<Pet> for Calls {
    type Value = usize;

    async fn compute(&self, pets: &[Pet], _: &Identity) -> Result<Vec<usize>> {
        self.0.fetch_add(1, Ordering::Relaxed);
        // One value is missing for pets of the name `lost`.
        Ok(pets.iter().filter(|pet| pet.name != "lost").map(|_| pets.len()).collect())
    }
}

fn client(calls: &Calls) -> TestClient {
    let store = CountingStore::default();
    let keys = Idempotency::new(MemoryIdempotencyStore::new());
    let people = Endpoints::<Person>::new(store.clone(), Access::authenticated("caller")).idempotency(keys);
    let pets = Endpoints::<Pet>::new(store, Access::authenticated("caller")).computed("listed", calls.clone());
    let configuration = Configuration::new("people", "1.0.0").authenticator("caller", Callers);
    TestClient::new(Api::builder(configuration).module(&people).module(&pets).build().unwrap())
}

fn send(client: &TestClient, caller: &str, request: &str, body: &Value) -> TestResponse {
    let (method, path) = request.split_once(' ').unwrap();
    let sent = client.request(method.parse().unwrap(), path).header("X-Caller", caller);
    let response = if body.is_null() { sent.send() } else { sent.json(body).send() };
    response.assert_documented();
    response
}

#[test]
fn every_response_contains_the_fields_that_its_caller_may_read() {
    let client = client(&Calls::default());
    let ada = json!({"first": "Ada", "last": "L", "age": 36});
    let shown = json!({"id": 1, "first": "Ada", "last": "L", "full_name": "Ada L", "is_adult": true});
    let other = json!({"id": 2, "first": "Bo", "last": "L", "full_name": "Bo L", "is_adult": false});
    let eve = json!({"id": 1, "first": "Eve", "last": "L", "full_name": "Eve L", "is_adult": true});
    let max = json!({"id": 1, "first": "Max", "last": "M", "full_name": "Max M", "is_adult": false});
    for (request, body, expected) in [
        ("POST /people", ada, shown.clone()),
        ("GET /people/1", Value::Null, shown.clone()),
        ("POST /people/batch", json!({"data": [{"first": "Bo", "last": "L"}]}), json!([other])),
        ("GET /people?order_by=first", Value::Null, json!([shown, other])),
        ("PATCH /people/1", json!({"first": "Eve"}), eve),
        ("PUT /people/1", json!({"first": "Max", "last": "M"}), max.clone()),
        ("DELETE /people/1", Value::Null, max),
    ] {
        let found: Value = send(&client, "ann age", request, &body).json();
        assert_eq!(found["data"], expected, "{request}");
    }
    let hidden = send(&client, "bob", "GET /people/2", &Value::Null);
    assert_eq!(hidden.header("cache-control"), Some("private, no-cache"));
    hidden.assert_json(&json!({"data": {"id": 2, "first": "Bo", "last": "L", "full_name": "Bo L"}}));
}

#[test]
fn a_page_is_one_call() {
    let calls = Calls::default();
    let client = client(&calls);
    send(&client, "ann age", "POST /people", &json!({"first": "Ada", "last": "L", "age": 36})).assert_status(201);
    for name in ["Rex", "Max", "Tom"] {
        send(&client, "ann", "POST /pets", &json!({"name": name, "owner_id": 1})).assert_status(201);
    }
    assert_eq!(calls.0.swap(0, Ordering::Relaxed), 3);
    let listed: Value = send(&client, "ann", "GET /pets?include=owner", &Value::Null).assert_status(200).json();
    assert_eq!(calls.0.load(Ordering::Relaxed), 1);
    for pet in listed["data"].as_array().unwrap() {
        assert_eq!((&pet["listed"], &pet["owner"]["full_name"]), (&json!(3), &json!("Ada L")));
        assert_eq!(pet["owner"].get("is_adult"), None);
    }
    let listed: Value = send(&client, "ann age", "GET /pets?include=owner", &Value::Null).json();
    assert_eq!(listed["data"][0]["owner"]["is_adult"], true);
    // An empty page computes nothing.
    send(&client, "ann", "GET /pets?page=9", &Value::Null);
    assert_eq!(calls.0.load(Ordering::Relaxed), 2);
}

#[test]
fn another_number_of_values_is_an_error() {
    let client = client(&Calls::default());
    send(&client, "ann", "POST /people", &json!({"first": "Ada", "last": "L"})).assert_status(201);
    let failed = client.post("/pets").header("X-Caller", "ann").json(&json!({"name": "lost", "owner_id": 1})).send();
    failed.assert_status(500).assert_documented();
    assert!(!failed.json::<Value>().to_string().contains("listed"));
}

#[test]
fn a_tag_contains_the_computed_values_and_a_precondition_does_not() {
    let client = client(&Calls::default());
    let created = send(&client, "ann", "POST /people", &json!({"first": "Ada", "last": "L", "age": 36}));
    let version = created.header("etag").unwrap().to_owned();
    let tag = |caller: &str| send(&client, caller, "GET /people/1", &Value::Null).header("etag").unwrap().to_owned();
    // Callers who read other fields have other tags.
    assert_eq!(tag("ann"), tag("ann"));
    assert_ne!(tag("ann"), tag("ann age"));
    let same = client.get("/people/1").header("X-Caller", "ann").header("If-None-Match", tag("ann")).send();
    same.assert_status(304);
    for tag in [tag("ann"), version] {
        let patch = client.patch("/people/1").header("X-Caller", "ann").header("If-Match", tag);
        let response = patch.json(&json!({})).send();
        // The second patch has an old version, unless the first one changed nothing.
        assert!([200, 412].contains(&response.status().as_u16()));
    }
}

#[test]
fn requests_cannot_contain_the_fields() {
    let client = client(&Calls::default());
    let created = send(&client, "ann", "POST /people", &json!({"first": "Ada", "last": "L", "full_name": "x"}));
    created.assert_status(422).assert_violations([("body", "/full_name", "unknown_property")]);
    send(&client, "ann", "POST /people", &json!({"first": "Ada", "last": "L"})).assert_status(201);
    for request in ["PATCH /people/1", "PUT /people/1"] {
        let changed = send(&client, "ann", request, &json!({"first": "Ada", "last": "L", "full_name": "Ada L"}));
        changed.assert_status(422).assert_violations([("body", "/full_name", "unknown_property")]);
    }
    send(&client, "ann", "GET /people?order_by=full_name", &Value::Null).assert_status(422);
    send(&client, "ann", "GET /people?full_name=x", &Value::Null).assert_status(422);
}

#[test]
fn a_repeated_request_shows_no_field_that_its_caller_may_no_longer_read() {
    let client = client(&Calls::default());
    let create = |caller: &str| {
        let request = client.post("/people").header("X-Caller", caller).header("Idempotency-Key", "k-1");
        request.json(&json!({"first": "Ada", "last": "L", "age": 36})).send()
    };
    assert_eq!(create("ann age").assert_status(201).json::<Value>()["data"]["is_adult"], true);
    create("ann age").assert_status(201).assert_header("idempotency-replayed", "true");
    let refused = create("ann").assert_status(409).json::<Value>();
    assert_eq!(refused["code"], "idempotency_rights_changed");
}

#[test]
fn the_document_contains_read_only_properties() {
    let client = client(&Calls::default());
    let document: Value = serde_json::from_str(&Document::from_api(client.api()).to_json()).unwrap();
    let schemas = document["components"]["schemas"].as_object().unwrap();
    let person = schemas.values().find(|schema| schema["properties"].get("full_name").is_some()).unwrap();
    assert_eq!(person["properties"]["full_name"]["type"], "string");
    assert_eq!(person["properties"]["full_name"]["readOnly"], true);
    let is_adult = person["properties"]["is_adult"]["description"].as_str().unwrap();
    assert_eq!(is_adult, "Only callers with the permission `age` may read this property.");
    assert!(schemas["NewPerson"]["properties"].get("full_name").is_none());
}

#[test]
fn rejects_names_of_other_properties_filters_and_orders() {
    let errors = |change: fn(Endpoints<Pet>) -> Endpoints<Pet>| {
        let store = CountingStore::default();
        let people = Endpoints::<Person>::new(store.clone(), Access::public());
        let pets = change(Endpoints::<Pet>::new(store, Access::public()));
        let api = Api::builder(Configuration::new("people", "1.0.0")).module(&people).module(&pets).build();
        api.err().map(|errors| errors.to_string()).unwrap_or_default()
    };
    for (found, expected) in [
        (
            errors(|pets| pets.computed("name", |_: &Pet, _: &Identity| 1)),
            "`name` of `pets` has the name of another property",
        ),
        (
            errors(|pets| pets.computed("owner", |_: &Pet, _: &Identity| 1)),
            "`owner` of `pets` has the name of another property",
        ),
        (
            errors(|pets| pets.computed("one", |_: &Pet, _: &Identity| 1).computed("one", |_: &Pet, _: &Identity| 2)),
            "`one` of `pets` has the name of another property",
        ),
        (errors(|pets| pets.computed("", |_: &Pet, _: &Identity| 1)), "has an empty name"),
        (errors(|pets| pets.computed_for("one", "", |_: &Pet, _: &Identity| 1)), "requires an empty name"),
    ] {
        assert!(found.contains(expected), "{found}");
    }
}
