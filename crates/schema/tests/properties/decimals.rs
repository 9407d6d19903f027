//! Exact decimals: the scale, the bounds, and the digits that no value may exceed.

use restwright_schema::{Property, Registry, Schema, SchemaSide, decimal, typed};
use rust_decimal::Decimal;
use serde_json::json;

use crate::oracle::validator;

/// Returns the codes and messages of a JSON value, and checks that the published schema accepts what the property accepts.
fn violations(property: &Property, value: &serde_json::Value) -> Vec<String> {
    let mut registry = Registry::new();
    let schema = registry.json_schema(property.schema(), SchemaSide::Input, None);
    let compiled = registry.compile_property(property, SchemaSide::Input, None);
    assert_eq!(registry.errors(), [""; 0]);
    match compiled.check_value(value, 100) {
        Ok(()) => {
            assert!(validator(&schema, registry.components()).is_valid(value), "{value} does not fit {schema}");
            Vec::new()
        }
        Err(violations) => violations.into_iter().map(|one| format!("{} {}", one.code, one.message)).collect(),
    }
}

#[test]
fn a_price_has_two_digits_after_the_point() {
    let price = decimal("price").scale(2).minimum(0.01).maximum(1000);
    for (value, expected) in [
        (json!("0.01"), &[] as &[&str]),
        (json!("1000"), &[]),
        (json!("1000.00"), &[]),
        (json!("12.5"), &[]),
        (json!("12.505"), &["multiple_of must have at most 2 digits after the point"]),
        (json!("0.00"), &["minimum must be at least 0.01"]),
        (json!("-0"), &["minimum must be at least 0.01"]),
        (json!("1000.01"), &["maximum must be at most 1000"]),
        (json!("1e2"), &["format must be a decimal number, such as 12.50"]),
        (json!("1,5"), &["format must be a decimal number, such as 12.50"]),
        (json!(12.5), &["type must be a string, not a number"]),
        (json!("1".repeat(27)), &["format must have at most 26 digits before the point"]),
    ] {
        assert_eq!(violations(&price, &value), expected, "{value}");
    }
}

#[test]
fn a_value_of_40_digits_is_a_violation() {
    for text in ["1234567890123456789012345678901234567890", "0.1234567890123456789012345678901234567890"] {
        let found = violations(&decimal("amount"), &json!(text));
        assert!(found.len() == 1 && found[0].contains("must have at most 28 digits"), "{found:?}");
    }
    let long = "1".repeat(1_000_000);
    assert_eq!(violations(&decimal("amount"), &json!(long)), ["format must have at most 28 digits"]);
}

#[test]
fn bounds_are_exact() {
    let above = decimal("amount").exclusive_minimum(0.1).exclusive_maximum(i64::MAX);
    for (text, is_valid) in [
        ("0.1", false),
        ("0.1000000000000000000000000001", true),
        ("9223372036854775806.9999", true),
        ("9223372036854775807", false),
    ] {
        assert_eq!(violations(&above, &json!(text)).is_empty(), is_valid, "{text}");
    }
}

#[test]
fn publishes_a_pattern_and_the_bounds() {
    let mut registry = Registry::new();
    let mut schema = |property: Property| registry.json_schema(property.schema(), SchemaSide::Input, None);
    assert_eq!(
        schema(decimal("price").scale(2).minimum(0.5)),
        json!({
            "type": "string",
            "pattern": r"^-?(0|[1-9][0-9]{0,25})(\.[0-9]{1,2})?$",
            "format": "decimal",
            "x-minimum": "0.5",
        })
    );
    assert_eq!(schema(decimal("count").scale(0))["pattern"], "^-?(0|[1-9][0-9]{0,27})$");
    assert_eq!(schema(decimal("ratio").scale(28))["pattern"], r"^-?0(\.[0-9]{1,28})?$");
}

#[test]
fn rejects_constraints_that_are_not_exact() {
    for (property, expected) in [
        (decimal("a").minimum(0.123_456_789_012_345_67), "write a number of at most 15 digits"),
        (decimal("a").minimum(1e30), "write a number of at most 15 digits"),
        (decimal("a").scale(29), "`scale` is 29; write a number from 0 to 28"),
        (decimal("a").minimum(2).maximum(1), "so no value is valid"),
        (decimal("a").multiple_of(2), "multiple_of"),
    ] {
        let mut registry = Registry::new();
        registry.compile_property(&property, SchemaSide::Input, None);
        let errors = registry.errors().join("\n");
        assert!(errors.contains(expected), "{errors}");
    }
}

#[test]
fn a_rust_decimal_accepts_the_same_constraints() {
    let mut registry = Registry::new();
    let property = typed::<Option<Decimal>>(&mut registry, "price").scale(2).minimum(0).into_property();
    assert!(property.schema().is_nullable() && property.schema_type().scale() == Some(2));
    assert_eq!(registry.type_name(&Decimal::schema_type(&mut Registry::new())), "decimal");
}
