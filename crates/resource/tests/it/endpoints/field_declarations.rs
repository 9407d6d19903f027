//! Declarations of fields that only some callers may read or write: what does not build, what documents contain, and the other forms of a resource.

use restwright::auth::{Access, Identity};
use restwright::list::{Operator, ValueType};
use restwright::openapi::Document;
use restwright::prelude::*;
use restwright::schema::{date_time, int64, string};
use restwright::testing::TestClient;
use restwright_resource::{
    Endpoints, EntityDefinition, EntityStore, FieldAccess, FieldDefinition, IdentifierKind, MemoryStore,
    ResourceDefinition, Scope,
};
use serde_json::{Value, json};

use super::callers::Callers;
use super::staff::{Member, world};

fn shape() -> PropertyCollection {
    PropertyCollection::new("Person")
        .property(int64("id").read_only())
        .property(string("name"))
        .property(int64("salary").optional().description("Per month."))
        .property(date_time("made").read_only())
}

fn people(shape: PropertyCollection) -> ResourceDefinition {
    ResourceDefinition::new("/people", "people", shape, "id", IdentifierKind::Integer)
        .field("made", FieldDefinition::created_at)
}

fn salary(change: impl FnOnce(FieldDefinition) -> FieldDefinition) -> ResourceDefinition {
    people(shape()).field("salary", change)
}

#[test]
fn a_declaration_without_sense_does_not_build() {
    let anybody = || Access::authenticated("caller");
    let required = || shape().property(string("grade"));
    let defaulted = || shape().property(string("grade").default_value("a"));
    for (people, access, expected) in [
        (salary(|field| field.read("hr").write("hr")), anybody(), ""),
        (salary(|field| field.read("")), anybody(), "`salary` of `people` requires an empty name"),
        (salary(|field| field.write(FieldAccess::scope("a b"))), anybody(), "`a b` is not a valid scope"),
        (salary(|field| field.scope().write("hr")), anybody(), "must not have `read` or `write`"),
        (salary(|field| field.version().read("hr")), anybody(), "must not have `read` or `write`"),
        (people(shape()).field("made", |field| field.read("hr")), anybody(), ""),
        (people(shape()).field("made", |field| field.write("hr")), anybody(), "is set by the service"),
        (salary(|field| field.unique().write("hr")), anybody(), ""),
        (salary(|field| field.unique().read("hr")), anybody(), "a conflict reveals its values"),
        (salary(|field| field.unique().read("hr")).reveals(["salary"]), anybody(), ""),
        (
            people(required()).field("grade", |field| field.write("hr")),
            anybody(),
            "requires `grade`, which only callers",
        ),
        (
            people(required()).field("grade", |field| field.read("hr")),
            anybody(),
            "requires `grade`, which only callers",
        ),
        (
            people(required()).field("grade", |field| field.write("hr")),
            anybody().all_scopes(["hr"]),
            "callers with the permission `hr` may write",
        ),
        (people(required()).field("grade", |field| field.write("hr")), anybody().all_permissions(["hr"]), ""),
        (people(defaulted()).field("grade", |field| field.write("hr")), anybody(), ""),
    ] {
        let shown = format!("{:?}", people.definition());
        let endpoints = Endpoints::from_definition(people, MemoryStore::new(), access);
        let configuration = Configuration::new("people", "1.0.0").authenticator("caller", Callers);
        let built = Api::builder(configuration).module(&endpoints).build();
        let found = built.err().map(|errors| errors.to_string()).unwrap_or_default();
        assert_eq!(found.is_empty(), expected.is_empty(), "{shown}: {found}");
        assert!(found.contains(expected), "{shown}: {found}");
    }
}

#[test]
fn documents_name_what_a_field_requires() {
    let client = world().0;
    let document: Value = serde_json::from_str(&Document::from_api(client.api()).to_json()).unwrap();
    let schemas = &document["components"]["schemas"];
    let of = |schema: &str, property: &str| {
        let required = schemas[schema]["required"].as_array().into_iter().flatten();
        let is_required = required.clone().any(|required| required == property);
        (is_required, schemas[schema]["properties"][property]["description"].as_str().unwrap_or_default().to_owned())
    };
    let may = |verb: &str| format!("Only callers with the permission `{verb}` may {verb} this property.");
    assert_eq!(of("Member", "name"), (true, String::new()));
    assert_eq!(of("Member", "notes"), (false, may("read")));
    assert_eq!(of("Member", "created_at"), (false, may("read")));
    assert_eq!(of("NewMember", "notes"), (false, may("write")));
    assert_eq!(of("MemberChanges", "salary").1, may("write"));
    let headers = |method: &str, path: &str, status: &str| {
        let headers = document["paths"][path][method]["responses"][status]["headers"].as_object().cloned();
        headers.is_some_and(|headers| headers.contains_key("Cache-Control"))
    };
    assert!(headers("get", "/staff/{id}", "200") && headers("get", "/staff/{id}", "304"));
    assert!(headers("get", "/staff", "200") && headers("post", "/staff/{id}/raise", "200"));
    let explained = client.api().explain();
    let note = "field `salary`: read with the permission `read`, write with the permission `write`";
    assert!(explained.contains(note), "{explained}");
}

/// A resource that is declared at run time, with bodies that ignore unknown properties.
#[test]
fn a_resource_at_run_time_has_the_same_rules() {
    let guarded =
        |field: FieldDefinition| field.read(FieldAccess::role("roles", "hr")).write(FieldAccess::permission("write"));
    let people = salary(guarded).filter("salary", [Operator::Eq]).ignore_unknown_properties();
    let endpoints = Endpoints::from_definition(people, MemoryStore::new(), Access::authenticated("caller")).put();
    let configuration = Configuration::new("people", "1.0.0").authenticator("caller", Callers);
    let client = TestClient::new(Api::builder(configuration).module(&endpoints).build().unwrap());
    let send = |caller: &str, method: &str, path: &str, body: Value| {
        let request = match method {
            "POST" => client.post(path),
            "PATCH" => client.patch(path),
            "PUT" => client.put(path),
            _ => client.get(path),
        };
        let request = request.header("X-Caller", caller);
        let response = if body.is_null() { request.send() } else { request.json(&body).send() };
        response.assert_documented();
        let json: Value = response.json();
        let code = json["errors"][0]["code"].as_str().unwrap_or_default();
        format!("{} {}{code}", response.status().as_u16(), json["data"]["salary"])
    };
    let hr = "hr write role:hr";
    assert_eq!(send(hr, "POST", "/people", json!({"name": "Ann", "salary": 7})), "201 7");
    // Bodies ignore the hidden property like any unknown one.
    for (caller, method, path, body, expected) in [
        ("ann", "GET", "/people/1", Value::Null, "200 null"),
        ("ann role:hr", "GET", "/people/1", Value::Null, "200 7"),
        ("ann", "PATCH", "/people/1", json!({"salary": 9, "name": "Bob"}), "200 null"),
        ("ann", "PUT", "/people/1", json!({"salary": 9, "name": "Bob"}), "200 null"),
        ("ann", "POST", "/people", json!({"salary": 9, "name": "Bob"}), "201 null"),
        ("ann role:hr", "PATCH", "/people/1", json!({"salary": 9}), "422 nullread_only"),
        ("ann role:hr", "PUT", "/people/1", json!({"salary": 7, "name": "Bob"}), "200 7"),
        ("ann role:hr", "POST", "/people", json!({"salary": 9, "name": "Bob"}), "422 nullread_only"),
        ("ann", "GET", "/people?salary=7", Value::Null, "422 nullunknown_property"),
        ("ann role:hr", "GET", "/people?salary=7", Value::Null, "200 null"),
        (hr, "GET", "/people/1", Value::Null, "200 7"),
        (hr, "GET", "/people/2", Value::Null, "200 null"),
        ("ann write", "PATCH", "/people/1", json!({"salary": 9}), "200 null"),
        (hr, "GET", "/people/1", Value::Null, "200 9"),
    ] {
        assert_eq!(send(caller, method, path, body.clone()), expected, "{caller}: {method} {path} {body}");
    }
}

#[test]
fn a_resource_without_guarded_fields_is_not_private() {
    let endpoints = Endpoints::from_definition(people(shape()), MemoryStore::new(), Access::public());
    let client =
        TestClient::new(Api::builder(Configuration::new("people", "1.0.0")).module(&endpoints).build().unwrap());
    let created = client.post("/people").json(&json!({"name": "Ann"})).send();
    created.assert_status(201);
    assert!(created.header("cache-control").is_none() && !created.header("etag").unwrap().contains('~'));
}

/// A handler works with whole entities. A problem names no field that its caller may not read.
#[tokio::test]
async fn a_handler_works_with_whole_entities() {
    let (store, scope) = (MemoryStore::new(), Scope::new());
    let member = |badge: &str| Member {
        id: uuid::Uuid::nil(),
        name: "Ann".to_owned(),
        salary: Some(7),
        badge: Some(badge.to_owned()),
        notes: Vec::new(),
        created_at: jiff::Timestamp::UNIX_EPOCH,
    };
    let stored = EntityStore::<Member>::new(&store, &scope).insert(member("b1")).await.unwrap();
    let detail = async |caller: &Identity| {
        let conflict = EntityStore::<Member>::new(&store, &scope).for_caller(caller).insert(member("b1")).await;
        format!("{:?}", conflict.unwrap_err())
    };
    let reader = Identity::builder("ann").permissions(["read"]).build();
    let ann = Identity::builder("ann").build();
    assert!(detail(&reader).await.contains("badge") && !detail(&ann).await.contains("badge"));
    let found = EntityStore::<Member>::new(&store, &scope).for_caller(&ann).find(&stored.id).await.unwrap().unwrap();
    assert_eq!(found.entity.salary, Some(7));
}

#[test]
fn a_definition_returns_what_a_field_requires() {
    let read = FieldDefinition::new("salary", ValueType::Integer).read("hr");
    let both = read.clone().write(FieldAccess::role("roles", "boss"));
    assert_eq!(read.write_access(), Some(&FieldAccess::permission("hr")));
    assert_eq!(both.write_access().unwrap().to_string(), "the role `boss`");
    let definition = |field| EntityDefinition::new("people", "id", IdentifierKind::Uuid).field(field);
    assert_ne!(definition(read), definition(both));
}
