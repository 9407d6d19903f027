//! Tests schemas whose senders may not set some members.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::CompiledSchema;
use crate::{
    Checks, Code, OneOf, PropertyCollection, ReadError, Registry, Schema, SchemaObject, SchemaSide, SchemaType,
    Withheld, any, any_of, array, int64, map, object, one_of, string,
};

fn compiled(schema: impl Into<SchemaObject>) -> CompiledSchema {
    let mut registry = Registry::new();
    let compiled = registry.compile(schema, SchemaSide::Input, None);
    assert_eq!(registry.errors(), [""; 0]);
    compiled
}

fn pet() -> PropertyCollection {
    PropertyCollection::new("Pet")
        .property(string("name"))
        .property(int64("owner").alias("keeper").optional())
        .property(int64("id").read_only())
        .property(object("home", PropertyCollection::new("Home").property(int64("owner").optional())).optional())
}

/// Accepts any object, and notes what it received.
#[derive(Debug, Deserialize)]
struct Received(BTreeMap<String, Value>);

impl Schema for Received {
    type Changes = Self;

    fn schema_type(_: &mut Registry) -> SchemaType {
        SchemaType::any()
    }

    fn run_checks(&self, _: &mut Checks<'_>) {}
}

/// Returns the value and the members apart from it, or the violations as `pointer code`.
fn outcome(schema: &CompiledSchema, text: &str) -> String {
    match schema.read_apart::<Received>(text.as_bytes(), 100) {
        Ok((Received(value), apart)) => {
            format!("{} {}", serde_json::to_string(&value).unwrap(), Value::Object(apart))
        }
        Err(ReadError::Violations(found)) => {
            found.iter().map(|one| format!("{} {}", one.pointer, one.code)).collect::<Vec<_>>().join(", ")
        }
        Err(error) => error.to_string(),
    }
}

#[test]
fn withheld_members_are_treated_as_declared() {
    let rejected = || Withheld::Rejected(Code::from_static("read_only"), "leave it out");
    // A default makes the guided read leave the text to the complete walk.
    let walked = |pet: PropertyCollection| pet.property(int64("age").default_value(3));
    for (text, open, closed, rejecting, apart) in [
        (
            r#"{"name":"Bo"}"#,
            r#"{"name":"Bo"} {}"#,
            r#"{"name":"Bo"} {}"#,
            r#"{"name":"Bo"} {}"#,
            r#"{"name":"Bo"} {}"#,
        ),
        (
            r#"{"owner":"x","name":"Bo"}"#,
            r#"{"name":"Bo"} {}"#,
            "/owner unknown_property",
            "/owner read_only",
            r#"{"name":"Bo"} {"owner":"x"}"#,
        ),
        // By its alias, it is the same member.
        (
            r#"{"name":"Bo","keeper":1}"#,
            r#"{"name":"Bo"} {}"#,
            "/keeper unknown_property",
            "/keeper read_only",
            r#"{"name":"Bo"} {"keeper":1}"#,
        ),
        // An object inside keeps its members.
        (
            r#"{"name":"Bo","home":{"owner":1}}"#,
            r#"{"home":{"owner":1},"name":"Bo"} {}"#,
            r#"{"home":{"owner":1},"name":"Bo"} {}"#,
            r#"{"home":{"owner":1},"name":"Bo"} {}"#,
            r#"{"home":{"owner":1},"name":"Bo"} {}"#,
        ),
        // Other violations are reported at once.
        (
            r#"{"name":1,"owner":1}"#,
            "/name type",
            "/name type, /owner unknown_property",
            "/name type, /owner read_only",
            "/name type",
        ),
        (
            r#"{"owner":1,"owner":1,"name":"Bo"}"#,
            "/owner duplicate_property",
            "/owner unknown_property, /owner duplicate_property",
            "/owner read_only, /owner duplicate_property",
            "/owner duplicate_property",
        ),
        // The members are JSON.
        (
            r#"{"name":"Bo","owner":1e400}"#,
            "/owner maximum",
            "/owner unknown_property",
            "/owner read_only",
            "/owner maximum",
        ),
        (
            r#"{"name":"Bo","owner":[{"a":1,"a":1}]}"#,
            "/owner/0/a duplicate_property",
            "/owner unknown_property",
            "/owner read_only",
            "/owner/0/a duplicate_property",
        ),
    ] {
        for (schema, treatment, expected) in [
            (pet(), Withheld::Unknown, open),
            (pet().closed(), Withheld::Unknown, closed),
            (pet().closed_recursively(), Withheld::Unknown, closed),
            (pet(), rejected(), rejecting),
            (pet().closed(), rejected(), rejecting),
            (pet(), Withheld::Apart, apart),
            (pet().closed(), Withheld::Apart, apart),
        ] {
            let guided = compiled(schema.clone())
                .withholding(None, [("owner", treatment.clone()), ("keeper", treatment.clone())]);
            assert_eq!(outcome(&guided.unwrap(), text), expected, "{text} {treatment:?}");
            let walked = compiled(walked(schema))
                .withholding(None, [("owner", treatment.clone()), ("keeper", treatment.clone())]);
            let found = outcome(&walked.unwrap(), text).replacen(r#"{"age":3,"#, "{", 1);
            assert_eq!(found, expected, "{text} {treatment:?}, with a default");
        }
    }
}

#[test]
fn a_name_withholds_its_aliases() {
    for name in ["owner", "keeper"] {
        let schema = compiled(pet()).withholding(None, [(name, Withheld::Unknown)]).unwrap();
        assert_eq!(outcome(&schema, r#"{"name":"Bo","owner":1}"#), r#"{"name":"Bo"} {}"#);
        assert_eq!(outcome(&schema, r#"{"name":"Bo","keeper":1}"#), r#"{"name":"Bo"} {}"#);
    }
}

#[test]
fn a_withheld_property_has_its_default() {
    let pet = PropertyCollection::new("Pet").property(string("name")).property(int64("level").default_value(3));
    let rejected = Withheld::Rejected(Code::from_static("read_only"), "leave it out");
    for treatment in [Withheld::Unknown, rejected, Withheld::Apart] {
        let schema = compiled(pet.clone()).withholding(None, [("level", treatment)]).unwrap();
        assert_eq!(outcome(&schema, r#"{"name":"Bo"}"#), r#"{"level":3,"name":"Bo"} {}"#);
    }
    let schema = compiled(pet).withholding(None, [("level", Withheld::Apart)]).unwrap();
    assert_eq!(outcome(&schema, r#"{"level":7,"name":"Bo"}"#), r#"{"level":3,"name":"Bo"} {"level":7}"#);
}

#[test]
fn members_are_withheld_in_addition() {
    let schema = compiled(pet()).withholding(None, [("owner", Withheld::Apart)]).unwrap();
    let schema = schema.withholding(None, [("home", Withheld::Unknown)]).unwrap();
    let text = r#"{"name":"Bo","home":{"owner":1},"keeper":2}"#;
    assert_eq!(outcome(&schema, text), r#"{"name":"Bo"} {"keeper":2}"#);
}

#[test]
fn members_apart_that_serde_json_reads_in_another_way_are_rejected() {
    let schema = compiled(pet()).withholding(None, [("owner", Withheld::Apart)]).unwrap();
    let text = r#"{"name":"Bo","owner":{"$serde_json::private::RawValue":1}}"#;
    // The crate is tested with and without the feature `raw_value` of serde_json.
    let is_rejected = outcome(&schema, text) == " unreadable";
    let is_kept = outcome(&schema, text) == r#"{"name":"Bo"} {"owner":{"$serde_json::private::RawValue":1}}"#;
    assert!(is_rejected || is_kept, "{}", outcome(&schema, text));
}

#[test]
fn declared_names_are_found_in_each_variant() {
    let cat = PropertyCollection::new("Cat").property(int64("lives"));
    let dog = PropertyCollection::new("Dog").property(int64("walks").alias("strolls"));
    let union = compiled(any_of("kind", [SchemaObject::from(cat), dog.into()]).schema().clone());
    for (name, is_declared) in [("lives", true), ("walks", true), ("strolls", true), ("owner", false)] {
        assert_eq!(union.declares(name), is_declared, "{name}");
    }
    assert!(compiled(pet()).declares("keeper") && !compiled(pet()).declares("id"));
}

#[test]
fn members_apart_do_not_count() {
    let pet = SchemaObject::from(pet()).min_properties(1).max_properties(1);
    let schema = compiled(pet).withholding(None, [("owner", Withheld::Apart)]).unwrap();
    assert_eq!(outcome(&schema, r#"{"owner":1,"name":"Bo"}"#), r#"{"name":"Bo"} {"owner":1}"#);
    assert_eq!(outcome(&schema, r#"{"owner":1}"#), "/name required, /  min_properties".replace("/  ", " "));
}

#[test]
fn members_of_items_and_variants_are_withheld() {
    let batch =
        PropertyCollection::new("Batch").closed_recursively().property(array("data", SchemaObject::from(pet())));
    let batch = compiled(batch.property(int64("owner").optional()));
    let batch = batch.withholding(Some("data"), [("owner", Withheld::Unknown)]).unwrap();
    assert_eq!(
        outcome(&batch, r#"{"data":[{"name":"Bo","owner":1},{"name":"Al","keeper":1}],"owner":1}"#),
        "/data/0/owner unknown_property, /data/1/keeper unknown_property"
    );
    // Clients may send back a property that they cannot set.
    assert_eq!(outcome(&batch, r#"{"data":[{"name":"Bo","id":1}]}"#), r#"{"data":[{"name":"Bo"}]} {}"#);

    let cat = PropertyCollection::new("Cat").property(int64("owner").optional()).property(int64("lives"));
    let dog = PropertyCollection::new("Dog").property(int64("owner").optional()).property(int64("walks"));
    let kind = OneOf::new("Kind", "type").variant("cat", cat.clone()).variant("dog", dog.clone());
    for (union, text, expected) in [
        (
            compiled(one_of("kind", kind).schema().clone()),
            r#"{"type":"cat","lives":9,"owner":1}"#,
            r#"{"lives":9,"type":"cat"} {"owner":1}"#,
        ),
        (
            compiled(any_of("kind", [SchemaObject::from(cat), dog.into()]).schema().clone()),
            r#"{"walks":9,"owner":1}"#,
            r#"{"walks":9} {"owner":1}"#,
        ),
    ] {
        let schema = union.withholding(None, [("owner", Withheld::Apart)]).unwrap();
        assert_eq!(outcome(&schema, text), expected);
    }
}

#[test]
fn maps_and_any_values_cannot_withhold() {
    for schema in [map("m", int64("n").schema().clone()).schema().clone(), any("a").schema().clone()] {
        assert!(compiled(schema).withholding(None, [("owner", Withheld::Unknown)]).is_none());
    }
    let list = PropertyCollection::new("List").property(array("data", SchemaObject::any())).property(int64("other"));
    for name in ["data", "other", "missing"] {
        assert!(compiled(list.clone()).withholding(Some(name), [("owner", Withheld::Unknown)]).is_none(), "{name}");
    }
}
