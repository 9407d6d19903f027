//! The documents of the examples, which client generators read.

use std::fs;
use std::path::Path;

use serde_json::Value;

const EXAMPLES: [&str; 5] = ["animals", "contracts", "files", "operations", "tracker"];

fn document(example: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples").join(example).join("openapi.json");
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

fn members(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}

fn is_described(document: &Value, object: &Value) -> bool {
    if object["description"].is_string() {
        return true;
    }
    // A component has its own description, also in lists.
    let reference = object["$ref"].as_str().or(object["items"]["$ref"].as_str());
    let referred = reference.and_then(|reference| document.pointer(reference.strip_prefix('#')?));
    referred.is_some_and(|component| component["description"].is_string() || component["type"] == "object")
}

#[test]
fn everything_in_the_examples_is_described() {
    let mut bare = Vec::new();
    for example in EXAMPLES {
        let document = document(example);
        for (path, item) in members(&document["paths"]) {
            for (method, operation) in members(item) {
                if !operation["summary"].is_string() || !operation["description"].is_string() {
                    bare.push(format!("{example}: {method} {path}"));
                }
                for parameter in operation["parameters"].as_array().into_iter().flatten() {
                    if !is_described(&document, parameter) {
                        bare.push(format!("{example}: {method} {path} {}", parameter["name"]));
                    }
                }
            }
        }
        for (name, schema) in members(&document["components"]["schemas"]) {
            let properties = members(&schema["properties"]);
            let undescribed = properties.filter(|(_, property)| !is_described(&document, property));
            bare.extend(undescribed.map(|(property, _)| format!("{example}: {name}.{property}")));
        }
        for (name, header) in
            members(&document["components"]["headers"]).chain(members(&document["x-response-headers"]))
        {
            if !is_described(&document, header) {
                bare.push(format!("{example}: the header {name}"));
            }
        }
    }
    assert!(bare.is_empty(), "without a description: {bare:#?}");
}

#[test]
fn names_of_components_are_short_and_not_numbered() {
    for example in EXAMPLES {
        let document = document(example);
        for (name, _) in members(&document["components"]).flat_map(|(_, section)| members(section)) {
            assert!(name.len() <= 40, "{example}: {name} has {} characters", name.len());
            let numbered = name.rsplit_once('-').is_some_and(|(_, end)| end.bytes().all(|byte| byte.is_ascii_digit()));
            assert!(!numbered, "{example}: {name}");
        }
    }
}

#[test]
fn generators_read_the_formats_of_integers() {
    for example in EXAMPLES {
        let text = document(example).to_string();
        assert!(!text.contains("\"uint") && !text.contains("\"int8") && !text.contains("\"int16"), "{example}");
    }
}

#[test]
fn the_document_of_the_animals_is_small() {
    let length = document("animals").to_string().len();
    assert!(length <= 81_406, "{length} bytes; 60 % of what it had before responses were shared is 81,406");
}
