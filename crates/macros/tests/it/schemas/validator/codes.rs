//! Codes, params and messages.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use restwright::Schema;
use serde::Deserialize;
use validator::{Validate, ValidationError};

use super::violations;

static LOWER: LazyLock<regex::Regex> = LazyLock::new(|| regex::Regex::new("^[a-z]*$").unwrap());

/// Every kind of check, each on a property that is valid when it is absent.
#[derive(Debug, Default, Deserialize, Validate, Schema)]
#[serde(default)]
#[schema(validator)]
struct Kinds {
    #[validate(length(min = 2, max = 3))]
    text: Option<String>,
    #[validate(length(equal = 2))]
    equal: Option<String>,
    #[validate(length(min = 1, max = 2))]
    list: Option<Vec<i64>>,
    #[validate(length(max = 1))]
    map: Option<BTreeMap<String, i64>>,
    #[validate(range(min = 1, max = 9))]
    number: Option<i64>,
    #[validate(range(exclusive_min = 0.0, exclusive_max = 1.5))]
    ratio: Option<f64>,
    #[validate(range(min = 9_223_372_036_854_775_807_u64))]
    large: Option<u64>,
    #[validate(email)]
    mail: Option<String>,
    #[validate(url)]
    site: Option<String>,
    #[validate(ip(v4 = true))]
    host: Option<String>,
    #[validate(regex(path = *LOWER))]
    lower: Option<String>,
    #[validate(contains(pattern = "secret"))]
    contains: Option<String>,
    #[validate(does_not_contain(pattern = "x"))]
    lacks: Option<String>,
    #[validate(non_control_character)]
    printable: Option<String>,
    #[validate(custom(function = "refuse"))]
    custom: Option<String>,
    #[validate(length(min = 2, message = "Two letters, please."), custom(function = "refuse", code = "named"))]
    messages: Option<String>,
    #[validate(email(code = "bad_mail", message = "No mail."))]
    renamed: Option<String>,
    #[validate(custom(function = "imitate"))]
    imitated: Option<i64>,
}

fn refuse(value: &str) -> Result<(), ValidationError> {
    let mut error = ValidationError::new("terrible");
    error.add_param("min".into(), &7);
    error.add_param("seen".into(), &value);
    Err(error)
}

#[derive(Debug, Deserialize, Validate, Schema)]
#[schema(validator)]
struct Passwords {
    password: String,
    #[validate(must_match(other = "password"))]
    repeated: String,
}

/// A code of validator's without what validator says with it.
fn imitate(_: i64) -> Result<(), ValidationError> {
    Err(ValidationError::new("range"))
}

#[test]
fn failures_have_the_codes_of_the_catalogue_where_there_is_one() {
    for (json, expected) in [
        ("{}", vec![]),
        (r#"{"text": "ää", "number": 9, "ratio": 0.5, "mail": "a@b.de", "list": [1]}"#, vec![]),
        (r#"{"text": "ä"}"#, vec![r#"/text min_length {"min_length":2} must have at least 2 characters"#]),
        (r#"{"text": "abcd"}"#, vec![r#"/text max_length {"max_length":3} must have at most 3 characters"#]),
        (r#"{"equal": "a"}"#, vec![r#"/equal min_length {"min_length":2} must have at least 2 characters"#]),
        (r#"{"equal": "abc"}"#, vec![r#"/equal max_length {"max_length":2} must have at most 2 characters"#]),
        (r#"{"list": []}"#, vec![r#"/list min_items {"min_items":1} must have at least 1 item"#]),
        (r#"{"list": [1, 2, 3]}"#, vec![r#"/list max_items {"max_items":2} must have at most 2 items"#]),
        (
            r#"{"map": {"a": 1, "b": 2}}"#,
            vec![r#"/map max_properties {"max_properties":1} must have at most 1 property"#],
        ),
        (r#"{"number": 0}"#, vec![r#"/number minimum {"minimum":1} must be at least 1"#]),
        (r#"{"number": 10}"#, vec![r#"/number maximum {"maximum":9} must be at most 9"#]),
        (r#"{"ratio": 0}"#, vec![r#"/ratio exclusive_minimum {"exclusive_minimum":0} must be above 0"#]),
        (r#"{"ratio": 1.5}"#, vec![r#"/ratio exclusive_maximum {"exclusive_maximum":1.5} must be below 1.5"#]),
        (
            r#"{"large": 9223372036854775806}"#,
            vec![r#"/large minimum {"minimum":9223372036854775807} must be at least 9223372036854775807"#],
        ),
        (r#"{"mail": "a"}"#, vec![r#"/mail format {"format":"email"} must have the format email"#]),
        (r#"{"site": "a"}"#, vec![r#"/site format {"format":"uri"} must have the format uri"#]),
        (r#"{"host": "::1"}"#, vec![r#"/host format {"format":"ip"} must have the format ip"#]),
        (r#"{"lower": "A"}"#, vec!["/lower pattern {} must match the pattern"]),
    ] {
        assert_eq!(violations::<Kinds>(json), expected, "{json}");
    }
}

#[test]
fn other_failures_have_their_own_code_and_none_shows_a_value() {
    for (json, expected) in [
        (r#"{"contains": "a"}"#, vec!["/contains validator.contains {} does not contain a required part"]),
        (r#"{"lacks": "x"}"#, vec!["/lacks validator.does_not_contain {} contains a forbidden part"]),
        (
            r#"{"printable": "\u0007"}"#,
            vec!["/printable validator.non_control_character {} must not contain control characters"],
        ),
        (
            r#"{"custom": "hidden"}"#,
            vec![r#"/custom validator.terrible {"min":7} is rejected by the check `terrible`"#],
        ),
        (
            r#"{"messages": "a"}"#,
            vec![
                r#"/messages min_length {"min_length":2} Two letters, please."#,
                r#"/messages validator.named {"min":7} is rejected by the check `named`"#,
            ],
        ),
        (r#"{"renamed": "a"}"#, vec!["/renamed validator.bad_mail {} No mail."]),
        (r#"{"imitated": 1}"#, vec!["/imitated validator.range {} must be within the allowed range"]),
    ] {
        assert_eq!(violations::<Kinds>(json), expected, "{json}");
    }
}

#[test]
fn a_failure_across_properties_shows_neither() {
    let found = violations::<Passwords>(r#"{"password": "a", "repeated": "b"}"#);
    assert_eq!(found, ["/repeated validator.must_match {} must be the same as another property"]);
}
