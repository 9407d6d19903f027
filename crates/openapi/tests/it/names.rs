//! Names of components stay the same when a service grows.

use std::collections::BTreeMap;

use restwright_openapi::Document;
use restwright_runtime::Api;
use restwright_runtime::core::http::{HttpRequest, HttpResponse, StatusCode};
use restwright_runtime::core::operation::{HeaderObject, Operation, SchemaUse};
use restwright_runtime::core::problem::{ProblemKind, catalogue};
use restwright_runtime::core::schema::{
    Property, PropertyCollection, SchemaObject, enumeration, int64, object, string,
};
use restwright_runtime::core::{Data, Middleware, Next, Route};
use serde_json::{Value, json};

use crate::support::{Endpoint, configuration};

/// Adds problems of the framework and a header, as middlewares for limits and decoding do.
struct Limits;

impl Middleware for Limits {
    fn describe(&self, operation: &mut Operation) {
        let problems = [
            catalogue::CONCURRENCY_LIMITED,
            catalogue::IDEMPOTENCY_IN_PROGRESS,
            catalogue::IDEMPOTENCY_KEY_REUSED,
            catalogue::INVALID_IDEMPOTENCY_KEY,
            catalogue::UNDECODABLE_BODY,
            catalogue::UNSUPPORTED_CODING,
        ];
        problems.into_iter().for_each(|problem| operation.add_problem(problem));
        operation.add_common_header(HeaderObject::new("RateLimit", SchemaUse::output(SchemaObject::string())));
    }

    async fn handle(
        &self,
        request: &mut HttpRequest,
        next: Next<'_>,
    ) -> restwright_runtime::core::Result<HttpResponse> {
        Ok(next.run(request).await)
    }
}

/// `note` has a property of each type, changed by serde's attributes.
fn routes(note: fn(Property) -> Property) -> Vec<Route> {
    let note = || note(string("note"));
    let address = PropertyCollection::new("Address").property(string("city")).property(note());
    let new = PropertyCollection::new("NewPet")
        .property(string("name"))
        .property(note())
        .property(object("address", address.clone()));
    let pet = PropertyCollection::new("Pet")
        .property(int64("id"))
        .property(note())
        .property(enumeration("species", ["cat", "dog"]))
        .property(object("address", address));
    let login = PropertyCollection::new("Login").property(string("password").write_only()).property(note());
    let unknown = ProblemKind::new(StatusCode::NOT_FOUND, "pet_not_found", "Pet not found");
    vec![
        Route::get("/pets").id("listPets").public().response(200, SchemaObject::array(pet.clone())),
        Route::post("/pets").id("createPet").public().body(new).response(201, pet.clone()).problem(catalogue::CONFLICT),
        Route::put("/pets").id("replacePet").authorize("bearer", ["pets"]).body(pet.clone()).response(200, pet),
        Route::delete("/pets").id("deletePet").public().problem(unknown),
        Route::post("/session").id("login").public().body(login),
    ]
}

fn document(routes: Vec<Route>, middleware: Option<Limits>) -> Value {
    let mut builder = Api::builder(configuration());
    if let Some(middleware) = middleware {
        builder = builder.middleware(middleware);
    }
    let api = routes.into_iter().fold(builder, |builder, route| builder.controller(Endpoint(route))).build().unwrap();
    serde_json::to_value(Document::from_api(&api)).unwrap()
}

/// Returns the location of each reference in operations and components, with the component that it refers to.
fn references(document: &Value) -> BTreeMap<String, String> {
    fn collect(value: &Value, place: &str, found: &mut BTreeMap<String, String>) {
        match value {
            Value::Object(members) => {
                if let Some(Value::String(target)) = members.get("$ref") {
                    found.insert(place.to_owned(), target.clone());
                }
                members.iter().for_each(|(name, member)| collect(member, &format!("{place}/{name}"), found));
            }
            Value::Array(items) => {
                items.iter().enumerate().for_each(|(index, item)| collect(item, &format!("{place}/{index}"), found));
            }
            _ => {}
        }
    }
    let mut found = BTreeMap::new();
    collect(document, "", &mut found);
    found
}

#[test]
fn keeps_component_names_when_a_service_grows() {
    let before = references(&document(routes(|note| note), None));
    for (path, name) in [("/pets", "NewPet"), ("/session", "Login")] {
        let body = format!("/paths/{path}/post/requestBody/content/application/json/schema");
        assert_eq!(before[&body], format!("#/components/schemas/{name}"));
    }
    let limited =
        |path: &str| Route::get(path.to_owned()).id(path.to_owned()).public().problem(catalogue::RATE_LIMITED);
    let with = |route: Route| [routes(|note| note), vec![route]].concat();
    let shelter = PropertyCollection::new("Shelter").property(string("name"));
    let other = ProblemKind::new(StatusCode::NOT_FOUND, "shelter_not_found", "Shelter not found");
    for (change, after) in [
        ("a default", document(routes(Property::input_optional), None)),
        ("an optional property", document(routes(Property::optional), None)),
        ("a published default", document(routes(|note| note.default_value("none")), None)),
        ("a middleware", document(routes(|note| note), Some(Limits))),
        ("an endpoint", document(with(limited("/limited")), None)),
        (
            "an endpoint of another type",
            document(with(Route::get("/shelters").id("listShelters").public().response(200, shelter)), None),
        ),
        (
            "an endpoint with another problem",
            document(with(Route::get("/shelter").id("viewShelter").public().problem(other)), None),
        ),
    ] {
        let after = references(&after);
        for (place, target) in &before {
            assert_eq!(after.get(place), Some(target), "{change} renames what is at {place}");
        }
    }
}

#[test]
fn a_type_and_its_option_have_separate_names() {
    let [count, latest] = ["count", "latest"].map(|name| Route::get(format!("/{name}")).id(name).public());
    let api = Api::builder(configuration())
        .controller(count.handler(async |(): ()| Ok(Data(7_u32))))
        .controller(latest.handler(async |(): ()| Ok(Data(Some(7_u32)))))
        .build()
        .unwrap();
    let schemas = Document::from_api(&api).components.schemas;
    let shown = |name: &str| schemas[name]["properties"]["data"]["type"].clone();
    assert_eq!(shown("DataUint32"), json!("integer"));
    assert_eq!(shown("DataNullableUint32"), json!(["integer", "null"]));
}
