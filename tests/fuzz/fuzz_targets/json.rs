#![no_main]
//! JSON texts for the reader of request bodies and for serde_json. Both accept the same texts with the same values, and report the same
//! position of a syntax error. Only keys that are given twice and numbers beyond doubles are violations in place of what serde_json does. A
//! type that is read while its schema is checked is accepted only if the complete walk accepts it, and has the value that serde reads.

use std::collections::{BTreeMap, HashSet};
use std::fmt;

use libfuzzer_sys::fuzz_target;
use restwright::prelude::*;
use restwright::schema::{CompiledSchema, ReadError, Registry, SchemaObject, SchemaSide, SchemaType};
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

#[derive(Debug, PartialEq, Serialize, Deserialize, Schema)]
struct Order {
    #[property(min_length = 1, max_length = 8)]
    article: String,
    #[property(minimum = 1, maximum = 50)]
    quantity: u32,
    price: Option<f64>,
    #[serde(default)]
    lines: Vec<Line>,
    #[serde(default)]
    labels: BTreeMap<String, bool>,
    kind: Kind,
    extra: Option<Value>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize, Schema)]
struct Line {
    number: i64,
    text: Option<String>,
    inner: Option<Box<Line>>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize, Schema)]
#[serde(rename_all = "snake_case")]
enum Kind {
    New,
    SentBack,
}

/// A part of the private keys of serde_json.
const PRIVATE: &[u8] = b"serde_json::private";

thread_local! {
    static SCHEMAS: (CompiledSchema, CompiledSchema) = {
        let mut registry = Registry::new();
        let order = Order::schema_type(&mut registry);
        let compile = |registry: &mut Registry, schema: SchemaType| {
            registry.compile(SchemaObject::from(schema), SchemaSide::Input, None)
        };
        (compile(&mut registry, order), registry.compile(SchemaObject::any(), SchemaSide::Input, None))
    };
}

fuzz_target!(|text: &[u8]| {
    SCHEMAS.with(|(order, any)| {
        check_any(any, text);
        check_order(order, text);
    });
});

fn check_any(schema: &CompiledSchema, text: &[u8]) {
    // serde_json reads an object with its own private key as another value. We read an object.
    if text.windows(PRIVATE.len()).any(|window| window == PRIVATE) {
        return;
    }
    match (schema.read_value(text, 10), serde_json::from_slice::<Value>(text)) {
        (Ok(ours), Ok(theirs)) => assert_eq!(ours, theirs),
        (Err(ReadError::Syntax { line, column, .. }), Err(theirs)) => {
            // Bytes that are not UTF-8 and numbers beyond doubles are errors of serde_json at other places. It counts columns from 0 where
            // a line is empty.
            if std::str::from_utf8(text).is_ok() && !theirs.to_string().contains("out of range") {
                assert_eq!((line, column), (theirs.line(), theirs.column().max(1)), "{theirs}");
            }
        }
        (Err(ReadError::Violations(_)), Ok(_)) => {
            assert!(serde_json::from_slice::<Repeats>(text).is_ok_and(|repeats| repeats.0), "nothing is wrong");
        }
        (Err(ReadError::Violations(_)), Err(theirs)) => {
            assert!(theirs.to_string().contains("out of range"), "{theirs}")
        }
        (ours, theirs) => panic!("{ours:?}\n{theirs:?}"),
    }
}

fn check_order(schema: &CompiledSchema, text: &[u8]) {
    let walked = schema.read_value(text, 10);
    match schema.read::<Order>(text, 10) {
        Ok(order) => {
            let value = walked.expect("a text that the complete walk accepts");
            assert_eq!(serde_json::from_value::<Order>(value).expect("an order"), order);
            if let Ok(theirs) = serde_json::from_slice::<Order>(text) {
                assert_eq!(theirs, order);
            }
        }
        Err(error) => assert_eq!(Err(error), walked.map(drop)),
    }
}

/// True if an object has a key twice.
struct Repeats(bool);

impl<'de> Deserialize<'de> for Repeats {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        deserializer.deserialize_any(RepeatsVisitor).map(Self)
    }
}

struct RepeatsVisitor;

impl<'de> Visitor<'de> for RepeatsVisitor {
    type Value = bool;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_bool<E>(self, _: bool) -> std::result::Result<bool, E> {
        Ok(false)
    }

    fn visit_i64<E>(self, _: i64) -> std::result::Result<bool, E> {
        Ok(false)
    }

    fn visit_u64<E>(self, _: u64) -> std::result::Result<bool, E> {
        Ok(false)
    }

    fn visit_f64<E>(self, _: f64) -> std::result::Result<bool, E> {
        Ok(false)
    }

    fn visit_str<E>(self, _: &str) -> std::result::Result<bool, E> {
        Ok(false)
    }

    fn visit_unit<E>(self) -> std::result::Result<bool, E> {
        Ok(false)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> std::result::Result<bool, A::Error> {
        let mut repeats = false;
        while let Some(Repeats(inner)) = items.next_element()? {
            repeats |= inner;
        }
        Ok(repeats)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> std::result::Result<bool, A::Error> {
        let (mut repeats, mut keys) = (false, HashSet::new());
        while let Some((key, Repeats(inner))) = entries.next_entry::<String, Repeats>()? {
            repeats |= inner | !keys.insert(key);
        }
        Ok(repeats)
    }
}
