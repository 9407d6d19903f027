use restwright::schema::Invalid;
use restwright::{Patch, Schema};
use serde::{Deserialize, Serialize};

use super::read;

fn even(value: &i64) -> Result<(), Invalid> {
    if value % 2 == 0 { Ok(()) } else { Err(Invalid::new("odd", "must be even").param("divisor", 2)) }
}

fn lower(text: &str) -> Result<(), &'static str> {
    if text == text.to_lowercase() { Ok(()) } else { Err("must be in lower case") }
}

fn ordered(range: &Range) -> Result<(), Invalid> {
    if range.from <= range.to { Ok(()) } else { Err(Invalid::new("order", "must not be before `from`").at("/to")) }
}

/// Its fields have the names that the emitted code uses itself.
#[derive(Debug, Serialize, Deserialize, Schema)]
#[schema(validate = ordered)]
struct Range {
    #[property(validate = even)]
    #[serde(rename(serialize = "from", deserialize = "first"))]
    from: i64,
    to: i64,
    #[property(validate = lower)]
    checks: Option<String>,
    #[property(validate = even, validate = even)]
    #[serde(default)]
    registry: Patch<Option<i64>>,
}

#[derive(Debug, Serialize, Deserialize, Schema)]
struct Outer {
    ranges: Vec<Range>,
    #[serde(flatten)]
    flat: Flat,
    by_name: std::collections::BTreeMap<String, Around>,
    #[serde(default, skip_deserializing)]
    #[property(validate = even)]
    made_here: i64,
}

#[derive(Debug, Serialize, Deserialize, Schema)]
struct Flat {
    #[property(validate = even)]
    number: i64,
}

#[derive(Debug, Serialize, Deserialize, Schema)]
struct Around(#[property(validate = even)] i64);

#[derive(Debug, Serialize, Deserialize, Schema)]
#[serde(tag = "t")]
enum Tagged {
    Flat(Flat),
    Fields {
        #[property(validate = even)]
        checks: i64,
        value: i64,
        around: Around,
    },
    Unit,
}

#[derive(Debug, Serialize, Deserialize, Schema)]
#[serde(tag = "t", content = "c")]
enum Adjacent {
    Around(Around),
    Number(#[property(validate = even)] Option<i64>),
    Fields { around: Around },
    Plain(i64),
}

#[test]
fn checks_run_on_values_that_hold_otherwise() {
    for (json, expected) in [
        (r#"{"first": 2, "to": 4}"#, vec![]),
        (
            r#"{"first": 3, "to": 1, "checks": "A", "registry": 5}"#,
            vec!["/first odd", "/checks invalid", "/registry odd", "/registry odd", "/to order"],
        ),
        (r#"{"first": 3, "to": true}"#, vec!["/to type"]),
        (r#"{"first": 2, "to": 4, "registry": null}"#, vec![]),
    ] {
        assert_eq!(read::<Range>(json).err().unwrap_or_default(), expected, "{json}");
    }
}

#[test]
fn checks_reach_everything_that_is_inside() {
    let json =
        r#"{"ranges": [{"first": 2, "to": 2}, {"first": 2, "to": 1}], "number": 1, "by_name": {"a": 1, "b": 2}}"#;
    assert_eq!(read::<Outer>(json).unwrap_err(), ["/ranges/1/to order", "/number odd", "/by_name/a odd"]);
}

#[test]
fn checks_of_variants() {
    for (json, expected) in [
        (r#"{"t": "Flat", "number": 1}"#, vec!["/number odd"]),
        (r#"{"t": "Fields", "checks": 1, "value": 1, "around": 1}"#, vec!["/checks odd", "/around odd"]),
        (r#"{"t": "Unit"}"#, vec![]),
    ] {
        assert_eq!(read::<Tagged>(json).err().unwrap_or_default(), expected, "{json}");
    }
    for (json, expected) in [
        (r#"{"t": "Around", "c": 1}"#, vec!["/c odd"]),
        (r#"{"t": "Number", "c": 1}"#, vec!["/c odd"]),
        (r#"{"t": "Number", "c": null}"#, vec![]),
        (r#"{"t": "Number"}"#, vec![]),
        (r#"{"t": "Fields", "c": {"around": 1}}"#, vec!["/c/around odd"]),
        (r#"{"t": "Plain", "c": 1}"#, vec![]),
    ] {
        assert_eq!(read::<Adjacent>(json).err().unwrap_or_default(), expected, "{json}");
    }
}
