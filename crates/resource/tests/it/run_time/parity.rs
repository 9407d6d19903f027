//! Compares a derived resource with the same resource at run time. Equal requests must have equal responses.

use jiff::Timestamp;
use restwright::auth::Access;
use restwright::list::{Direction, Operator};
use restwright::prelude::*;
use restwright::schema::{Mode, SchemaObject, array, date_time, enumeration, int64, number, object, string, uuid};
use restwright::testing::{TestClient, TestResponse};
use restwright_resource::{Endpoints, FieldDefinition, IdentifierKind, MemoryStore, ResourceDefinition};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use uuid::Uuid;

/// An animal in the shelter.
#[derive(Clone, Serialize, Resource)]
#[resource(path = "/animals")]
struct Animal {
    #[property(id)]
    id: Uuid,
    #[property(min_length = 1, max_length = 20, unique, filter(eq, contains), sort)]
    name: String,
    #[property(filter(eq, in))]
    species: Species,
    #[property(minimum = 0.0, filter(gt, lt), exclude(list))]
    #[serde(skip_serializing_if = "Option::is_none")]
    weight_kg: Option<f64>,
    #[property(minimum = 0, default = 1, sort)]
    visits: i64,
    #[property(max_items = 3)]
    #[serde(skip_serializing_if = "Option::is_none")]
    tags: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<Address>,
    #[property(created_at, sort(default = desc))]
    created_at: Timestamp,
}

#[derive(Clone, Serialize, Deserialize, Schema)]
#[serde(rename_all = "lowercase")]
enum Species {
    Dog,
    Cat,
}

#[derive(Clone, Serialize, Deserialize, Schema)]
#[schema(changes)]
struct Address {
    #[property(min_length = 1)]
    city: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    zip: Option<String>,
}

fn definition() -> ResourceDefinition {
    let address =
        PropertyCollection::new("Address").property(string("city").min_length(1)).property(string("zip").optional());
    let shape = PropertyCollection::new("Animal")
        .property(uuid("id"))
        .property(string("name").min_length(1).max_length(20))
        .property(enumeration("species", ["dog", "cat"]))
        .property(number("weight_kg").minimum(0).optional().modes([Mode::Create, Mode::View, Mode::Update]))
        .property(int64("visits").minimum(0).default_value(1))
        .property(array("tags", SchemaObject::string()).max_items(3).optional())
        .property(object("address", address).optional())
        .property(date_time("created_at"));
    ResourceDefinition::new("/animals", "animals", shape, "id", IdentifierKind::Uuid)
        .field("name", FieldDefinition::unique)
        .field("created_at", FieldDefinition::created_at)
        .filter("name", [Operator::Eq, Operator::Contains])
        .filter("species", [Operator::Eq, Operator::In])
        .filter("weight_kg", [Operator::Gt, Operator::Lt])
        .sort("name")
        .sort("visits")
        .sort("created_at")
        .default_sort("created_at", Direction::Descending)
}

/// A client of one of the two resources, with the identifier and the tag of the last created entity.
struct Side {
    client: TestClient,
    id: String,
    tag: String,
}

impl Side {
    fn new(build: impl FnOnce(restwright::ApiBuilder) -> restwright::ApiBuilder) -> Self {
        let api = build(Api::builder(Configuration::new("shelter", "1.0.0"))).build().unwrap();
        Self { client: TestClient::new(api), id: Uuid::nil().to_string(), tag: "\"0\"".to_owned() }
    }

    /// Sends a request and returns the visible part of its response, without identifiers, times and versions.
    fn send(&mut self, request: &str, headers: &[(&str, &str)], body: Option<&Value>) -> (u16, Vec<String>, Value) {
        let (method, path) = request.split_once(' ').unwrap();
        let content_type = headers.iter().find(|(name, _)| *name == "Content-Type");
        let headers = headers.iter().filter(|(name, _)| *name != "Content-Type");
        let sent = self.client.request(method.parse().unwrap(), path.replace("{id}", &self.id));
        let sent = headers.fold(sent, |sent, (name, value)| sent.header(name, value.replace("{tag}", &self.tag)));
        let content_type = content_type.map_or("application/json", |(_, value)| value);
        let response = match body {
            Some(body) => sent.body(content_type, body.to_string()).send(),
            None => sent.send(),
        };
        response.assert_documented();
        let mut shown: Value = if response.text().is_empty() { Value::Null } else { response.json() };
        if let (201, Some(id)) = (response.status().as_u16(), shown.pointer("/data/id").and_then(Value::as_str)) {
            self.id = id.to_owned();
        }
        if let Some(tag) = response.header("etag") {
            self.tag = tag.to_owned();
        }
        without_own_values(&mut shown);
        (response.status().as_u16(), self.headers(&response), shown)
    }

    fn headers(&self, response: &TestResponse) -> Vec<String> {
        let names = ["allow", "accept-patch", "cache-control", "content-type", "link", "location", "vary", "etag"];
        let found = names.iter().filter_map(|name| Some((*name, response.header(name)?)));
        let found = found.map(|(name, value)| match name {
            "etag" => name.to_owned(),
            _ => format!("{name}: {}", value.replace(&self.id, "{id}")),
        });
        found.collect()
    }
}

fn without_own_values(shown: &mut Value) {
    match shown {
        Value::Object(members) => {
            for name in ["id", "created_at", "request_id"] {
                members.get_mut(name).into_iter().for_each(|value| *value = Value::Null);
            }
            members.values_mut().for_each(without_own_values);
        }
        Value::Array(items) => items.iter_mut().for_each(without_own_values),
        _ => {}
    }
}

/// A request with its headers and its body, and the status of both responses.
type Case = (&'static str, &'static [(&'static str, &'static str)], Option<Value>, u16);

#[test]
fn both_have_the_same_definition() {
    assert_eq!(definition().definition(), &Animal::definition());
}

#[test]
fn equal_requests_have_equal_responses() {
    let mut derived =
        Side::new(|api| api.module(&Endpoints::<Animal>::new(MemoryStore::new(), Access::public()).put().batch()));
    let mut declared = Side::new(|api| {
        api.module(&Endpoints::from_definition(definition(), MemoryStore::new(), Access::public()).put().batch())
    });
    let ada = json!({"name": "Ada", "species": "cat", "weight_kg": 4.5, "address": {"city": "Oslo", "zip": "1"}});
    let cases: Vec<Case> = vec![
        ("POST /animals", &[], Some(ada.clone()), 201),
        ("POST /animals", &[], Some(ada), 409),
        ("GET /animals/{id}", &[], None, 200),
        ("GET /animals/{id}", &[("If-None-Match", "{tag}")], None, 304),
        ("HEAD /animals/{id}", &[], None, 200),
        ("PATCH /animals/{id}", &[("If-Match", "\"0\"")], Some(json!({"visits": 3})), 412),
        ("PATCH /animals/{id}", &[("If-Match", "{tag}")], Some(json!({"visits": 3})), 200),
        ("PATCH /animals/{id}", &[], Some(json!({"address": {"zip": null}, "tags": ["a", "b"]})), 200),
        ("PATCH /animals/{id}", &[], Some(json!({"address": {"city": "Rome"}})), 200),
        ("PATCH /animals/{id}", &[], Some(json!({"address": null, "weight_kg": null, "tags": null})), 200),
        ("PATCH /animals/{id}", &[], Some(json!({"visits": null})), 200),
        ("PATCH /animals/{id}", &[], Some(json!({"address": {"zip": "1"}})), 422),
        ("PATCH /animals/{id}", &[], Some(json!({"name": null})), 422),
        ("PATCH /animals/{id}", &[], Some(json!({"name": "", "visits": -1, "tags": ["a", "b", "c", "d"]})), 422),
        ("PATCH /animals/{id}", &[], Some(json!({"unknown": 1})), 422),
        ("PATCH /animals/{id}", &[], Some(json!({"created_at": "2024-01-01T00:00:00Z"})), 422),
        ("PATCH /animals/{id}", &[], Some(json!([])), 422),
        ("PATCH /animals/{id}", &[("Content-Type", "application/json-patch+json")], Some(json!([])), 415),
        ("PUT /animals/{id}", &[], Some(json!({"name": "Bo", "species": "dog"})), 200),
        ("PUT /animals/{id}", &[], Some(json!({"name": "Bo"})), 422),
        ("PUT /animals/00000000-0000-0000-0000-000000000000", &[], Some(json!({"name": "C", "species": "dog"})), 404),
        ("POST /animals", &[], Some(json!({})), 422),
        ("POST /animals", &[], Some(json!({"name": 1, "species": "cow", "weight_kg": "heavy"})), 422),
        ("POST /animals", &[], Some(json!({"name": "A", "species": "cat", "id": "x"})), 422),
        ("POST /animals", &[], Some(json!({"name": "A", "species": "cat", "address": {}})), 422),
        ("POST /animals", &[], Some(json!({"name": "A\u{0}", "species": "cat"})), 422),
        ("POST /animals", &[], Some(json!(null)), 422),
        (
            "POST /animals/batch",
            &[],
            Some(json!({"data": [{"name": "D", "species": "cat"}, {"name": "Bo", "species": "cat"}]})),
            409,
        ),
        (
            "POST /animals/batch",
            &[],
            Some(json!({"data": [{"name": "D", "species": "cat"}, {"name": "E", "species": "cat"}]})),
            201,
        ),
        ("POST /animals/batch", &[], Some(json!({"data": []})), 422),
        ("GET /animals", &[], None, 200),
        ("GET /animals?order_by=-name,visits&limit=2", &[], None, 200),
        ("GET /animals?name[contains]=O&species=dog", &[], None, 200),
        ("GET /animals?species[in]=dog,cat&weight_kg[gt]=1", &[], None, 200),
        ("GET /animals?species=cow", &[], None, 422),
        ("GET /animals?order_by=species", &[], None, 422),
        ("GET /animals?page=0", &[], None, 422),
        ("GET /animals/7", &[], None, 422),
        ("GET /animals/00000000-0000-0000-0000-000000000000", &[], None, 404),
        ("DELETE /animals/{id}", &[("If-Match", "\"0\"")], None, 412),
        ("DELETE /animals/{id}", &[], None, 204),
        ("DELETE /animals/{id}", &[], None, 404),
        ("POST /animals/{id}", &[], None, 405),
    ];
    for (request, headers, body, status) in cases {
        let expected = derived.send(request, headers, body.as_ref());
        assert_eq!(expected.0, status, "{request} {headers:?} {body:?}: {expected:?}");
        let found = declared.send(request, headers, body.as_ref());
        assert_eq!(found, expected, "{request} {headers:?} {body:?}");
    }
}
