//! The JSON of Rust types that are not objects: tuples, maps with typed keys, pointers and newtypes.
//! Each has a published schema, values that are read, and violations.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::fmt::Debug;
use std::sync::Arc;

use restwright::Schema;
use restwright::schema::{Registry, SchemaObject, SchemaSide};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::{published, read};

/// Latitude and longitude.
#[derive(Debug, PartialEq, Deserialize, Schema)]
pub(super) struct Point(#[property(minimum = -90, maximum = 90)] f64, #[property(minimum = -180, maximum = 180)] f64);

#[derive(Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize, Schema)]
#[serde(rename_all = "snake_case")]
enum Size {
    Small,
    ExtraLarge,
}

#[derive(Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize, Schema)]
struct Sku(#[property(pattern = "^[A-Z]{3}$")] String);

#[derive(Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize, Schema)]
struct Shelf(u16);

#[derive(Debug, PartialEq, Deserialize, Schema)]
#[serde(tag = "type", content = "value")]
enum Message {
    Moved(#[property(minimum = 1)] i32, Point),
}

#[derive(Debug, PartialEq, Deserialize, Schema)]
struct Wrapper<T> {
    inner: T,
}

#[derive(Debug, PartialEq, Deserialize, Schema)]
struct Listed<T> {
    data: Vec<T>,
}

/// Returns the value as debug text, or the violations as `pointer code`.
pub(super) fn outcome<T: Schema + DeserializeOwned + Debug>(json: &Value) -> String {
    match read::<T>(&json.to_string()) {
        Ok(value) => format!("{value:?}"),
        Err(violations) => violations.join(", "),
    }
}

fn schema_of<T: Schema + ?Sized>() -> Value {
    Registry::new().json_schema(SchemaObject::of::<T>(), SchemaSide::Input, None)
}

#[track_caller]
pub(super) fn check<T: Schema + DeserializeOwned + Debug>(schema: &Value, cases: &[(Value, &str)]) {
    let found = schema_of::<T>();
    let name = found["$ref"].as_str().and_then(|reference| reference.rsplit('/').next()).map(str::to_owned);
    let found = name.map_or(found, |name| published::<T>(SchemaSide::Input)[&name].clone());
    assert_eq!(found, *schema);
    for (json, expected) in cases {
        assert_eq!(outcome::<T>(json), *expected, "{json}");
    }
}

#[test]
fn tuples_are_arrays_with_a_schema_for_each_item() {
    check::<(u8, Option<String>)>(
        &json!({
            "type": "array",
            "prefixItems": [
                { "type": "integer", "format": "int32", "minimum": 0, "maximum": 255 },
                { "type": ["string", "null"] },
            ],
            "items": {}, "minItems": 2, "maxItems": 2,
        }),
        &[
            (json!([7, "a"]), r#"(7, Some("a"))"#),
            (json!([7.0, null]), "(7, None)"),
            (json!([7]), " min_items"),
            (json!([7, "a", 8]), " max_items"),
            (json!([256, 1]), "/0 maximum, /1 type"),
            (json!({ "0": 7 }), " type"),
        ],
    );
    check::<Point>(
        &json!({
            "type": "array",
            "description": "Latitude and longitude.",
            "prefixItems": [
                { "type": "number", "format": "double", "minimum": -90, "maximum": 90 },
                { "type": "number", "format": "double", "minimum": -180, "maximum": 180 },
            ],
            "items": {}, "minItems": 2, "maxItems": 2,
        }),
        &[(json!([52, 13.5]), "Point(52.0, 13.5)"), (json!([91, "x"]), "/0 maximum, /1 type")],
    );
    check::<Vec<(Size, (bool,))>>(
        &json!({
            "type": "array",
            "items": {
                "type": "array",
                "prefixItems": [
                    { "$ref": "#/components/schemas/Size" },
                    { "type": "array", "prefixItems": [{ "type": "boolean" }], "items": {}, "minItems": 1, "maxItems": 1 },
                ],
                "items": {}, "minItems": 2, "maxItems": 2,
            },
        }),
        &[(json!([["small", [true]]]), "[(Small, (true,))]"), (json!([["tiny", [1]]]), "/0/0 enum, /0/1/0 type")],
    );
}

#[test]
fn maps_have_keys_of_any_type_with_one_spelling() {
    check::<HashMap<Size, u8>>(
        &json!({
            "type": "object",
            "propertyNames": { "$ref": "#/components/schemas/Size" },
            "additionalProperties": { "type": "integer", "format": "int32", "minimum": 0, "maximum": 255 },
        }),
        &[
            (json!({ "small": 1 }), "{Small: 1}"),
            (json!({ "Small": 1 }), "/Small property_name"),
            (json!({ "tiny": 256 }), "/tiny property_name, /tiny maximum"),
        ],
    );
    check::<BTreeMap<i16, bool>>(
        &json!({
            "type": "object",
            "propertyNames": { "pattern": "^(0|-?[1-9][0-9]*)$" },
            "additionalProperties": { "type": "boolean" },
        }),
        &[
            (json!({ "-7": true, "0": false }), "{-7: true, 0: false}"),
            (json!({ "07": true }), "/07 property_name"),
            (json!({ "-0": true }), "/-0 property_name"),
            (
                json!({ "7.0": true, "a": true, "32768": true }),
                "/7.0 property_name, /a property_name, /32768 property_name",
            ),
        ],
    );
    check::<BTreeMap<Sku, Vec<Point>>>(
        &json!({
            "type": "object",
            "propertyNames": { "$ref": "#/components/schemas/Sku" },
            "additionalProperties": { "type": "array", "items": { "$ref": "#/components/schemas/Point" } },
        }),
        &[
            (json!({ "ABC": [[1, 2]] }), r#"{Sku("ABC"): [Point(1.0, 2.0)]}"#),
            (json!({ "AB": [[91, 0]] }), "/AB property_name, /AB/0/0 maximum"),
        ],
    );
    check::<BTreeMap<Shelf, String>>(
        &json!({
            "type": "object",
            "propertyNames": { "pattern": "^(0|[1-9][0-9]*)$" },
            "additionalProperties": { "type": "string" },
        }),
        &[(json!({ "12": "a" }), r#"{Shelf(12): "a"}"#), (json!({ "70000": "a" }), "/70000 property_name")],
    );
    let upper = "67E55044-10B1-426F-9247-BB680E5FE0C8";
    let lower = upper.to_lowercase();
    check::<BTreeMap<uuid::Uuid, u8>>(
        &json!({
            "type": "object",
            "propertyNames": { "format": "uuid" },
            "additionalProperties": { "type": "integer", "format": "int32", "minimum": 0, "maximum": 255 },
        }),
        &[
            (json!({ &lower: 1 }), &format!("{{{lower}: 1}}")),
            (json!({ upper: 1 }), &format!("{{{lower}: 1}}")),
            (json!({ upper: 1, &lower: 2 }), &format!("/{lower} duplicate_property")),
            (json!({ "a": 1 }), "/a property_name"),
        ],
    );
    check::<BTreeMap<String, u8>>(
        &json!({
            "type": "object",
            "additionalProperties": { "type": "integer", "format": "int32", "minimum": 0, "maximum": 255 },
        }),
        &[(json!({ "any": 1 }), r#"{"any": 1}"#)],
    );
}

#[test]
fn adjacent_tags_hold_tuples() {
    let schema = published::<Message>(SchemaSide::Input)["MessageMoved"]["properties"]["value"].clone();
    assert_eq!(schema["prefixItems"][1], json!({ "$ref": "#/components/schemas/Point" }));
    assert_eq!(outcome::<Message>(&json!({ "type": "Moved", "value": [1, [2, 3]] })), "Moved(1, Point(2.0, 3.0))");
    assert_eq!(
        outcome::<Message>(&json!({ "type": "Moved", "value": [0, [2, 300]] })),
        "/value/0 minimum, /value/1/1 maximum"
    );
}

#[test]
fn pointers_have_the_schema_of_their_value() {
    for (schema, json, expected) in [
        (schema_of::<Cow<'static, str>>(), json!("a"), outcome::<Cow<'static, str>>(&json!("a"))),
        (schema_of::<Box<str>>(), json!("a"), outcome::<Box<str>>(&json!("a"))),
        (schema_of::<String>(), json!("a"), outcome::<String>(&json!("a"))),
    ] {
        assert_eq!((schema, format!("{:?}", json.as_str().unwrap())), (json!({ "type": "string" }), expected));
    }
    assert_eq!(schema_of::<Cow<'static, [u8]>>(), schema_of::<Vec<u8>>());
    assert_eq!(schema_of::<Box<Point>>(), schema_of::<Point>());
    assert_eq!(schema_of::<Arc<Point>>(), schema_of::<Point>());
    assert_eq!(outcome::<Box<Point>>(&json!([91, 0])), "/0 maximum");
}

#[test]
fn generics_two_levels_deep_are_named_by_their_arguments() {
    let components = published::<Listed<Wrapper<(Size, Option<u8>)>>>(SchemaSide::Input);
    let names: Vec<_> = components.as_object().unwrap().keys().collect();
    assert_eq!(names, ["ListedWrapperTupleOfSizeAndNullableUint8", "Size", "WrapperTupleOfSizeAndNullableUint8"]);
    assert_eq!(
        outcome::<Listed<Wrapper<(Size, Option<u8>)>>>(&json!({ "data": [{ "inner": ["small", 300] }] })),
        "/data/0/inner/1 maximum"
    );
}
