//! Pointers, their order, and that nothing is reported twice.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use restwright::Schema;
use restwright::schema::{Invalid, SchemaSide};
use serde::{Deserialize, Serialize};
use validator::{Validate, ValidationError, ValidationErrors};

use super::super::{published, read};
use super::{violations, written};

/// Its fields are declared in another order than their names, and each has a separate name on the wire.
#[derive(Debug, Clone, Serialize, Deserialize, Validate, Schema)]
#[serde(rename_all = "camelCase")]
#[schema(validator, validate = never_zed, changes)]
#[validate(schema(function = "not_both", skip_on_field_errors = false))]
struct Order {
    #[validate(length(min = 1))]
    zip_code: String,
    #[serde(rename = "kind")]
    #[validate(length(min = 1))]
    r#type: String,
    #[serde(flatten)]
    #[validate(nested)]
    address: Address,
    #[validate(nested, length(max = 2))]
    order_lines: Vec<Line>,
    #[validate(nested)]
    gift: Option<Line>,
    #[validate(nested)]
    by_name: HashMap<String, Line>,
    #[validate(nested)]
    rows: Vec<Vec<Line>>,
    /// validator does not walk into it, so it is checked by itself.
    apart: Option<Line>,
    #[validate(nested)]
    between: Option<Between>,
    #[validate(required)]
    agreed: Option<bool>,
    #[serde(default, skip_deserializing)]
    #[validate(range(min = 1))]
    made_here: i64,
}

#[derive(Debug, Clone, Serialize, Deserialize, Validate, Schema)]
#[serde(rename_all = "UPPERCASE")]
#[schema(changes)]
struct Address {
    #[validate(length(min = 1))]
    street: String,
}

/// Reported once, wherever it is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, Validate, Schema)]
#[schema(validator)]
struct Line {
    #[serde(rename(serialize = "written", deserialize = "read"))]
    #[validate(range(min = 1))]
    count: i64,
}

/// validator walks from `Order` into this one, but not into `unseen`.
#[derive(Debug, Clone, Serialize, Deserialize, Validate, Schema)]
#[validate(nest_all_fields)]
struct Between {
    seen: Line,
    #[validate(skip)]
    unseen: Line,
}

fn not_both(order: &Order) -> Result<(), ValidationError> {
    if order.zip_code == order.r#type { Err(ValidationError::new("same")) } else { Ok(()) }
}

fn never_zed(order: &Order) -> Result<(), Invalid> {
    if order.zip_code == "z" { Err(Invalid::new("zed", "must not be z").at("/zipCode")) } else { Ok(()) }
}

/// No parent checks it, so that each of its parts is a root.
#[derive(Debug, Serialize, Deserialize, Schema)]
struct Roots {
    lines: Vec<Line>,
    by_name: BTreeMap<String, Line>,
    named: Named,
}

/// A value that is a text.
#[derive(Debug, Clone, Serialize, Deserialize, Validate, Schema)]
#[serde(transparent)]
#[schema(validator)]
struct Named {
    #[validate(length(min = 2))]
    name: String,
}

/// Its checks are written by hand, and its keys are the names on the wire.
#[derive(Debug, Deserialize, Schema)]
#[serde(tag = "t")]
#[schema(validator)]
enum ByHand {
    One { count: i64 },
}

impl Validate for ByHand {
    fn validate(&self) -> Result<(), ValidationErrors> {
        let mut errors = ValidationErrors::new();
        let Self::One { count } = self;
        if *count < 1 {
            errors.add("count", ValidationError::new("low"));
            errors.add("__all__", ValidationError::new("whole"));
            errors.add("a/b", ValidationError::new("low"));
        }
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }
}

#[derive(Debug, Deserialize, Validate, Schema)]
#[schema(validator)]
struct Generic<T: Validate> {
    #[validate(nested)]
    items: Vec<T>,
    #[validate(nested)]
    set: BTreeSet<Line>,
}

const VALID: &str = r#"{"zipCode": "1", "kind": "a", "STREET": "s", "orderLines": [{"read": 1}], "byName": {"a": {"read": 1}},
    "rows": [[{"read": 1}]], "apart": {"read": 1}, "between": {"seen": {"read": 1}, "unseen": {"read": 1}}, "agreed": false}"#;

const INVALID: &str = r#"{"zipCode": "", "kind": "", "STREET": "", "orderLines": [{"read": 1}, {"read": 0}],
    "gift": {"read": 0}, "byName": {"y": {"read": 0}, "n": {"read": 1}, "x": {"read": 0}, "b": {"read": 0}},
    "rows": [[], [{"read": 1}, {"read": 0}]], "apart": {"read": 0},
    "between": {"seen": {"read": 0}, "unseen": {"read": 0}}}"#;

#[test]
fn failures_stand_where_the_client_wrote_the_value() {
    for (json, expected) in [
        (VALID.to_owned(), vec![]),
        (
            INVALID.to_owned(),
            vec![
                "/apart/read minimum",
                "/between/unseen/read minimum",
                "/zipCode min_length",
                "/kind min_length",
                "/STREET min_length",
                "/orderLines/1/read minimum",
                "/gift/read minimum",
                "/byName/b/read minimum",
                "/byName/x/read minimum",
                "/byName/y/read minimum",
                "/rows/1/1/read minimum",
                "/between/seen/read minimum",
                "/agreed required",
                " validator.same",
            ],
        ),
        (VALID.replace("\"1\"", "\"a\""), vec![" validator.same"]),
        (VALID.replace("\"1\"", "\"z\""), vec!["/zipCode zed"]),
        // Where a field's own check fails, validator does not look at its items.
        (
            VALID.replace(r#""orderLines": ["#, r#""orderLines": [{"read": 1}, {"read": 0}, "#),
            vec!["/orderLines max_items"],
        ),
        // What its schema rejects is not checked.
        (INVALID.replace(r#""zipCode": """#, r#""zipCode": 1"#), vec!["/zipCode type"]),
    ] {
        assert_eq!(read::<Order>(&json).err().unwrap_or_default(), expected, "{json}");
    }
}

#[test]
fn failures_of_other_roots() {
    for (found, expected) in [
        (
            violations::<Roots>(
                r#"{"lines": [{"read": 1}, {"read": 0}], "by_name": {"a/b": {"read": 0}}, "named": "a"}"#,
            ),
            vec![
                r#"/lines/1/read minimum {"minimum":1} must be at least 1"#,
                r#"/by_name/a~1b/read minimum {"minimum":1} must be at least 1"#,
                r#"/named min_length {"min_length":2} must have at least 2 characters"#,
            ],
        ),
        (violations::<Named>(r#""a""#), vec![r#" min_length {"min_length":2} must have at least 2 characters"#]),
        (
            violations::<ByHand>(r#"{"t": "One", "count": 0}"#),
            vec![
                "/a~1b validator.low {} is rejected by the check `low`",
                "/count validator.low {} is rejected by the check `low`",
                " validator.whole {} is rejected by the check `whole`",
            ],
        ),
        (
            violations::<Generic<Line>>(r#"{"items": [{"read": 0}], "set": [{"read": 5}, {"read": 0}, {"read": -1}]}"#),
            vec![
                r#"/items/0/read minimum {"minimum":1} must be at least 1"#,
                "/set invalid {} contains an invalid item",
            ],
        ),
    ] {
        assert_eq!(found, expected);
    }
}

/// validator's hash maps have another order in each run of a process, and in each map.
#[test]
fn the_order_is_the_same_each_time() {
    let first = violations::<Order>(INVALID);
    for _ in 0..200 {
        assert_eq!(violations::<Order>(INVALID), first);
    }
}

#[test]
fn changes_are_checked_when_they_are_applied() {
    let order: Order = serde_json::from_str(VALID).unwrap();
    let changes = |json| read::<OrderChanges>(json).unwrap();
    for (json, expected) in [
        (r#"{"zipCode": "2"}"#, vec![]),
        (
            r#"{"zipCode": "", "STREET": "", "byName": {"a": {"read": 1}}}"#,
            vec![
                r#"/zipCode min_length {"min_length":1} must have at least 1 character"#,
                r#"/STREET min_length {"min_length":1} must have at least 1 character"#,
            ],
        ),
    ] {
        let applied = changes(json).apply(&order);
        assert_eq!(applied.err().map(|found| written(&found)).unwrap_or_default(), expected, "{json}");
    }
    // A value that is replaced as a whole is checked when it is read.
    assert_eq!(read::<OrderChanges>(r#"{"gift": {"read": 0}}"#).err().unwrap(), ["/gift/read minimum"]);
}

// The same declaration without validator's checks.
#[derive(Debug, Serialize, Deserialize, Schema)]
#[schema(name = "Checked")]
struct Unchecked {
    name: String,
    tags: Vec<String>,
}

#[derive(Debug, Serialize, Deserialize, Validate, Schema)]
#[schema(validator)]
struct Checked {
    #[validate(length(min = 1))]
    name: String,
    #[validate(length(max = 1))]
    tags: Vec<String>,
}

#[test]
fn without_failures_nothing_changes() {
    for side in [SchemaSide::Input, SchemaSide::Output] {
        assert_eq!(published::<Checked>(side), published::<Unchecked>(side));
    }
    for json in [
        r#"{"name": "a", "tags": []}"#,
        r#"{"name": "ä", "tags": ["a"]}"#,
        r#"{"name": 1, "tags": "a"}"#,
        r#"{"name": null}"#,
        "[]",
    ] {
        let plain = read::<Unchecked>(json).map(|value| serde_json::to_value(value).unwrap());
        let checked = read::<Checked>(json).map(|value| serde_json::to_value(value).unwrap());
        assert_eq!(checked, plain, "{json}");
    }
}
