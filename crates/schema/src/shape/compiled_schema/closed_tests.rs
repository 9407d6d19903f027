//! Tests schemas that reject unknown properties in nested objects.

use serde_json::Value;

use crate::{
    CompiledSchema, OneOf, PropertyCollection, ReadError, Registry, SchemaObject, SchemaSide, any, any_of, array,
    int64, map, object, one_of, reference, string,
};

fn address() -> PropertyCollection {
    PropertyCollection::new("Address")
        .property(string("city").alias("town"))
        .property(int64("id").read_only())
        .property(reference("previous", "Address").optional().nullable())
}

fn pet() -> PropertyCollection {
    let cat = PropertyCollection::new("Cat").property(int64("lives"));
    let dog = PropertyCollection::new("Dog").property(int64("lives")).property(int64("walks"));
    let kind = OneOf::new("Kind", "type").variant("cat", cat.clone()).variant("dog", dog.clone());
    let tags = PropertyCollection::new("Tags").property(string("first")).open();
    PropertyCollection::new("NewPet")
        .property(object("address", address()).optional().nullable())
        .property(array("addresses", address()).optional())
        .property(map("by_name", address()).optional())
        .property(one_of("kind", kind).optional())
        .property(any_of("union", [SchemaObject::from(cat), dog.into(), SchemaObject::string()]).optional())
        .property(object("tags", tags.property(object("inner", address()).optional())).optional())
        .property(any("any").optional())
        .property(int64("id").read_only())
}

fn compiled(schema: PropertyCollection, side: SchemaSide) -> CompiledSchema {
    let mut registry = Registry::new();
    let compiled = registry.compile(schema, side, None);
    assert_eq!(registry.errors(), [""; 0]);
    compiled
}

/// Returns the violations of a JSON text as `pointer code`, or the value.
fn outcome(schema: &CompiledSchema, text: &str) -> String {
    let read = schema.read_value(text.as_bytes(), 100);
    assert_eq!(schema.read::<Value>(text.as_bytes(), 100).is_ok(), read.is_ok(), "{text}");
    if let Some(verdict) = schema.guided_verdict::<Value>(text.as_bytes()) {
        assert_eq!(verdict, read.is_ok(), "{text}");
    }
    match read {
        Ok(value) => value.to_string(),
        Err(ReadError::Violations(found)) => {
            found.iter().map(|one| format!("{} {}", one.pointer, one.code)).collect::<Vec<_>>().join(", ")
        }
        Err(error) => error.to_string(),
    }
}

#[test]
fn unknown_properties_of_nested_objects_are_violations() {
    let schema = compiled(pet().closed_recursively(), SchemaSide::Input);
    for (text, expected) in [
        (r#"{"x":1}"#, "/x unknown_property"),
        (r#"{"id":1}"#, "/id unknown_property"),
        (r#"{"address":{"city":"a","citty":null}}"#, "/address/citty unknown_property"),
        (r#"{"address":{"citty":"a"}}"#, "/address/citty unknown_property, /address/city required"),
        // An alias is known, and so is a property that clients cannot set.
        (r#"{"address":{"town":"a","id":1}}"#, r#"{"address":{"city":"a"}}"#),
        (r#"{"address":{"city":"a","previous":{"city":"b","x":1}}}"#, "/address/previous/x unknown_property"),
        (
            r#"{"addresses":[{"city":"a"},{"city":"b","x":1}],"by_name":{"c":{"city":"c","y":[]}}}"#,
            "/addresses/1/x unknown_property, /by_name/c/y unknown_property",
        ),
        (r#"{"kind":{"type":"cat","lives":9}}"#, r#"{"kind":{"type":"cat","lives":9}}"#),
        (r#"{"kind":{"type":"cat","lives":9,"walks":1}}"#, "/kind/walks unknown_property"),
        // The first variant is chosen as in an open schema, and then rejects what it does not know.
        (r#"{"union":{"lives":9}}"#, r#"{"union":{"lives":9}}"#),
        (r#"{"union":{"lives":9,"walks":1}}"#, "/union/walks unknown_property"),
        (r#"{"union":{"lives":"a","x":1}}"#, "/union/lives type, /union/x unknown_property"),
        (r#"{"tags":{"first":"a","second":{"z":1}}}"#, r#"{"tags":{"first":"a"}}"#),
        (r#"{"tags":{"first":"a","inner":{"city":"a","x":1}}}"#, "/tags/inner/x unknown_property"),
        (r#"{"any":{"x":{"y":1}}}"#, r#"{"any":{"x":{"y":1}}}"#),
        (r#"{"address":{"city":"a"},"x":1}"#, "/x unknown_property"),
    ] {
        assert_eq!(outcome(&schema, text), expected, "{text}");
    }
}

#[test]
fn a_guided_read_closes_nested_objects() {
    // Schemas without a union and without hidden properties are read only once.
    let address = PropertyCollection::new("Address")
        .property(string("city"))
        .property(reference("previous", "Address").optional().nullable());
    let inner =
        PropertyCollection::new("Inner").property(any("x")).property(object("address", address.clone()).optional());
    let schema = PropertyCollection::new("NewHouse")
        .property(object("address", address.clone()).optional().nullable())
        .property(array("addresses", address).optional())
        .property(object("inner", inner.open()).optional())
        .property(any("note").optional());
    let schema = compiled(schema.closed_recursively(), SchemaSide::Input);
    for (text, expected) in [
        (r#"{"address":{"city":"a"},"note":{"x":1}}"#, true),
        (r#"{"inner":{"x":{"y":1},"z":1},"address":null}"#, true),
        (r#"{"address":{"city":"a","x":1}}"#, false),
        (r#"{"addresses":[{"city":"a"},{"city":"b","previous":{"city":"c","x":1}}]}"#, false),
        (r#"{"inner":{"x":1,"z":1,"address":{"city":"a","z":1}}}"#, false),
    ] {
        assert_eq!(schema.guided_verdict::<Value>(text.as_bytes()), Some(expected), "{text}");
        assert_eq!(schema.read_value(text.as_bytes(), 9).is_ok(), expected, "{text}");
    }
}

#[test]
fn responses_and_other_schemas_ignore_unknown_properties_of_nested_objects() {
    let text = r#"{"address":{"city":"a","x":1}}"#;
    for (schema, side, expected) in [
        (pet().closed(), SchemaSide::Input, r#"{"address":{"city":"a"}}"#),
        (pet(), SchemaSide::Input, r#"{"address":{"city":"a"}}"#),
        (
            PropertyCollection::new("Outer").property(object("pet", pet().closed_recursively())),
            SchemaSide::Input,
            "/pet required",
        ),
    ] {
        assert_eq!(outcome(&compiled(schema, side), text), expected);
    }
    let stored = compiled(pet().closed_recursively(), SchemaSide::Output);
    let text = r#"{"id":1,"address":{"city":"a","id":2,"x":1}}"#;
    assert_eq!(outcome(&stored, text), r#"{"id":1,"address":{"city":"a","id":2}}"#);
}

/// Publishes the schemas in their order, and returns each component with `true` if it has `additionalProperties: false`.
fn components(uses: &[(&PropertyCollection, SchemaSide)]) -> Vec<(String, bool)> {
    let mut registry = Registry::new();
    uses.iter().for_each(|(schema, side)| registry.note_use(&(*schema).into(), *side, None));
    uses.iter().for_each(|(schema, side)| drop(registry.json_schema(*schema, *side, None)));
    assert_eq!(registry.errors(), [""; 0]);
    let closed = |schema: &Value| schema.get("additionalProperties") == Some(&Value::Bool(false));
    registry.components().iter().map(|(name, schema)| (name.clone(), closed(schema))).collect()
}

#[test]
fn only_components_of_closed_requests_forbid_additional_properties() {
    use SchemaSide::{Input, Output};

    let plain = PropertyCollection::new("Plain").property(string("a"));
    let sided = PropertyCollection::new("Sided").property(string("a")).property(int64("id").read_only());
    let with = |name: &'static str| {
        PropertyCollection::new(name).property(object("plain", plain.clone())).property(object("sided", sided.clone()))
    };
    let (new, view, other) = (with("New").closed_recursively(), with("View"), with("Other"));
    for (uses, expected) in [
        (&[(&new, Input)][..], "New! Plain! Sided!"),
        (&[(&new, Input), (&view, Output)], "New! Plain PlainInput! Sided SidedInput! View"),
        (&[(&view, Output), (&new, Input)], "New! Plain PlainInput! Sided SidedInput! View"),
        (&[(&new, Input), (&other, Input)], "New! Other Plain PlainInput! Sided SidedInput!"),
        (
            &[(&new, Input), (&other, Input), (&view, Output)],
            "New! Other Plain PlainInput! Sided SidedClosedInput! SidedInput View",
        ),
        (&[(&new, Input), (&new, Output)], "New! NewInput! Plain PlainInput! Sided SidedInput!"),
    ] {
        let found: Vec<_> =
            components(uses).into_iter().map(|(name, closed)| if closed { name + "!" } else { name }).collect();
        assert_eq!(found.join(" "), expected);
    }
}
