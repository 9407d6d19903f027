//! Tests the conversion of schemas from OpenAPI 3.1 to OpenAPI 3.0.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};

use super::schema::Conversion;
use crate::generate::versions::losses::Losses;

/// Converts schemas in a document with the components `Exact`, `Loose` and `Inner`. Compares the results and the losses
/// with the expected values.
#[track_caller]
fn check<const N: usize>(cases: [(Value, Value, &[&str]); N]) {
    let mut components = BTreeMap::from(
        [
            ("Exact".to_owned(), json!({ "type": "string" })),
            ("Inner".to_owned(), json!({ "contains": true })),
            ("Loose".to_owned(), json!({ "properties": { "inner": { "$ref": "#/components/schemas/Inner" } } })),
        ]
        .map(|(name, schema)| (name, Arc::new(schema))),
    );
    let mut losses = Losses::default();
    let mut conversion = Conversion::of_components(&mut components, &mut losses);
    for (schema, expected, lost) in cases {
        *conversion.losses = Losses::default();
        let (converted, _) = conversion.schema(&schema);
        assert_eq!(converted.to_string(), expected.to_string(), "of {schema}");
        let mut listed = Losses::default();
        lost.iter().for_each(|what| listed.add(*what));
        assert_eq!(*conversion.losses, listed, "of {schema}");
    }
}

#[test]
fn types_and_null() {
    let exact = json!({ "$ref": "#/components/schemas/Exact" });
    check([
        (json!({ "type": "string" }), json!({ "type": "string" }), &[]),
        (json!({ "type": ["string"] }), json!({ "type": "string" }), &[]),
        (json!({ "type": ["string", "null"] }), json!({ "type": "string", "nullable": true }), &[]),
        (json!({ "type": "null" }), json!({ "enum": [null] }), &[]),
        (json!({ "type": [] }), json!({}), &[]),
        (
            json!({ "type": ["array", "integer", "null"], "title": "A" }),
            json!({ "anyOf": [{ "type": "array", "items": {} }, { "type": "integer" }, { "enum": [null] }], "title": "A" }),
            &[],
        ),
        (
            json!({ "type": ["string", "null"], "enum": ["a", null] }),
            json!({ "type": "string", "nullable": true, "enum": ["a", null] }),
            &[],
        ),
        (
            json!({ "anyOf": [{ "type": "string", "enum": ["a"] }, { "type": "null" }], "title": "A" }),
            json!({ "type": "string", "enum": ["a", null], "nullable": true, "title": "A" }),
            &[],
        ),
        (
            json!({ "anyOf": [{ "type": "integer", "const": 7 }, { "type": "null" }] }),
            json!({ "type": "integer", "enum": [7, null], "nullable": true }),
            &[],
        ),
        (
            json!({ "anyOf": [exact, { "type": "null" }], "description": "D." }),
            json!({ "anyOf": [exact, { "enum": [null] }], "description": "D." }),
            &[],
        ),
        // The title is on both schemas, and one schema also restricts null.
        (
            json!({ "anyOf": [{ "type": "string", "title": "A" }, { "type": "null" }], "title": "B" }),
            json!({ "anyOf": [{ "type": "string", "title": "A" }, { "enum": [null] }], "title": "B" }),
            &[],
        ),
        (
            json!({ "anyOf": [{ "type": "integer", "not": { "const": 0 } }, { "type": "null" }] }),
            json!({ "anyOf": [{ "type": "integer", "not": { "enum": [0] } }, { "enum": [null] }] }),
            &[],
        ),
        (json!({ "const": null }), json!({ "enum": [null] }), &[]),
        (json!({ "enum": [1, 2], "const": 1 }), json!({ "allOf": [{ "enum": [1] }], "enum": [1, 2] }), &[]),
        (json!(true), json!({}), &[]),
        (json!(false), json!({ "not": {} }), &[]),
    ]);
}

#[test]
fn bounds() {
    check([
        (json!({ "exclusiveMinimum": 0 }), json!({ "minimum": 0, "exclusiveMinimum": true }), &[]),
        (json!({ "exclusiveMaximum": 1.5 }), json!({ "maximum": 1.5, "exclusiveMaximum": true }), &[]),
        (json!({ "minimum": 1, "maximum": 2 }), json!({ "minimum": 1, "maximum": 2 }), &[]),
        (json!({ "minimum": 0, "exclusiveMinimum": 0 }), json!({ "minimum": 0, "exclusiveMinimum": true }), &[]),
        (json!({ "minimum": 1, "exclusiveMinimum": 0 }), json!({ "minimum": 1 }), &[]),
        (json!({ "exclusiveMinimum": 2.5, "minimum": -1 }), json!({ "minimum": 2.5, "exclusiveMinimum": true }), &[]),
        (json!({ "maximum": 1, "exclusiveMaximum": 2 }), json!({ "maximum": 1 }), &[]),
        (
            json!({ "maximum": i64::MAX, "exclusiveMaximum": i64::MAX - 1 }),
            json!({ "maximum": i64::MAX - 1, "exclusiveMaximum": true }),
            &[],
        ),
        // It is unknown which one is stricter.
        (
            json!({ "minimum": i64::MAX, "exclusiveMinimum": 9.3e18 }),
            json!({ "allOf": [{ "minimum": 9.3e18, "exclusiveMinimum": true }], "minimum": i64::MAX }),
            &[],
        ),
    ]);
}

#[test]
fn references() {
    let exact = "#/components/schemas/Exact";
    check([
        (json!({ "$ref": exact }), json!({ "$ref": exact }), &[]),
        (
            json!({ "description": "D.", "$ref": exact, "allOf": [{ "maxLength": 3 }] }),
            json!({ "allOf": [{ "$ref": exact }, { "maxLength": 3 }], "description": "D." }),
            &[],
        ),
        (json!({ "$ref": "#/components/schemas/Exact/items" }), json!({}), &["`$ref`"]),
        (json!({ "$ref": "#/$defs/a", "$defs": { "a": {} }, "title": "A" }), json!({ "title": "A" }), &["`$ref`"]),
        (json!({ "$dynamicRef": "#a" }), json!({}), &["`$dynamicRef`"]),
    ]);
}

#[test]
fn a_loose_schema_rejects_nothing_more() {
    let loose = json!({ "$ref": "#/components/schemas/Loose" });
    let exact = json!({ "$ref": "#/components/schemas/Exact" });
    check([
        (json!({ "not": exact }), json!({ "not": exact }), &[]),
        (json!({ "not": loose }), json!({}), &["`not`"]),
        (json!({ "not": { "not": { "if": true, "then": false } } }), json!({}), &["`if`", "`not`", "`not`"]),
        (json!({ "oneOf": [exact, { "type": "null" }] }), json!({ "oneOf": [exact, { "enum": [null] }] }), &[]),
        (json!({ "oneOf": [exact, loose] }), json!({ "anyOf": [exact, loose] }), &[]),
        (json!({ "oneOf": [{ "items": { "contains": {} } }] }), json!({ "anyOf": [{ "items": {} }] }), &["`contains`"]),
    ]);
}

#[test]
fn arrays_and_objects() {
    check([
        (json!({ "type": "array" }), json!({ "type": "array", "items": {} }), &[]),
        (json!({ "items": false, "maxItems": 0 }), json!({ "items": { "not": {} }, "maxItems": 0 }), &[]),
        (
            json!({ "prefixItems": [{ "const": 1 }, true], "items": { "type": "null" }, "minItems": 2 }),
            json!({ "items": { "anyOf": [{ "enum": [1] }, {}, { "enum": [null] }] }, "minItems": 2 }),
            &["`prefixItems`"],
        ),
        (json!({ "prefixItems": [true], "items": false }), json!({ "items": {} }), &["`prefixItems`"]),
        (
            json!({ "type": "array", "prefixItems": [{ "const": 1 }, { "const": 2 }, { "const": 1 }], "maxItems": 3 }),
            json!({ "type": "array", "items": { "anyOf": [{ "enum": [1] }, { "enum": [2] }] }, "maxItems": 3 }),
            &["`prefixItems`"],
        ),
        (
            json!({ "type": "array", "prefixItems": [true] }),
            json!({ "type": "array", "items": {} }),
            &["`prefixItems`"],
        ),
        (
            json!({ "properties": { "a": { "const": 1 } }, "required": ["a"], "additionalProperties": false }),
            json!({ "properties": { "a": { "enum": [1] } }, "required": ["a"], "additionalProperties": false }),
            &[],
        ),
        (json!({ "required": [], "additionalProperties": true }), json!({ "additionalProperties": true }), &[]),
        (
            json!({ "additionalProperties": { "type": ["string", "null"] } }),
            json!({ "additionalProperties": { "type": "string", "nullable": true } }),
            &[],
        ),
        (
            json!({ "patternProperties": { "^a": { "const": 1 } }, "additionalProperties": false }),
            json!({ "additionalProperties": { "enum": [1] } }),
            &["`patternProperties`"],
        ),
        (
            json!({ "patternProperties": {}, "additionalProperties": false }),
            json!({ "additionalProperties": { "not": {} } }),
            &["`patternProperties`"],
        ),
        (
            json!({ "patternProperties": { "^a": false } }),
            json!({ "additionalProperties": {} }),
            &["`patternProperties`"],
        ),
        (
            json!({ "propertyNames": {}, "dependentRequired": {}, "dependentSchemas": {}, "unevaluatedItems": false }),
            json!({}),
            &["`propertyNames`", "`dependentRequired`", "`dependentSchemas`", "`unevaluatedItems`"],
        ),
        (
            json!({ "unevaluatedProperties": false, "contains": {}, "minContains": 2, "maxContains": 3 }),
            json!({}),
            &["`unevaluatedProperties`", "`contains`"],
        ),
    ]);
}

#[test]
fn annotations() {
    check([
        (json!({ "examples": ["a"] }), json!({ "example": "a" }), &[]),
        (json!({ "examples": [null, 1, 2] }), json!({ "example": null }), &["examples of a schema after the first"]),
        (json!({ "example": 1, "examples": [1] }), json!({ "example": 1 }), &["examples of a schema after the first"]),
        (json!({ "type": "string", "contentEncoding": "base64" }), json!({ "type": "string", "format": "byte" }), &[]),
        (json!({ "contentEncoding": "base64", "format": "f" }), json!({ "format": "f" }), &["`contentEncoding`"]),
        (json!({ "contentMediaType": "application/octet-stream" }), json!({ "format": "binary" }), &[]),
        (
            json!({ "contentMediaType": "application/json", "contentSchema": {} }),
            json!({}),
            &["`contentMediaType`", "`contentSchema`"],
        ),
        (
            json!({ "contentEncoding": "base64", "contentMediaType": "image/png" }),
            json!({ "format": "byte" }),
            &["`contentMediaType`"],
        ),
        (json!({ "x-a": 1, "unknown": 2 }), json!({ "x-a": 1 }), &["`unknown`"]),
        (
            json!({ "$schema": "s", "$id": "i", "$anchor": "a", "$dynamicAnchor": "d", "$vocabulary": {}, "$comment": "c" }),
            json!({}),
            &[],
        ),
        (
            json!({ "deprecated": true, "readOnly": true, "writeOnly": true, "default": null, "format": "date" }),
            json!({ "deprecated": true, "readOnly": true, "writeOnly": true, "default": null, "format": "date" }),
            &[],
        ),
    ]);
}
