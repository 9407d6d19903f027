//! `#[derive(Resource)]`.

mod animal;
mod by_hand;
mod closed_bodies;
mod everything;
mod modes;
mod parents;
mod settings;
mod without_create;

use restwright::auth::Access;
use restwright::prelude::*;
use restwright::resource::{FieldDefinition, MemoryStore, Resource};
use restwright::testing::{TestClient, TestResponse};
use restwright_openapi::Document;
use serde_json::Value;

fn api<R: Resource>() -> Api {
    Api::builder(Configuration::new("tests", "1.0.0"))
        .resource::<R>(MemoryStore::new(), Access::public())
        .build()
        .unwrap()
}

/// A client of an Api with the endpoints of a resource.
fn client<R: Resource>() -> TestClient {
    TestClient::new(api::<R>())
}

/// The document of an Api with the endpoints of a resource.
fn document<R: Resource>() -> Value {
    serde_json::from_str(&Document::from_api(&api::<R>()).to_json()).unwrap()
}

/// Sends a request such as `PATCH /animals/1`, whose response has to be documented.
#[track_caller]
fn send(client: &TestClient, request: &str, body: Option<&Value>) -> TestResponse {
    let (method, path) = request.split_once(' ').unwrap();
    let sent = client.request(method.parse().unwrap(), path);
    let response = match body {
        Some(body) => sent.json(body).send(),
        None => sent.send(),
    };
    response.assert_documented();
    response
}

/// The schema of a component, on the input side if it has two.
fn component<'d>(document: &'d Value, name: &str) -> &'d Value {
    let schemas = &document["components"]["schemas"];
    schemas.get(format!("{name}Input")).unwrap_or(&schemas[name])
}

/// The names of the properties of a component, and those that are required.
fn properties(document: &Value, name: &str) -> (Vec<String>, Vec<String>) {
    let schema = component(document, name);
    let names = schema["properties"].as_object().map(|properties| properties.keys().cloned().collect());
    let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned);
    (names.unwrap_or_default(), required.collect())
}

/// The fields of a definition, each with what is said of it.
fn fields<R: Resource>() -> Vec<String> {
    let described = |field: &FieldDefinition| {
        let mut text = format!("{} {:?}", field.name(), field.value_type());
        let flags = [
            (field.is_nullable(), "nullable"),
            (field.is_unique(), "unique"),
            (field.is_searchable(), "searchable"),
            (field.is_sortable(), "sortable"),
            (field.is_scope(), "scope"),
        ];
        for (_, flag) in flags.into_iter().filter(|(is_set, _)| *is_set) {
            text = format!("{text} {flag}");
        }
        if let Some((target, on_delete)) = field.reference() {
            text = format!("{text} -> {target} {on_delete:?}");
        }
        if let Some(managed) = field.managed() {
            text = format!("{text} {managed:?}");
        }
        if let Some(former) = field.former_name() {
            text = format!("{text} before {former}");
        }
        if let Some(parent) = field.parent_definition() {
            text = format!("{text} of {}", parent.name());
        }
        text
    };
    R::definition().fields().map(described).collect()
}
