//! The JSON of Rust types that are not objects: tuples, maps with typed keys, untagged unions, pointers and newtypes.
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

use super::{published, read, start_errors};

/// Latitude and longitude.
#[derive(Debug, PartialEq, Deserialize, Schema)]
struct Point(#[property(minimum = -90, maximum = 90)] f64, #[property(minimum = -180, maximum = 180)] f64);

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

/// How to reach someone.
#[derive(Debug, PartialEq, Deserialize, Schema)]
#[serde(untagged)]
enum Contact {
    /// By mail.
    Email {
        #[property(format = "email")]
        email: String,
    },
    Address {
        street: String,
        city: String,
        #[property(pattern = "^[0-9]{5}$")]
        zip: String,
    },
    Point(Point),
    Number(#[property(maximum = 999)] u32),
    Pair(#[property(max_length = 3)] String, bool),
    Name(#[property(min_length = 2)] String),
    Nobody,
}

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
fn outcome<T: Schema + DeserializeOwned + Debug>(json: &Value) -> String {
    match read::<T>(&json.to_string()) {
        Ok(value) => format!("{value:?}"),
        Err(violations) => violations.join(", "),
    }
}

fn schema_of<T: Schema + ?Sized>() -> Value {
    Registry::new().json_schema(SchemaObject::of::<T>(), SchemaSide::Input, None)
}

#[track_caller]
fn check<T: Schema + DeserializeOwned + Debug>(schema: &Value, cases: &[(Value, &str)]) {
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
fn the_first_variant_of_an_untagged_union_that_fits_is_read() {
    check::<Contact>(
        &json!({
            "description": "How to reach someone.",
            "anyOf": [
                { "$ref": "#/components/schemas/ContactEmail" },
                { "$ref": "#/components/schemas/ContactAddress" },
                { "$ref": "#/components/schemas/Point" },
                { "type": "integer", "format": "int64", "minimum": 0, "maximum": 999 },
                {
                    "type": "array",
                    "prefixItems": [{ "type": "string", "maxLength": 3 }, { "type": "boolean" }],
                    "items": {}, "minItems": 2, "maxItems": 2,
                },
                { "type": "string", "minLength": 2 },
                { "const": null },
            ],
        }),
        &[
            (json!({ "email": "a@b.de" }), r#"Email { email: "a@b.de" }"#),
            (json!([1, 2]), "Point(Point(1.0, 2.0))"),
            (json!(["a", true]), r#"Pair("a", true)"#),
            (json!(7), "Number(7)"),
            (json!("Rex"), r#"Name("Rex")"#),
            (json!(null), "Nobody"),
            // The closest variant reports its violations.
            (json!({ "email": "a" }), "/email format"),
            (json!({ "street": "s", "zip": "1" }), "/zip pattern, /city required"),
            (json!({}), "/email required"),
            (json!([91, 2]), "/0 maximum"),
            (json!(["long", false]), "/0 max_length"),
            (json!(1000), " maximum"),
            (json!("R"), " min_length"),
            // No variant is a boolean.
            (json!(true), " type"),
        ],
    );
    let violations = published::<Contact>(SchemaSide::Input);
    assert_eq!(violations["ContactEmail"]["description"], "By mail.");
}

#[test]
fn the_type_of_no_variant_lists_the_types() {
    #[derive(Debug, Deserialize, Schema)]
    #[serde(untagged)]
    enum Value {
        Count(u8),
        Many(Vec<u8>),
        Unset,
    }

    let mut registry = Registry::new();
    let schema = registry.compile(SchemaObject::of::<Value>(), SchemaSide::Input, None);
    let violations = schema.check_value(&json!("a"), 10).unwrap_err();
    assert_eq!(violations.to_string(), ": must be an integer or an array or null, not a string (type)");
    let _ = [Value::Count(1), Value::Many(vec![]), Value::Unset];
}

#[test]
fn the_variant_that_serde_reads_must_hold() {
    #[derive(Debug, Deserialize, Schema)]
    #[serde(untagged)]
    enum Amount {
        Small(#[property(maximum = 10)] i64),
        Any(f64),
    }

    // 50 matches `Any`, but serde reads `Small`.
    check::<Vec<Amount>>(
        &json!({ "type": "array", "items": { "$ref": "#/components/schemas/Amount" } }),
        &[(json!([1, 1.5]), "[Small(1), Any(1.5)]"), (json!([1, 50]), "/1 maximum")],
    );
    let long = "n".repeat(200);
    let pointer = format!("/{}… maximum", "n".repeat(128));
    check::<BTreeMap<String, Amount>>(
        &json!({ "type": "object", "additionalProperties": { "$ref": "#/components/schemas/Amount" } }),
        &[(json!({ long: 50 }), &pointer)],
    );
}

#[test]
fn a_property_that_the_read_variant_hides_is_not_read() {
    // `Guest` does not match a text as `age`. `Other` removes it, because clients do not send it, and serde reads a `Guest`.
    #[derive(Debug, Deserialize, Schema)]
    #[serde(untagged)]
    #[allow(dead_code, reason = "only their `Debug` reads the fields")]
    enum Person {
        Guest {
            age: Option<u8>,
            #[serde(default)]
            #[property(read_only)]
            role: String,
        },
        Other {
            #[serde(default)]
            #[property(read_only)]
            age: String,
        },
    }

    assert_eq!(outcome::<Person>(&json!({ "role": "admin", "age": "x" })), " unreadable");
    assert_eq!(outcome::<Person>(&json!({ "role": "admin", "age": 7 })), r#"Guest { age: Some(7), role: "" }"#);
    assert_eq!(outcome::<Person>(&json!({ "age": "x" })), r#"Guest { age: None, role: "" }"#);
}

#[test]
fn a_union_cannot_contain_itself_or_be_in_a_set() {
    #[derive(Deserialize, Schema)]
    #[serde(untagged)]
    #[allow(dead_code, reason = "only its schema is used")]
    enum Tree {
        Leaf(i64),
        Node { children: Vec<Branch> },
    }

    #[derive(Deserialize, Schema)]
    #[allow(dead_code, reason = "only its schema is used")]
    struct Branch {
        tree: Box<Tree>,
    }

    #[derive(PartialEq, Eq, PartialOrd, Ord, Deserialize, Schema)]
    #[serde(untagged)]
    enum Key {
        Number(u8),
        Text(String),
    }

    // A variant may be recursive without the union.
    #[derive(Deserialize, Schema)]
    #[allow(dead_code, reason = "only its schema is used")]
    struct Chain {
        next: Option<Box<Chain>>,
    }

    #[derive(Deserialize, Schema)]
    #[serde(untagged)]
    #[allow(dead_code, reason = "only its schema is used")]
    enum Chained {
        Chain(Chain),
        Nothing,
    }

    assert_eq!(
        start_errors::<Tree>(),
        [
            "The property `tree` of `Branch`: an untagged union contains itself, and finding its variant would take exponential \
          time; add a tag, such as `#[serde(tag = \"type\")]`."
        ]
    );
    assert_eq!(
        start_errors::<std::collections::BTreeSet<Key>>(),
        [
            "The untagged union `Key` is in a set, whose items lose their order, so their variants cannot be checked; use a \
          list with `unique_items`."
        ]
    );
    assert_eq!(start_errors::<Chained>(), [""; 0]);
    let _ = [Key::Number(1), Key::Text(String::new())];
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
