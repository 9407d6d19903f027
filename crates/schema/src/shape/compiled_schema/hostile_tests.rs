//! Tests that the time for reading hostile input grows only linearly with the length of the input.
//! `tests/benches/hostile.rs` measures the time.

use serde_json::Value;

use super::tests::shape;
use crate::{Format, OneOf, PropertyCollection, Schema, SchemaObject, SchemaType, int64, steps};

/// The maximum number of steps for reading one byte of JSON text, as counted by the module `steps`.
const MOST: usize = 10;

fn check<T: serde::de::DeserializeOwned + Schema>(schema: impl Into<SchemaObject>, text: impl Fn(usize) -> String) {
    let schema = shape(schema);
    for size in [500, 4000] {
        let text = text(size);
        let typed = steps::of(|| drop(schema.read::<T>(text.as_bytes(), 100)));
        let untyped = steps::of(|| drop(schema.read_value(text.as_bytes(), 100)));
        let most = MOST * text.len();
        let start: String = text.chars().take(60).collect();
        assert!(typed.max(untyped) <= most, "{start}: {typed} and {untyped} steps for {} bytes", text.len());
    }
}

fn numbered(open: &str, piece: fn(usize) -> String, size: usize, close: &str) -> String {
    format!("{open}{}{close}", (0..size).map(piece).collect::<Vec<_>>().join(","))
}

fn point() -> PropertyCollection {
    PropertyCollection::new("Point").property(int64("x"))
}

fn untagged() -> SchemaObject {
    let deep = SchemaObject::any_of([SchemaObject::from(point()), SchemaObject::map(SchemaObject::boolean())]);
    SchemaObject::any_of([deep, SchemaObject::array(SchemaObject::string()), SchemaObject::uuid()])
}

#[test]
fn scalars_of_any_length() {
    for piece in ["1", "0", "9", "a", "é", "\\n", "\\u00e9", "\\ud83d\\ude00", " ", "~", "/"] {
        for (open, close) in [
            ("", ""),
            ("1", ""),
            ("-", ""),
            ("0.", ""),
            ("1.", ""),
            ("1e", ""),
            ("1e-", ""),
            ("0.", "e"),
            ("1e", "x"),
            ("\"", "\""),
            ("\"", ""),
            ("\"", "\\"),
            ("\"", "\\ud83d\""),
            ("{\"", "\":1}"),
            ("{\"", ""),
            ("[1", ",1]"),
        ] {
            let text = |size: usize| format!("{open}{}{close}", piece.repeat(size));
            check::<i64>(SchemaObject::int64(), text);
            check::<f64>(SchemaObject::number(), text);
            check::<Value>(SchemaObject::any(), text);
            check::<String>(SchemaObject::string().max_length(10), text);
            check::<String>(SchemaObject::string().pattern("^(a|aa|aaa)*b$"), text);
            check::<String>(SchemaObject::string().format(Format::EMAIL), text);
            check::<Value>(point().closed(), text);
        }
    }
}

#[test]
fn arrays_of_many_items() {
    let union = OneOf::new("Shape", "type").variant("point", point());
    for piece in [
        "1",
        "\"a\"",
        "null",
        "1.0",
        "1e999",
        "[]",
        "{}",
        "{\"x\":1}",
        "{\"x\":\"\"}",
        "{\"type\":\"point\"}",
        "[[[[[]]]]]",
    ] {
        for close in ["]", "", ",]", "]x", ",{\"x\":[]}]"] {
            let text = |size: usize| format!("[{piece}{}{close}", format!(",{piece}").repeat(size));
            check::<Vec<i64>>(SchemaObject::array(SchemaObject::int64().minimum(5)).max_items(10), text);
            check::<Value>(SchemaObject::any(), text);
            check::<Value>(SchemaObject::array(SchemaObject::any()).unique_items(), text);
            check::<Value>(SchemaObject::array(SchemaObject::new(point())), text);
            check::<Value>(SchemaObject::array(SchemaType::from(union.clone())), text);
            check::<Value>(SchemaObject::array(untagged()), text);
            check::<Value>(SchemaObject::array(SchemaObject::array(untagged())), text);
            check::<Value>(SchemaObject::tuple([untagged(), untagged()]), text);
        }
    }
    for piece in
        [|number| format!("{number}"), |number| format!("\"{number}\""), |number| format!("[{{\"a\":{number}}}]")]
    {
        let unique = SchemaObject::array(SchemaObject::any()).unique_items();
        check::<Value>(unique, |size| numbered("[", piece, size, "]"));
    }
}

#[test]
fn objects_of_many_keys() {
    let union = OneOf::new("Shape", "type").variant("point", point());
    for piece in
        [|number| format!("\"{number}\":1"), |number| format!("\"{}\":1", number / 2), |_| "\"x\":1".to_owned()]
    {
        for close in ["}", "", ",\"x\":[]}", ",\"type\":\"point\"}"] {
            let text = |size: usize| numbered("{", piece, size, close);
            check::<Value>(SchemaObject::any(), text);
            check::<Value>(point(), text);
            check::<Value>(point().closed(), text);
            check::<Value>(SchemaObject::map(SchemaObject::int64()), text);
            check::<Value>(SchemaType::keyed_map(SchemaObject::int64(), SchemaObject::int64()), text);
            check::<Value>(SchemaType::keyed_map(SchemaObject::uuid(), untagged()), text);
            check::<Value>(untagged(), text);
            check::<Value>(SchemaType::from(union.clone()), text);
        }
    }
}

#[test]
fn nesting_of_any_depth() {
    for open in ["[", "{\"a\":", "[[],"] {
        check::<Value>(SchemaObject::any(), |size| open.repeat(size));
        check::<Value>(SchemaObject::array(SchemaObject::any()).unique_items(), |size| {
            format!("[{}", open.repeat(size))
        });
    }
}
