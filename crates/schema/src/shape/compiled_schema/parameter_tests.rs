//! Tests the conversion of parameter strings to values or violations.

use std::borrow::Cow;

use serde::Deserialize;

use super::tests::shape;
use crate::{
    Property, Registry, Schema, SchemaObject, SchemaSide, SchemaType, any, array, boolean, date, enumeration, int64,
    number, string, typed,
};

#[test]
fn explains_the_notation_of_parameter_values() {
    for (property, text, expected) in [
        (int64("n"), "01", "must be an integer, such as 42"),
        (number("n"), "NaN", "must be a number in JSON notation, such as 4.2"),
        (boolean("n"), "TRUE", "must be `true` or `false`"),
        (array("n", SchemaObject::boolean()), "1", "must be `true` or `false`"),
        (int64("n").minimum(1), "0", "must be at least 1"),
        (date("n"), "1.2.2024", "must have the format date, such as 2024-02-29"),
    ] {
        let violations = shape(property.into_schema()).read_text_value(&[Cow::Borrowed(text)], 100).unwrap_err();
        assert_eq!(violations.iter().map(|found| &found.message).collect::<Vec<_>>(), [expected], "{text}");
    }
}

#[test]
fn parameters_are_read_strictly() {
    let read = |property: Property, texts: &[&str]| {
        let texts: Vec<_> = texts.iter().copied().map(Cow::Borrowed).collect();
        match shape(property.into_schema()).read_text_value(&texts, 100) {
            Ok(value) => value.to_string(),
            Err(violations) => violations
                .iter()
                .map(|found| format!("{} {}", found.pointer, found.code))
                .collect::<Vec<_>>()
                .join(", "),
        }
    };
    for (property, texts, expected) in [
        (int64("id").minimum(1), &["12"][..], "12"),
        (int64("id"), &["-0"], "0"),
        (int64("id"), &["1.0"], "1"),
        (int64("id"), &["1e3"], "1000"),
        (int64("id"), &["9007199254740993.0"], "9007199254740993"),
        (int64("id"), &["1.5"], " type"),
        (int64("id"), &["0.99999999999999999999"], " type"),
        (int64("id"), &["1e-400"], " type"),
        (int64("id"), &["-9223372036854775809"], " minimum"),
        (int64("id"), &["-9223372036854776832"], " minimum"),
        (int64("id"), &["1e400"], " maximum"),
        (int64("id"), &["+1"], " type"),
        (int64("id"), &["01"], " type"),
        (int64("id"), &[" 1"], " type"),
        (int64("id"), &[""], " type"),
        (int64("id"), &["99999999999999999999"], " maximum"),
        (int64("id").minimum(1), &["0"], " minimum"),
        (int64("id"), &["1", "2"], " too_many_values"),
        (int64("id"), &[], " required"),
        (number("n"), &["1e3"], "1000.0"),
        (number("n"), &["NaN"], " type"),
        (number("n"), &["1e999"], " type"),
        (number("n"), &[".5"], " type"),
        (number("n"), &["-"], " type"),
        (boolean("b"), &["true"], "true"),
        (boolean("b"), &["True"], " type"),
        (string("s").max_length(2), &["123"], " max_length"),
        (string("s"), &["1"], "\"1\""),
        (enumeration("e", ["a"]), &["b"], " enum"),
        (enumeration("e", [1, 2]), &["2"], "2"),
        (enumeration("e", [1, 2]), &["2.0"], "2"),
        (enumeration("e", [1, 2]), &["1.99999999999999999999"], " type"),
        (array("a", SchemaObject::int64()).max_items(2), &["1", "2"], "[1,2]"),
        (array("a", SchemaObject::int64()).max_items(2), &["1", "x", "2"], " max_items, /1 type"),
        (array("a", SchemaObject::int64()), &[], "[]"),
        (any("x"), &["1"], "\"1\""),
    ] {
        let name = property.name().to_owned();
        assert_eq!(read(property, texts), expected, "{name} {texts:?}");
    }
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Size {
    Small,
    Large,
}

impl Schema for Size {
    type Changes = Self;

    fn schema_type(registry: &mut Registry) -> SchemaType {
        registry.define::<Self, _>("Size", |_| SchemaObject::enumeration(["small", "large", "huge"]))
    }
}

#[test]
fn parameters_are_read_into_types() {
    fn read<T: Schema + serde::de::DeserializeOwned>(texts: &[&str]) -> Result<T, String> {
        let mut registry = Registry::new();
        let property = typed::<T>(&mut registry, "p").into();
        let shape = registry.compile_property(&property, SchemaSide::Input, None);
        let texts: Vec<_> = texts.iter().copied().map(Cow::Borrowed).collect();
        shape.read_text(&texts, 100).map_err(|violations| violations.to_string())
    }
    assert_eq!(read::<Option<u8>>(&["7"]), Ok(Some(7)));
    assert_eq!(read::<f64>(&["7"]), Ok(7.0));
    assert_eq!(read::<Size>(&["large"]), Ok(Size::Large));
    assert!(read::<Size>(&["huge"]).unwrap_err().contains("(unreadable)"));
    assert_eq!(read::<char>(&["x"]), Ok('x'));
    assert_eq!(read::<Vec<i16>>(&["1", "-2"]), Ok(vec![1, -2]));
    assert!(read::<u8>(&["256"]).unwrap_err().contains("(maximum)"));
}
