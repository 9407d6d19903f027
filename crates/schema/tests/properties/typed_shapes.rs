//! Schemas of Rust types. Reading returns what serde reads from the normalised value, and no value is unreadable.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Debug;

use restwright_schema::{
    Code, OneOf, Patch, PropertyCollection, ReadError, Registry, Schema, SchemaObject, SchemaSide, SchemaType, typed,
};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::choices::{Choices, run};
use crate::oracle::validator;

#[derive(Debug, PartialEq, Deserialize)]
struct Everything {
    text: String,
    letter: char,
    small: i8,
    unsigned: u16,
    int: i32,
    long: i64,
    huge: u64,
    single: f32,
    double: f64,
    flag: bool,
    species: Species,
    id: uuid::Uuid,
    at: jiff::Timestamp,
    on: jiff::civil::Date,
    maybe: Option<Box<Nested>>,
    #[serde(default)]
    patch: Patch<Option<i32>>,
    pair: [u8; 2],
    list: Vec<Option<Nested>>,
    map: HashMap<String, Wrapper>,
    any: Value,
    #[serde(alias = "oldName", default)]
    new_name: Option<String>,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Species {
    Dog,
    GuineaPig,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Nested {
    number: Wrapper,
    #[serde(default)]
    children: Vec<Nested>,
}

#[derive(Debug, PartialEq, Deserialize)]
struct Wrapper(i64);

/// Values that the complete walk reads first.
#[derive(Debug, PartialEq, Deserialize)]
struct Walked {
    unique: BTreeSet<i32>,
    shape: Tagged,
    #[serde(flatten)]
    base: Base,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Tagged {
    Circle { radius: u32 },
    Named(Base),
    Empty,
}

#[derive(Debug, PartialEq, Deserialize)]
struct Base {
    count: u8,
    labels: BTreeMap<String, Species>,
}

impl Schema for Everything {
    type Changes = Self;

    fn schema_type(registry: &mut Registry) -> SchemaType {
        registry.define::<Self, _>("Everything", |registry| {
            PropertyCollection::new("Everything")
                .property(typed::<String>(registry, "text").min_length(1).max_length(3))
                .property(typed::<char>(registry, "letter"))
                .property(typed::<i8>(registry, "small"))
                .property(typed::<u16>(registry, "unsigned"))
                .property(typed::<i32>(registry, "int"))
                .property(typed::<i64>(registry, "long").multiple_of(2))
                .property(typed::<u64>(registry, "huge"))
                .property(typed::<f32>(registry, "single"))
                .property(typed::<f64>(registry, "double").exclusive_maximum(100))
                .property(typed::<bool>(registry, "flag"))
                .property(typed::<Species>(registry, "species"))
                .property(typed::<uuid::Uuid>(registry, "id"))
                .property(typed::<jiff::Timestamp>(registry, "at"))
                .property(typed::<jiff::civil::Date>(registry, "on"))
                .property(typed::<Option<Box<Nested>>>(registry, "maybe"))
                .property(typed::<Patch<Option<i32>>>(registry, "patch").maximum(10))
                .property(typed::<[u8; 2]>(registry, "pair"))
                .property(typed::<Vec<Option<Nested>>>(registry, "list").max_items(2))
                .property(typed::<HashMap<String, Wrapper>>(registry, "map").max_properties(2))
                .property(typed::<Value>(registry, "any"))
                .property(typed::<Option<String>>(registry, "new_name").alias("oldName"))
        })
    }
}

impl Schema for Species {
    type Changes = Self;

    fn schema_type(registry: &mut Registry) -> SchemaType {
        registry.define::<Self, _>("Species", |_| SchemaObject::enumeration(["dog", "guinea_pig"]))
    }
}

impl Schema for Nested {
    type Changes = Self;

    fn schema_type(registry: &mut Registry) -> SchemaType {
        registry.define::<Self, _>("Nested", |registry| {
            PropertyCollection::new("Nested")
                .property(typed::<Wrapper>(registry, "number"))
                .property(typed::<Vec<Nested>>(registry, "children").input_optional())
                .closed()
        })
    }
}

impl Schema for Wrapper {
    type Changes = Self;

    fn schema_type(registry: &mut Registry) -> SchemaType {
        i64::schema_type(registry)
    }
}

impl Schema for Base {
    type Changes = Self;

    fn schema_type(registry: &mut Registry) -> SchemaType {
        registry.define::<Self, _>("Base", base)
    }
}

fn base(registry: &mut Registry) -> PropertyCollection {
    PropertyCollection::new("Base")
        .property(typed::<u8>(registry, "count"))
        .property(typed::<BTreeMap<String, Species>>(registry, "labels"))
}

impl Schema for Tagged {
    type Changes = Self;

    fn schema_type(registry: &mut Registry) -> SchemaType {
        registry.define::<Self, _>("Tagged", |registry| {
            let circle = PropertyCollection::new("Circle").property(typed::<u32>(registry, "radius"));
            OneOf::new("Tagged", "type")
                .variant("circle", circle)
                .variant("named", Base::schema_type(registry))
                .variant("empty", PropertyCollection::new("Empty"))
        })
    }
}

impl Schema for Walked {
    type Changes = Self;

    fn schema_type(registry: &mut Registry) -> SchemaType {
        registry.define::<Self, _>("Walked", |registry| {
            PropertyCollection::new("Walked")
                .property(typed::<BTreeSet<i32>>(registry, "unique"))
                .property(typed::<Tagged>(registry, "shape"))
                .merge(&base(registry))
        })
    }
}

const SCALARS: &[&str] = &[
    "1",
    "0",
    "-1",
    "2",
    "1.0",
    "255",
    "256",
    "127",
    "128",
    "-129",
    "65536",
    "2147483648",
    "9223372036854775807",
    "9223372036854775808.0",
    "18446744073709551615",
    "1.5",
    "99.99",
    "100",
    "1e2",
    "3.5e38",
    "1e400",
    "-0.0",
    "0.1",
    "true",
    "null",
    "\"\"",
    "\"x\"",
    "\"xä🦀\"",
    "\"abcd\"",
    "\"dog\"",
    "\"guinea_pig\"",
    "\"cat\"",
    "\"67e55044-10b1-426f-9247-bb680e5fe0c8\"",
    "\"67e5504410b1426f9247bb680e5fe0c8\"",
    "\"2024-02-29\"",
    "\"2023-02-29\"",
    "\"2024-02-29T00:00:00Z\"",
    "\"2024-02-29 00:00:00Z\"",
    "{\"dog\":null}",
    "[]",
    "{}",
    "[1,2]",
    "[1]",
    "[1,1]",
    "[1,2,3]",
    "[1,256]",
    "{\"number\":1}",
    "[\"dog\"]",
    "{\"type\":\"empty\"}",
];

pub fn scalar(choices: &mut Choices<'_>, right: &[&'static str]) -> String {
    let texts = if choices.once_in(25) { SCALARS } else { right };
    (*choices.pick(texts)).to_owned()
}

fn nested(choices: &mut Choices<'_>, depth: usize) -> String {
    let number = scalar(choices, &["1", "2.0", "-3"]);
    let children: Vec<_> =
        if depth > 4 { Vec::new() } else { (0..choices.below(3)).map(|_| nested(choices, depth + 1)).collect() };
    let mut properties = vec![("number", number)];
    if !children.is_empty() || choices.once_in(3) {
        properties.push(("children", format!("[{}]", children.join(","))));
    }
    object(choices, properties)
}

pub fn object(choices: &mut Choices<'_>, mut properties: Vec<(&str, String)>) -> String {
    if choices.once_in(40) {
        let extra = *choices.pick(&["unknown", "number", "text", "count"]);
        properties.push((extra, scalar(choices, &["1"])));
    }
    if choices.once_in(60) {
        properties.remove(choices.below(properties.len()));
    }
    if choices.once_in(3) && !properties.is_empty() {
        let by = choices.below(properties.len());
        properties.rotate_left(by);
    }
    let written: Vec<_> = properties.iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
    format!("{{{}}}", written.join(","))
}

fn everything(choices: &mut Choices<'_>) -> String {
    let list: Vec<_> = (0..choices.below(3))
        .map(|_| if choices.once_in(4) { "null".to_owned() } else { nested(choices, 0) })
        .collect();
    let mut properties = vec![
        ("text", scalar(choices, &["\"x\"", "\"äöü\"", "\"\\u00e4\""])),
        ("letter", scalar(choices, &["\"🦀\"", "\"a\""])),
        ("small", scalar(choices, &["1", "-128", "127.0"])),
        ("unsigned", scalar(choices, &["65535", "0"])),
        ("int", scalar(choices, &["-2147483648", "1e3"])),
        ("long", scalar(choices, &["2", "-4.0", "9223372036854775806"])),
        ("huge", scalar(choices, &["9223372036854775807", "1.0"])),
        ("single", scalar(choices, &["1", "0.1", "-3.4e38"])),
        ("double", scalar(choices, &["1", "99.99", "-1e308"])),
        ("flag", scalar(choices, &["true", "false"])),
        ("species", scalar(choices, &["\"dog\"", "\"guinea_pig\""])),
        (
            "id",
            scalar(choices, &["\"67e55044-10b1-426f-9247-bb680e5fe0c8\"", "\"67E55044-10B1-426F-9247-BB680E5FE0C8\""]),
        ),
        (
            "at",
            scalar(
                choices,
                &["\"2024-02-29T00:00:00Z\"", "\"2024-02-29t00:00:00.5+01:00\"", "\"1990-12-31T23:59:60Z\""],
            ),
        ),
        ("on", scalar(choices, &["\"2024-02-29\"", "\"0000-01-01\""])),
        ("pair", scalar(choices, &["[1,2]", "[0,255.0]"])),
        ("list", format!("[{}]", list.join(","))),
        ("map", scalar(choices, &["{}", "{\"a\":1,\"b\":2.0}"])),
        ("any", scalar(choices, SCALARS)),
    ];
    if choices.once_in(2) {
        let maybe = if choices.once_in(3) { "null".to_owned() } else { nested(choices, 2) };
        properties.push(("maybe", maybe));
    }
    if choices.once_in(2) {
        properties.push(("patch", scalar(choices, &["null", "10", "1.0"])));
    }
    if choices.once_in(3) {
        let name = *choices.pick(&["new_name", "oldName"]);
        properties.push((name, scalar(choices, &["\"x\"", "null"])));
    }
    object(choices, properties)
}

fn walked(choices: &mut Choices<'_>) -> String {
    let base = |choices: &mut Choices<'_>| {
        vec![
            ("count", scalar(choices, &["1", "255", "2.0"])),
            ("labels", scalar(choices, &["{}", "{\"a\":\"dog\"}", "{\"a\":\"dog\",\"b\":\"guinea_pig\"}"])),
        ]
    };
    let variant = match choices.below(4) {
        0 => vec![("radius", scalar(choices, &["1", "3.0"])), ("type", "\"circle\"".to_owned())],
        1 => [base(choices), vec![("type", "\"named\"".to_owned())]].concat(),
        2 => vec![("type", "\"empty\"".to_owned()), ("more", "1".to_owned())],
        _ => vec![("type", scalar(choices, &["\"circle\"", "\"unknown\"", "1"])), ("radius", "1".to_owned())],
    };
    let properties = [
        base(choices),
        vec![("unique", scalar(choices, &["[]", "[1,2]", "[1,1.0]", "[3,2,1]"])), ("shape", object(choices, variant))],
    ]
    .concat();
    object(choices, properties)
}

pub fn check<T: DeserializeOwned + Schema + PartialEq + Debug>(name: &str, make: impl Fn(&mut Choices<'_>) -> String) {
    let mut registry = Registry::new();
    let kind = T::schema_type(&mut registry);
    let shape = registry.compile(&kind, SchemaSide::Input, None);
    let schema = registry.json_schema(&kind, SchemaSide::Input, None);
    assert_eq!(registry.errors(), [""; 0]);
    let oracle = validator(&schema, registry.components());
    let (accepted, total) = (Cell::new(0), Cell::new(0));
    run(name, |_, choices| {
        total.set(total.get() + 1);
        let text = make(choices);
        let walked = shape.read_value(text.as_bytes(), 100);
        let read = shape.read::<T>(text.as_bytes(), 100);
        let context = || format!("\n{text}\n{walked:?}\n{read:?}");
        accepted.set(accepted.get() + u32::from(read.is_ok()));
        if walked.is_ok() != read.is_ok() {
            return Err(format!("the walk and the read differ{}", context()));
        }
        if shape.guided_verdict::<T>(text.as_bytes()).is_some_and(|verdict| verdict != walked.is_ok()) {
            return Err(format!("the guided read and the walk differ{}", context()));
        }
        match (&walked, &read) {
            (Ok(value), Ok(read)) => {
                let expected = T::deserialize(value).map_err(|error| format!("{error}{}", context()))?;
                if expected != *read {
                    return Err(format!("another value was read{}", context()));
                }
            }
            (Err(ReadError::Violations(violations)), _) => {
                let codes: Vec<_> = violations.iter().map(|violation| &violation.code).collect();
                if codes.contains(&&Code::UNREADABLE) {
                    return Err(format!("something is unreadable{}", context()));
                }
                // Parts that JSON Schema cannot express, or that JSON readers do not accept.
                if codes.contains(&&Code::DUPLICATE_PROPERTY) {
                    return Ok(());
                }
            }
            _ => {}
        }
        match serde_json::from_str::<Value>(&text) {
            Ok(value) if oracle.is_valid(&value) != read.is_ok() && !text.contains("oldName") => {
                Err(format!("the JSON Schema says otherwise{}", context()))
            }
            _ => Ok(()),
        }
    });
    let (accepted, total) = (accepted.get(), total.get());
    println!("{name}: {accepted} of {total} accepted");
    assert!(accepted * 100 > total, "nearly nothing was accepted");
}

#[test]
fn reads_a_struct_of_all_types_alike() {
    check::<Everything>("everything", everything);
}

#[test]
fn unions_sets_and_flattened_structs_read_alike() {
    check::<Walked>("unions, sets, flatten", walked);
}
