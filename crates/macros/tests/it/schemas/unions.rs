//! Untagged unions: which variant is read, and what a value that matches none reports.

use std::collections::BTreeMap;

use restwright::Schema;
use restwright::schema::{Registry, SchemaObject, SchemaSide};
use serde::Deserialize;
use serde_json::json;

use super::values::{Point, check, outcome};
use super::{published, start_errors};

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
    Absent,
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
            (json!(null), "Absent"),
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
