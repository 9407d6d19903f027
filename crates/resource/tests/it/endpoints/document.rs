//! The document of the endpoints, and errors when an Api is built.

use restwright::auth::Access;
use restwright::openapi::Document;
use restwright::prelude::*;
use restwright_resource::{Endpoints, MemoryStore};
use serde_json::{Value, json};

use super::{Animal, Shelter};

#[test]
fn documents_the_operations() {
    let document: Value = serde_json::from_str(&Document::from_api(Shelter::new().client.api()).to_json()).unwrap();
    let find = |method: &str, path: &str| {
        let operation = &document["paths"][path][method];
        let statuses: Vec<_> = operation["responses"].as_object().unwrap().keys().collect();
        let statuses = statuses.iter().map(|status| status.as_str()).collect::<Vec<_>>().join(" ");
        let names: Vec<_> =
            operation["parameters"].as_array().into_iter().flatten().map(|one| one["name"].as_str().unwrap()).collect();
        json!([operation["operationId"], operation["summary"], operation["tags"][0], statuses, names.join(" ")])
    };
    let tag = "Animals";
    let common = "If-Match If-None-Match";
    let list = "filter[name] filter[name][contains] filter[species] filter[species][in] filter[weight_kg][gt] \
                filter[weight_kg][lt] order_by page limit";
    assert_eq!(
        find("post", "/animals"),
        json!(["createAnimal", "Create a new animal", tag, "201 400 406 408 409 413 415 422 500 503", ""])
    );
    assert_eq!(find("get", "/animals"), json!(["listAnimals", "List animals", tag, "200 400 406 422 500 503", list]));
    assert_eq!(
        find("get", "/animals/{id}"),
        json!(["viewAnimal", "Show one animal", tag, "200 304 400 404 406 412 422 500 503", format!("id {common}")])
    );
    assert_eq!(
        find("patch", "/animals/{id}"),
        json!([
            "updateAnimal",
            "Change one animal",
            tag,
            "200 400 404 406 408 409 412 413 415 422 500 503",
            format!("id {common}")
        ])
    );
    assert_eq!(
        find("delete", "/animals/{id}"),
        json!(["deleteAnimal", "Delete one animal", tag, "204 400 404 409 412 422 500 503", format!("id {common}")])
    );
}

#[test]
fn documents_the_shapes() {
    let document: Value = serde_json::from_str(&Document::from_api(Shelter::new().client.api()).to_json()).unwrap();
    let reference = |name: &str| json!(format!("#/components/schemas/{name}"));
    let body = |method: &str, path: &str, media_type: &str| {
        document["paths"][path][method]["requestBody"]["content"][media_type]["schema"]["$ref"].clone()
    };
    let shown = |method: &str, path: &str, status: &str| {
        document["paths"][path][method]["responses"][status]["content"]["application/json"]["schema"]["$ref"].clone()
    };
    let one = "/animals/{id}";
    assert_eq!(body("post", "/animals", "application/json"), reference("NewAnimal"));
    assert_eq!(body("patch", one, "application/json"), reference("AnimalChanges"));
    assert_eq!(body("patch", one, "application/merge-patch+json"), reference("AnimalChanges"));
    assert_eq!(shown("post", "/animals", "201"), reference("DataAnimal"));
    assert_eq!(shown("get", one, "200"), reference("DataAnimal"));
    assert_eq!(shown("patch", one, "200"), reference("DataAnimal"));
    assert_eq!(shown("get", "/animals", "200"), reference("AnimalItemPage"));
    let headers: Vec<_> =
        document["paths"]["/animals"]["post"]["responses"]["201"]["headers"].as_object().unwrap().keys().collect();
    assert_eq!(headers, ["ETag", "Location"]);
}

#[test]
fn rejects_a_resource_that_is_registered_twice() {
    let endpoints = || Endpoints::<Animal>::new(MemoryStore::new(), Access::public());
    let api = Api::builder(Configuration::new("shelter", "1.0.0")).module(&endpoints()).module(&endpoints());
    let errors = api.build().unwrap_err().to_string();
    assert!(errors.contains("the resource `animals` at `/animals` is registered twice"), "{errors}");
}
