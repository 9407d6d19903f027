//! A JSON Schema validator for the published schemas.

use std::collections::BTreeMap;
use std::sync::Arc;

use jsonschema::Validator;
use serde_json::{Value, json};

pub fn validator(schema: &Value, components: &BTreeMap<String, Arc<Value>>) -> Validator {
    let mut document = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "allOf": [schema],
        "components": { "schemas": components },
    });
    bound_integers(&mut document);
    jsonschema::options()
        .should_validate_formats(true)
        .build(&document)
        .unwrap_or_else(|error| panic!("the published schema is none: {error}\n{document:#}"))
}

/// Adds the bounds that the format `int64` implies, because validators know only formats of strings.
fn bound_integers(schema: &mut Value) {
    match schema {
        Value::Array(items) => items.iter_mut().for_each(bound_integers),
        Value::Object(keywords) => {
            if keywords.get("format").is_some_and(|format| format == "int64") {
                keywords.entry("minimum").or_insert_with(|| i64::MIN.into());
                keywords.entry("maximum").or_insert_with(|| i64::MAX.into());
            }
            keywords.values_mut().for_each(bound_integers);
        }
        _ => {}
    }
}
