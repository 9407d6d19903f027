//! Converts media types and examples to okapi's types.

use okapi::Map;
use okapi::openapi3::{self, Example, ExampleValue, Object};
use restwright_runtime::core::operation::{ExampleObject, MediaTypeObject};
use serde_json::Value;

use super::schema;

pub(crate) fn content(content: &[MediaTypeObject<Value>]) -> Map<String, openapi3::MediaType> {
    let media_type = |one: &MediaTypeObject<Value>| openapi3::MediaType {
        schema: one.schema.as_ref().map(schema::object),
        examples: examples(&one.examples),
        ..openapi3::MediaType::default()
    };
    content.iter().map(|one| (one.name.clone(), media_type(one))).collect()
}

pub(crate) fn examples(examples: &[ExampleObject]) -> Option<Map<String, Example>> {
    let example = |one: &ExampleObject| Example {
        summary: one.summary.clone(),
        description: None,
        value: ExampleValue::Value(one.value.clone()),
        extensions: Object::default(),
    };
    (!examples.is_empty()).then(|| examples.iter().map(|one| (one.name.clone(), example(one))).collect())
}
