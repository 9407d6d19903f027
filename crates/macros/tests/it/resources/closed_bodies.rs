//! Unknown properties in nested objects of the bodies of a resource.

use restwright::prelude::*;
use restwright::testing::TestClient;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{client, document, send};

#[derive(Clone, Serialize, Deserialize, Resource)]
#[resource(path = "/houses", batch, put, json_patch)]
struct House {
    #[property(id)]
    id: i64,
    name: String,
    address: Address,
    owner: Option<Owner>,
    #[serde(default)]
    floors: Vec<Floor>,
    use_of: Option<Use>,
}

/// A value that updates merge.
#[derive(Clone, Serialize, Deserialize, Schema)]
#[schema(changes)]
struct Address {
    #[serde(alias = "town")]
    city: String,
    zip: Option<String>,
}

/// A value that updates replace.
#[derive(Clone, Serialize, Deserialize, Schema)]
struct Owner {
    name: String,
    #[serde(default, skip_deserializing)]
    #[property(read_only)]
    since: i64,
}

#[derive(Clone, Serialize, Deserialize, Schema)]
struct Floor {
    rooms: u32,
}

#[derive(Clone, Serialize, Deserialize, Schema)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Use {
    Home { people: u32 },
    Shop { goods: String },
}

/// The same nested types, with unknown properties that are ignored.
#[derive(Clone, Serialize, Deserialize, Resource)]
#[resource(path = "/sheds", ignore_unknown_properties)]
struct Shed {
    #[property(id)]
    id: i64,
    address: Address,
}

fn house() -> Value {
    json!({
        "name": "A",
        "address": {"town": "Oslo"},
        "owner": {"name": "Ada"},
        "floors": [{"rooms": 2}],
        "use_of": {"type": "home", "people": 3},
    })
}

/// Returns a copy of the value with another value at a JSON Pointer.
fn with(mut value: Value, pointer: &str, new: Value) -> Value {
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    value.pointer_mut(parent).unwrap().as_object_mut().unwrap().insert(name.to_owned(), new);
    value
}

#[test]
fn unknown_nested_properties_are_violations() {
    let client = client::<House>();
    send(&client, "POST /houses", Some(&house())).assert_status(201);
    let shown: Value = send(&client, "GET /houses/1", None).json();
    let change = |changes: Value| json!({"data": [{"id": 1, "changes": changes}]});
    for (request, body, pointer) in [
        ("POST /houses", with(house(), "/address/citty", json!("X")), "/address/citty"),
        ("POST /houses", with(house(), "/owner/nam", json!(null)), "/owner/nam"),
        ("POST /houses", with(house(), "/floors/0/room", json!(1)), "/floors/0/room"),
        ("POST /houses", with(house(), "/use_of/goods", json!("a")), "/use_of/goods"),
        ("PUT /houses/1", with(house(), "/address/citty", json!("X")), "/address/citty"),
        ("POST /houses/batch", json!({"data": [house(), with(house(), "/owner/x", json!(1))]}), "/data/1/owner/x"),
        ("PATCH /houses/1", json!({"address": {"citty": "X"}}), "/address/citty"),
        ("PATCH /houses/1", json!({"address": {"citty": null}}), "/address/citty"),
        ("PATCH /houses/1", json!({"owner": {"name": "Eve", "x": 1}}), "/owner/x"),
        ("PATCH /houses/1", json!({"use_of": {"type": "shop", "goods": "a", "people": 1}}), "/use_of/people"),
        ("PATCH /houses/batch", change(json!({"address": {"citty": "X"}})), "/data/0/changes/address/citty"),
    ] {
        let rejected: Value = send(&client, request, Some(&body)).assert_status(422).json();
        let errors = rejected["errors"].as_array().unwrap();
        assert_eq!(errors.len(), 1, "{request} {body}: {rejected}");
        assert_eq!((&errors[0]["pointer"], &errors[0]["code"]), (&json!(pointer), &json!("unknown_property")));
    }
    assert_eq!(send(&client, "GET /houses/1", None).json::<Value>(), shown);

    // An alias and the tag of a union are known. A property that clients cannot set is ignored, so they can send back what they received.
    for body in [
        json!({"address": {"town": "Rome", "zip": null}}),
        json!({"use_of": {"type": "shop", "goods": "a"}}),
        json!({"owner": {"name": "Eve", "since": 7}}),
        shown["data"].clone(),
    ] {
        send(&client, "PATCH /houses/1", Some(&body)).assert_status(200);
    }
    assert_eq!(send(&client, "GET /houses/1", None).json::<Value>(), shown);
}

#[test]
fn operations_of_a_json_patch_find_no_unknown_nested_property() {
    let client = client::<House>();
    send(&client, "POST /houses", Some(&house())).assert_status(201);
    for (operation, status, pointer) in [
        (json!({"op": "add", "path": "/address/citty", "value": "X"}), 422, "/0/value"),
        (json!({"op": "add", "path": "/owner/nam", "value": "X"}), 422, "/0/value"),
        (json!({"op": "add", "path": "/floors/-", "value": {"rooms": 1, "room": 1}}), 422, "/0/value/room"),
        (json!({"op": "test", "path": "/address/citty", "value": null}), 409, "/0/value"),
        (json!({"op": "add", "path": "/address/zip", "value": "1"}), 200, ""),
        (json!({"op": "test", "path": "/owner/since", "value": 0}), 200, ""),
        (json!({"op": "replace", "path": "/owner/name", "value": "Eve"}), 200, ""),
    ] {
        let operations = json!([operation]).to_string();
        let response = client.patch("/houses/1").body("application/json-patch+json", operations).send();
        response.assert_documented();
        let body: Value = response.assert_status(status).json();
        assert_eq!(body["errors"][0]["pointer"].as_str().unwrap_or_default(), pointer, "{operation}: {body}");
    }
}

#[test]
fn a_resource_that_ignores_unknown_properties_ignores_nested_ones() {
    let client = client::<Shed>();
    send(&client, "POST /sheds", Some(&json!({"address": {"city": "Oslo", "x": 1}}))).assert_status(201);
    let changed = send(&client, "PATCH /sheds/1", Some(&json!({"address": {"citty": "X", "zip": "1"}})));
    assert_eq!(changed.assert_status(200).json::<Value>()["data"]["address"], json!({"city": "Oslo", "zip": "1"}));
}

/// The body of a handwritten endpoint.
#[derive(Request)]
struct Handwritten {
    #[body]
    address: Address,
}

#[test]
fn handwritten_bodies_ignore_unknown_properties() {
    let route = Route::post("/addresses").id("read").public();
    let route = route.handler(async |request: Handwritten| Ok::<_, Problem>(Data(request.address.city)));
    let client = TestClient::new(Api::builder(Configuration::new("tests", "1.0.0")).controller(route).build().unwrap());
    send(&client, "POST /addresses", Some(&json!({"city": "Oslo", "x": 1}))).assert_status(200);
}

#[test]
fn only_components_of_requests_forbid_unknown_properties() {
    let document = document::<House>();
    let schemas = document["components"]["schemas"].as_object().unwrap();
    let forbids = |name: &str| schemas[name].get("additionalProperties").is_some();
    for (name, expected) in [
        ("NewHouse", true),
        ("HouseChanges", true),
        ("House", false),
        ("Address", false),
        ("AddressInput", true),
        ("AddressChanges", true),
        ("Owner", false),
        ("OwnerInput", true),
        ("UseHome", false),
        ("UseHomeInput", true),
    ] {
        assert_eq!(forbids(name), expected, "{name}");
    }
    assert_eq!(schemas["NewHouse"]["properties"]["address"]["$ref"], "#/components/schemas/AddressInput");
    assert_eq!(schemas["House"]["properties"]["address"]["$ref"], "#/components/schemas/Address");
}
