//! `#[resource(..)]`: the settings of the endpoints.

use restwright::prelude::*;
use serde::Serialize;
use serde_json::{Value, json};

use super::{client, component, document, send};

/// What is written once.
#[derive(Clone, Serialize, Resource)]
#[resource(path = "/entries", tag = "Journal", pagination = offset(max = 5), without(update, view), require_preconditions)]
struct Entry {
    #[property(id)]
    id: i64,
}

#[test]
fn operations_limits_and_the_tag() {
    let document = document::<Entry>();
    let methods = |path: &str| document["paths"][path].as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(
        (methods("/entries"), methods("/entries/{id}")),
        (vec!["get".to_owned(), "post".to_owned()], vec!["delete".to_owned()])
    );
    let list = &document["paths"]["/entries"]["get"];
    assert_eq!(list["tags"], json!(["Journal"]));
    let limit = list["parameters"].as_array().unwrap().iter().find(|one| one["name"] == "limit").unwrap();
    assert_eq!((&limit["schema"]["default"], &limit["schema"]["maximum"]), (&json!(5), &json!(5)));
    assert!(list["parameters"].as_array().unwrap().iter().any(|one| one["name"] == "offset"));
}

#[test]
fn preconditions_are_required() {
    let client = client::<Entry>();
    send(&client, "POST /entries", Some(&json!({}))).assert_status(201);
    let response: Value = send(&client, "DELETE /entries/1", None).assert_status(428).json();
    assert_eq!(response["status"], 428);
}

/// What can be replaced and created at once.
#[derive(Clone, Serialize, Resource)]
#[resource(path = "/labels", put, batch, delete(view))]
struct Label {
    #[property(id(given))]
    code: String,
    text: String,
    size: Option<u64>,
    #[property(read_only)]
    uses: u8,
    #[property(version)]
    revision: i64,
}

#[test]
fn integers_are_those_that_stores_keep() {
    let document = document::<Label>();
    for body in ["NewLabel", "LabelChanges"] {
        let size = &component(&document, body)["properties"]["size"];
        assert_eq!(size["format"], "int64", "{body}: {size}");
    }
    let client = client::<Label>();
    let label = |size: u64| json!({"code": "a", "text": "A", "size": size});
    let refused: Value = send(&client, "POST /labels", Some(&label(1 << 63))).assert_status(422).json();
    assert_eq!((&refused["errors"][0]["pointer"], &refused["errors"][0]["code"]), (&json!("/size"), &json!("maximum")));
    send(&client, "POST /labels", Some(&label((1 << 63) - 1))).assert_status(201);
}

#[test]
fn replacements_batches_and_deletes_with_a_body() {
    let client = client::<Label>();
    let labels = json!({"data": [{"code": "a", "text": "A"}, {"code": "b", "text": "B"}]});
    send(&client, "POST /labels/batch", Some(&labels)).assert_status(201);
    let replaced: Value =
        send(&client, "PUT /labels/a", Some(&json!({"code": "a", "text": "C"}))).assert_status(200).json();
    assert_eq!((&replaced["data"]["text"], &replaced["data"]["uses"]), (&json!("C"), &json!(0)));
    send(&client, "PUT /labels/a", Some(&json!({"code": "b", "text": "C"}))).assert_status(422);
    send(&client, "PUT /labels/c", Some(&json!({"code": "c", "text": "C"}))).assert_status(201);
    let deleted: Value = send(&client, "DELETE /labels/b", None).assert_status(200).json();
    assert_eq!(deleted["data"]["text"], "B");
}

/// What is imported from clients that send more than is wanted.
#[derive(Clone, Serialize, Resource)]
#[resource(path = "/imports", ignore_unknown_properties)]
struct Import {
    #[property(id)]
    id: i64,
    text: String,
}

#[test]
fn unknown_properties_are_ignored_by_choice() {
    let client = client::<Import>();
    send(&client, "POST /imports", Some(&json!({"text": "A", "color": "red"}))).assert_status(201);
    let changed = send(&client, "PATCH /imports/1", Some(&json!({"text": "B", "id": 1, "color": "red"})));
    let changed: Value = changed.assert_status(200).json();
    assert_eq!(changed["data"], json!({"id": 1, "text": "B"}));
    // What clients see is compared all the same.
    send(&client, "PATCH /imports/1", Some(&json!({"id": 7}))).assert_status(422);
    let schemas = &document::<Import>()["components"]["schemas"];
    for name in ["NewImport", "ImportChanges"] {
        assert!(schemas[name].is_object() && schemas[name].get("additionalProperties").is_none(), "{name}");
    }
}

/// In a block of a function, which has no path.
#[test]
fn resources_in_a_function() {
    #[derive(Clone, Serialize, Resource)]
    #[resource(path = "/leaves", table = "leaves")]
    struct Leaf {
        #[property(id)]
        id: i64,
        #[property(filter(eq), sort)]
        r#type: String,
    }
    let client = client::<Leaf>();
    send(&client, "POST /leaves", Some(&json!({"type": "oak"}))).assert_status(201);
    let listed: Value = send(&client, "GET /leaves?type=oak&order_by=type", None).assert_status(200).json();
    assert_eq!(listed["data"], json!([{"id": 1, "type": "oak"}]));
    assert_eq!(NewLeaf::schema_type(&mut restwright::schema::Registry::new()).label(), "NewLeaf");
}
