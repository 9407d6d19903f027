//! The document of a resource that is declared at run time.

use restwright::openapi::Document;
use serde_json::{Value, json};

use super::client;

#[test]
fn documents_the_shapes_of_each_resource() {
    let document: Value = serde_json::from_str(&Document::from_api(client().api()).to_json()).unwrap();
    let schemas = &document["components"]["schemas"];
    let properties = |name: &str| -> Vec<String> {
        schemas[name]["properties"].as_object().unwrap_or_else(|| panic!("{name}")).keys().cloned().collect()
    };
    let sent = ["name", "species", "weight_kg", "visits", "tags", "address", "notes", "secret", "chip"];
    assert_eq!(properties("NewAnimal"), sent);
    assert_eq!(properties("AnimalChanges"), sent);
    assert_eq!(schemas["NewAnimal"]["required"], json!(["name", "species"]));
    assert_eq!(schemas["AnimalChanges"]["required"], Value::Null);
    for closed in ["NewAnimal", "AnimalChanges", "NewShelter", "ShelterChanges"] {
        assert_eq!(schemas[closed]["additionalProperties"], false, "{closed}");
    }
    let item = ["id", "name", "species", "visits", "tags", "address", "notes", "chip", "created_at"];
    assert_eq!(properties("AnimalItem"), item);
    let view = ["id", "name", "species", "weight_kg", "visits", "tags", "address", "notes", "chip", "created_at"];
    assert_eq!(properties("Animal"), view);
    assert_eq!(properties("Shelter"), ["code", "places", "area"]);
    let shown = |method: &str, path: &str, status: &str| {
        let schema = &document["paths"][path][method]["responses"][status]["content"]["application/json"]["schema"];
        schema["$ref"].as_str().unwrap().trim_start_matches("#/components/schemas/").to_owned()
    };
    assert_eq!(shown("get", "/animals/{id}", "200"), "DataAnimal");
    assert_eq!(shown("get", "/shelters/{id}", "200"), "DataShelter");
    assert_eq!(shown("get", "/animals", "200"), "AnimalItemPage");
    assert_eq!(document["paths"]["/animals"]["post"]["operationId"], "createAnimal");
}
