//! The filter `has` on lists of strings, enumerations and integers.

use restwright::auth::Access;
use restwright::list::{CursorKey, Operator};
use restwright::openapi::Document;
use restwright::prelude::*;
use restwright::schema::{SchemaObject, array, int64};
use restwright::testing::TestClient;
use restwright_resource::{Endpoints, IdentifierKind, ResourceDefinition};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::callers::Callers;
use super::counting_store::CountingStore;

/// A ticket.
#[derive(Clone, Debug, Serialize, Deserialize, Resource)]
#[resource(path = "/tickets", pagination = cursor(default = 2))]
struct Ticket {
    #[property(id)]
    id: i64,
    #[property(items(min_length = 1, max_length = 8), filter(has, index))]
    labels: Vec<String>,
    #[property(filter(has), read = "read")]
    colors: Option<Vec<Color>>,
    #[property(filter(has))]
    #[serde(default)]
    numbers: Vec<i64>,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize, Schema)]
#[serde(rename_all = "lowercase")]
enum Color {
    Red,
    Blue,
}

fn client() -> TestClient {
    let tickets = Endpoints::<Ticket>::new(CountingStore::default(), Access::authenticated("caller"));
    let configuration =
        Configuration::new("tickets", "1.0.0").with(CursorKey::new([7; 32])).authenticator("caller", Callers);
    let client = TestClient::new(Api::builder(configuration).module(&tickets).build().unwrap());
    for body in [
        json!({"labels": ["a", "b,c"], "colors": ["red"], "numbers": [1, -2]}),
        json!({"labels": ["A"], "colors": null, "numbers": [i64::MAX]}),
        json!({"labels": ["'", "a"], "colors": ["blue", "red"]}),
        json!({"labels": [], "colors": []}),
    ] {
        client.post("/tickets").header("X-Caller", "ann read").json(&body).send().assert_status(201);
    }
    client
}

#[track_caller]
fn ids(client: &TestClient, caller: &str, query: &str) -> Result<Vec<i64>, Vec<String>> {
    let response = client.get(format!("/tickets?limit=50&{query}")).header("X-Caller", caller).send();
    response.assert_documented();
    if response.status() == 422 {
        return Err(response.violations().iter().map(|one| format!("{} {}", one.pointer, one.code)).collect());
    }
    let body: Value = response.assert_status(200).json();
    Ok(body["data"].as_array().unwrap().iter().filter_map(|item| item["id"].as_i64()).collect())
}

#[test]
fn finds_lists_that_contain_the_value() {
    let client = client();
    for (query, expected) in [
        ("filter[labels][has]=a", vec![1, 3]),
        ("labels[has]=b,c", vec![1]),
        ("labels[has]=%27", vec![3]),
        ("labels[has]=none", vec![]),
        ("colors[has]=red", vec![1, 3]),
        ("colors[has]=blue&labels[has]=a", vec![3]),
        ("numbers[has]=-2", vec![1]),
        ("numbers[has]=9223372036854775807", vec![2]),
        ("numbers[has]=2", vec![]),
    ] {
        assert_eq!(ids(&client, "ann read", query), Ok(expected), "{query}");
    }
}

#[test]
fn other_operators_and_wrong_values_are_violations() {
    let client = client();
    for (query, expected) in [
        ("labels=a", "/labels unknown_operator"),
        ("labels[eq]=a", "/labels[eq] unknown_operator"),
        ("labels[has]=", "/labels[has] min_length"),
        ("labels[has]=123456789", "/labels[has] max_length"),
        ("colors[has]=green", "/colors[has] enum"),
        ("numbers[has]=one", "/numbers[has] type"),
        ("labels[has]=a&labels[has]=b", "/labels[has] duplicate_condition"),
        ("order_by=labels", "/order_by unknown_sort_field"),
    ] {
        assert_eq!(ids(&client, "ann read", query), Err(vec![expected.to_owned()]), "{query}");
    }
    // The property does not exist for this caller.
    assert!(ids(&client, "bob", "colors[has]=red").is_err());
}

#[test]
fn a_cursor_keeps_the_filter() {
    let client = client();
    let first = client.get("/tickets?labels[has]=a&limit=1").header("X-Caller", "ann read").send().json::<Value>();
    let next = first["pagination"]["next_cursor"].as_str().unwrap();
    assert_eq!(ids(&client, "ann read", &format!("labels[has]=a&cursor={next}")), Ok(vec![3]));
    assert!(ids(&client, "ann read", &format!("labels[has]=A&cursor={next}")).is_err());
}

#[test]
fn the_document_contains_the_schema_of_the_items() {
    let client = client();
    let document: Value = serde_json::from_str(&Document::from_api(client.api()).to_json()).unwrap();
    let parameters = document["paths"]["/tickets"]["get"]["parameters"].as_array().unwrap();
    let labels = parameters.iter().find(|one| one["name"] == "filter[labels][has]").unwrap();
    assert_eq!(labels["schema"], json!({"type": "string", "minLength": 1, "maxLength": 8}));
    assert!(labels["description"].as_str().unwrap().contains("Is a list that contains this value."));
}

#[test]
fn a_run_time_resource_has_the_same_filter() {
    let shape = PropertyCollection::new("Note")
        .property(int64("id").read_only())
        .property(array("labels", SchemaObject::string().min_length(1)).optional())
        .property(array("levels", SchemaObject::integer()).optional());
    let notes = ResourceDefinition::new("/notes", "notes", shape, "id", IdentifierKind::Integer)
        .filter("labels", [Operator::Has])
        .filter("levels", [Operator::Has]);
    let notes = Endpoints::from_definition(notes, CountingStore::default(), Access::public());
    let client = TestClient::new(Api::builder(Configuration::new("notes", "1.0.0")).module(&notes).build().unwrap());
    for body in [json!({"labels": ["a", "b"], "levels": [1]}), json!({"labels": ["b"]}), json!({})] {
        client.post("/notes").json(&body).send().assert_status(201);
    }
    for (query, expected) in [("labels[has]=b", vec![1, 2]), ("levels[has]=1", vec![1]), ("labels[has]=c", vec![])] {
        let listed: Value = client.get(format!("/notes?{query}")).send().assert_status(200).json();
        let ids: Vec<_> = listed["data"].as_array().unwrap().iter().filter_map(|item| item["id"].as_i64()).collect();
        assert_eq!(ids, expected, "{query}");
    }
    client.get("/notes?levels[has]=x").send().assert_status(422);
}

#[test]
fn rejects_has_on_a_single_value() {
    let shape = PropertyCollection::new("Note").property(int64("id").read_only()).property(int64("level"));
    let notes = ResourceDefinition::new("/notes", "notes", shape, "id", IdentifierKind::Integer)
        .filter("level", [Operator::Has]);
    let notes = Endpoints::from_definition(notes, CountingStore::default(), Access::public());
    let errors = Api::builder(Configuration::new("notes", "1.0.0")).module(&notes).build().unwrap_err().to_string();
    assert!(
        errors.contains("the filter `level` of `notes` has the operator `has`, but the field is not a list"),
        "{errors}"
    );
}
