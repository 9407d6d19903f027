//! A JSON Schema validator, given the schemas that are published.

use std::collections::BTreeMap;

use jsonschema::Validator;
use serde_json::{Value, json};

pub fn validator(schema: &Value, components: &BTreeMap<String, Value>) -> Validator {
    let document = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "allOf": [schema],
        "components": { "schemas": components },
    });
    jsonschema::options()
        .should_validate_formats(true)
        .build(&document)
        .unwrap_or_else(|error| panic!("the published schema is none: {error}\n{document:#}"))
}
