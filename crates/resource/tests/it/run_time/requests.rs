//! Requests and their responses.

use restwright::auth::Access;
use restwright::prelude::*;
use restwright::schema::{Mode, int64, object, string};
use restwright::testing::TestClient;
use restwright_resource::{Endpoints, EntityStore, IdentifierKind, MemoryStore, ResourceDefinition, Scope};
use serde_json::{Value, json};

use super::client;

/// Sends requests one after another to one Api, and compares the status and members of the body.
fn check(cases: Vec<(&str, Option<Value>, u16, Value)>) {
    let client = client();
    let mut id = String::new();
    for (request, body, status, expected) in cases {
        let (method, path) = request.split_once(' ').unwrap();
        let sent = client.request(method.parse().unwrap(), path.replace("{id}", &id));
        let response = match &body {
            Some(body) => sent.json(body).send(),
            None => sent.send(),
        };
        response.assert_documented();
        assert_eq!(response.status(), status, "{request} {body:?}: {response:?}");
        let found: Value = if response.text().is_empty() { Value::Null } else { response.json() };
        for (pointer, value) in expected.as_object().unwrap() {
            let found = found.pointer(pointer).unwrap_or(&Value::Null);
            assert_eq!(found, value, "{request} {body:?} {pointer}: {response:?}");
        }
        if let Some(created) = found.pointer("/data/id").and_then(Value::as_str) {
            id = created.to_owned();
        }
    }
}

#[test]
fn entities_are_created_changed_and_deleted() {
    let new = json!({"name": "Ada", "species": "dog", "secret": "x", "weight_kg": 7.5, "address": {"city": "Oslo"}});
    let shown = json!({"/data/name": "Ada", "/data/visits": 1, "/data/secret": null, "/data/weight_kg": 7.5});
    check(vec![
        ("POST /animals", Some(new.clone()), 201, shown.clone()),
        ("GET /animals/{id}", None, 200, shown),
        ("GET /animals", None, 200, json!({"/data/0/name": "Ada", "/data/0/weight_kg": null, "/data/0/secret": null})),
        ("GET /animals?name[contains]=AD&species=dog&order_by=-name", None, 200, json!({"/pagination/total": 1})),
        ("GET /animals?species=cat", None, 200, json!({"/pagination/total": 0})),
        (
            "PATCH /animals/{id}",
            Some(json!({"visits": 5, "address": {"zip": "0150"}, "notes": {"a": "b"}})),
            200,
            json!({"/data/visits": 5, "/data/address": {"city": "Oslo", "zip": "0150"}, "/data/notes": {"a": "b"}}),
        ),
        (
            "PATCH /animals/{id}",
            Some(json!({"visits": null, "address": null, "weight_kg": null, "tags": ["calm"]})),
            200,
            json!({"/data/visits": 1, "/data/address": null, "/data/weight_kg": null, "/data/tags": ["calm"]}),
        ),
        ("DELETE /animals/{id}", None, 204, json!({})),
        ("GET /animals/{id}", None, 404, json!({})),
    ]);
}

#[test]
fn rejects_invalid_requests() {
    let new = json!({"name": "Ada", "species": "dog", "chip": "1"});
    let at = |pointer: &str, code: &str| json!({"/errors/0/pointer": pointer, "/errors/0/code": code});
    check(vec![
        ("POST /animals", Some(new.clone()), 201, json!({})),
        ("POST /animals", Some(new), 409, at("/chip", "conflict")),
        ("POST /animals", Some(json!({"name": "", "species": "dog"})), 422, at("/name", "min_length")),
        ("POST /animals", Some(json!({"name": "A", "species": "cow"})), 422, at("/species", "enum")),
        ("POST /animals", Some(json!({"name": "A", "species": "cat", "id": "x"})), 422, at("/id", "unknown_property")),
        ("POST /animals", Some(json!({"name": "A", "species": "cat", "x": 1})), 422, at("/x", "unknown_property")),
        (
            "POST /animals",
            Some(json!({"name": "A", "species": "cat", "address": {"city": "Oslo", "citty": 1}})),
            422,
            at("/address/citty", "unknown_property"),
        ),
        ("PATCH /animals/{id}", Some(json!({"address": {"citty": 1}})), 422, at("/address/citty", "unknown_property")),
        ("PATCH /animals/{id}", Some(json!({"name": null})), 422, at("/name", "null")),
        (
            "PATCH /animals/{id}",
            Some(json!({"created_at": "2024-01-01T00:00:00Z"})),
            422,
            at("/created_at", "read_only"),
        ),
        // No store accepts NUL at any place.
        ("PATCH /animals/{id}", Some(json!({"tags": ["a", "b\0"]})), 422, at("/tags/1", "invalid")),
        ("PATCH /animals/{id}", Some(json!({"address": {"city": "\0"}})), 422, at("/address/city", "invalid")),
        ("PATCH /animals/{id}", Some(json!({"notes": {"a\0": "b"}})), 422, at("/notes/a\0", "invalid")),
        ("PATCH /animals/{id}", Some(json!({"notes": {"a": "\\u0000"}})), 200, json!({"/data/notes/a": "\\u0000"})),
        // The new address lacks its city, which was not sent.
        ("PATCH /animals/{id}", Some(json!({"address": {"zip": "1"}})), 422, at("/address", "required")),
        // No store accepts an integer beyond 64 signed bits.
        ("POST /shelters", Some(json!({"code": "a", "area": u64::MAX})), 422, at("/area", "maximum")),
        ("GET /animals/7", None, 422, at("/id", "format")),
        ("GET /animals?chip=1", None, 422, json!({})),
        ("GET /animals?filter[chip]=1", None, 422, json!({})),
        ("GET /animals?order_by=species", None, 422, json!({})),
    ]);
}

#[test]
fn clients_may_give_identifiers() {
    check(vec![
        ("PUT /shelters/north", Some(json!({"code": "north", "places": 7})), 201, json!({"/data/places": 7})),
        (
            "PUT /shelters/north",
            Some(json!({"code": "north"})),
            200,
            json!({"/data/code": "north", "/data/places": null}),
        ),
        ("PUT /shelters/north", Some(json!({"code": "south"})), 422, json!({"/errors/0/pointer": "/code"})),
        (
            "POST /shelters/batch",
            Some(json!({"data": [{"code": "a"}, {"code": "north"}]})),
            409,
            json!({"/errors/0/pointer": "/data/1/code"}),
        ),
        (
            "POST /shelters/batch",
            Some(json!({"data": [{"code": "batch"}]})),
            422,
            json!({"/errors/0/pointer": "/data/0/code"}),
        ),
        (
            "POST /shelters/batch",
            Some(json!({"data": [{"code": "a"}, {"code": "b"}]})),
            201,
            json!({"/data/1/code": "b"}),
        ),
        ("GET /shelters?limit=2", None, 200, json!({"/pagination/total": 3, "/data/0/code": "a"})),
    ]);
}

#[test]
fn unknown_properties_can_be_ignored() {
    let animals = Endpoints::from_definition(
        super::definition().ignore_unknown_properties(),
        MemoryStore::new(),
        Access::public(),
    );
    let client =
        TestClient::new(Api::builder(Configuration::new("shelter", "1.0.0")).module(&animals).build().unwrap());
    let new = json!({"name": "Ada", "species": "dog", "color": "red", "address": {"city": "Oslo", "citty": 1}});
    let created = client.post("/animals").json(&new).send();
    created.assert_status(201).assert_documented();
    let shown = &created.json::<Value>()["data"];
    assert_eq!((shown.get("color"), &shown["address"]), (None, &json!({"city": "Oslo"})));
    let changed = client.patch(created.header("location").unwrap()).json(&json!({"color": "red"})).send();
    changed.assert_status(200).assert_documented();
}

#[test]
fn an_update_changes_only_what_its_schema_declares() {
    let lock = PropertyCollection::new("Lock")
        .property(string("model").optional())
        .property(string("serial").optional().modes([Mode::Create, Mode::View]));
    let door = PropertyCollection::new("Door")
        .property(int64("id").read_only())
        .property(string("name"))
        .property(string("pin").write_only().modes([Mode::Create]))
        .property(object("lock", lock).optional());
    let doors = ResourceDefinition::new("/doors", "doors", door, "id", IdentifierKind::Integer);
    let doors = doors.ignore_unknown_properties();
    let store = MemoryStore::new();
    let endpoints = Endpoints::from_definition(doors.clone(), store.clone(), Access::public());
    let client =
        TestClient::new(Api::builder(Configuration::new("doors", "1.0.0")).module(&endpoints).build().unwrap());
    let new = json!({"name": "front", "pin": "1234", "lock": {"model": "a", "serial": "1"}});
    client.post("/doors").json(&new).send().assert_status(201);
    let changes = json!({"name": "back", "pin": "0000", "lock": {"model": "b", "serial": "2"}, "color": "red"});
    client.patch("/doors/1").json(&changes).send().assert_status(200);
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let stored = runtime.block_on(EntityStore::from_definition(&store, &doors, &Scope::new()).find(&1.into()));
    let stored = Value::Object(stored.unwrap().unwrap().entity.values().clone());
    assert_eq!(stored, json!({"id": 1, "name": "back", "pin": "1234", "lock": {"model": "b", "serial": "1"}}));
}
