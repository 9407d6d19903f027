//! Doubles are read exactly as they were written, bit for bit, in every location.

use std::borrow::Cow;

use proptest::prelude::*;
use restwright_schema::{
    CompiledSchema, PropertyCollection, Registry, Schema, SchemaObject, SchemaSide, SchemaType, float32, int64, number,
    typed,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

#[derive(Debug, Serialize, Deserialize)]
struct Measured {
    double: f64,
    single: f32,
    count: i64,
}

impl Schema for Measured {
    type Changes = Self;

    fn schema_type(registry: &mut Registry) -> SchemaType {
        registry.define::<Self, _>("Measured", |_| {
            PropertyCollection::new("Measured")
                .property(number("double"))
                .property(float32("single"))
                .property(int64("count"))
        })
    }
}

fn shape<T: Schema>() -> CompiledSchema {
    let mut registry = Registry::new();
    let property = typed::<T>(&mut registry, "").into();
    registry.compile_property(&property, SchemaSide::Input, None)
}

fn double() -> impl Strategy<Value = f64> {
    let bits = any::<u64>().prop_map(f64::from_bits);
    // The shortest decimals, as people write them.
    let short = (0_u32..1_000_000, 0_i32..8).prop_map(|(digits, places)| f64::from(digits) / 10_f64.powi(places));
    prop_oneof![bits, short].prop_filter("finite", |double| double.is_finite())
}

fn single() -> impl Strategy<Value = f32> {
    any::<u32>().prop_map(f32::from_bits).prop_filter("finite", |single| single.is_finite())
}

proptest! {
    #[test]
    fn a_double_survives_bodies_and_responses(double in double(), single in single(), count: i64) {
        let shape = shape::<Measured>();
        let written = serde_json::to_string(&Measured { double, single, count }).unwrap();
        // The second JSON string is read by the complete walk, like every string with an integer that is written as a
        // float.
        let same = format!("{{\"double\":{double:e},\"single\":{single:e},\"count\":{count}.0}}");
        for text in [written, same] {
            let read: Measured = shape.read(text.as_bytes(), 100).unwrap_or_else(|error| panic!("{text}: {error}"));
            prop_assert_eq!(read.double.to_bits(), double.to_bits(), "{}", text);
            prop_assert_eq!(read.single.to_bits(), single.to_bits(), "{}", text);
            prop_assert_eq!(read.count, count, "{}", text);
            let value = shape.read_value(text.as_bytes(), 100).unwrap();
            prop_assert_eq!(value["double"].as_f64().map(f64::to_bits), Some(double.to_bits()), "{}", text);
            prop_assert_eq!(value["count"].as_i64(), Some(count), "{}", text);
        }
    }

    #[test]
    fn a_double_survives_queries(double in double(), single in single()) {
        for text in [serde_json::to_string(&double).unwrap(), format!("{double}"), format!("{double:e}")] {
            let read = shape::<f64>().read_text::<f64>(&[Cow::Borrowed(&text)], 100);
            prop_assert_eq!(read.map(f64::to_bits), Ok(double.to_bits()), "{}", text);
        }
        let text = serde_json::to_string(&single).unwrap();
        let read = shape::<f32>().read_text::<f32>(&[Cow::Borrowed(&text)], 100);
        prop_assert_eq!(read.map(f32::to_bits), Ok(single.to_bits()), "{}", text);
    }

    #[test]
    fn an_integer_is_the_same_in_every_spelling(integer: i64, zeros in 0_usize..30) {
        let padding = "0".repeat(zeros);
        for text in [format!("{integer}.0{padding}"), format!("{integer}e0{padding}"), format!("{integer}{padding}e-{zeros}")] {
            let read: Result<i64, _> = shape::<i64>().read(text.as_bytes(), 100);
            prop_assert_eq!(read.as_ref(), Ok(&integer), "{}", text);
            let read = shape::<i64>().read_text::<i64>(&[Cow::Borrowed(&text)], 100);
            prop_assert_eq!(read.as_ref(), Ok(&integer), "{}", text);
            let fraction = format!("{integer}.{padding}1");
            prop_assert!(shape::<i64>().read::<i64>(fraction.as_bytes(), 100).is_err(), "{}", fraction);
        }
    }
}

/// The digits of numbers in values of any JSON, as the guide promises them.
#[test]
fn any_json_keeps_integers_of_64_bits_and_the_nearest_double() {
    let mut registry = Registry::new();
    let shape = registry.compile(SchemaObject::any(), SchemaSide::Input, None);
    for (text, expected) in [
        ("18446744073709551615", "18446744073709551615"),
        ("-9223372036854775808", "-9223372036854775808"),
        ("9007199254740993", "9007199254740993"),
        ("18446744073709551616", "1.8446744073709552e+19"),
        ("12345678901234567890123", "1.2345678901234568e+22"),
        ("123456789.123456789123456789", "123456789.12345679"),
        ("9007199254740993.0", "9007199254740992.0"),
        ("1e2", "100.0"),
        ("1.10", "1.1"),
        ("1.0", "1.0"),
        ("-0", "-0.0"),
        ("1e-400", "0.0"),
    ] {
        let json = format!("{{\"a\":[{text}]}}");
        let typed = shape.read::<Value>(json.as_bytes(), 9).unwrap();
        let value = shape.read_value(json.as_bytes(), 9).unwrap();
        assert_eq!(typed.to_string(), format!("{{\"a\":[{expected}]}}"), "{text}");
        assert_eq!(value, typed, "{text}");
    }
}
