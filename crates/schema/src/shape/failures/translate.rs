//! Converts a `validator` error to a violation. The violation uses a code of this crate if one fits. Otherwise, its
//! code is the error code with the prefix `validator.`, which prevents collisions.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::HashMap;

use serde_json::Value;
use validator::ValidationError;

use crate::code::Code;
use crate::number::Number;
use crate::pending_violation::{PendingViolation, counted};
use crate::shape::schema_type::number::beyond;
use crate::shape::schema_type::string::bad_format;

type Params = HashMap<Cow<'static, str>, Value>;

/// The names of the `validator` error parameters that are reported to clients. Other parameters may contain the
/// rejected value, which a response never repeats.
const BOUNDS: [&str; 5] = ["min", "max", "equal", "exclusive_min", "exclusive_max"];

pub(super) fn translate(error: ValidationError) -> PendingViolation {
    let ValidationError { code, message, params } = error;
    let violation = of_catalogue(&code, &params).unwrap_or_else(|| of_application(&code, params));
    match message {
        Some(message) => violation.with_message(message),
        None => violation,
    }
}

fn of_catalogue(code: &str, params: &Params) -> Option<PendingViolation> {
    Some(match code {
        "required" => PendingViolation::new(Code::REQUIRED, "is required"),
        "email" => bad_format("email"),
        "url" => bad_format("uri"),
        "ip" => bad_format("ip"),
        "regex" => PendingViolation::new(Code::PATTERN, "must match the pattern"),
        "length" => return length(params),
        "range" => return range(params),
        _ => return None,
    })
}

fn of_application(code: &str, mut params: Params) -> PendingViolation {
    let message = match code {
        "must_match" => "must be the same as another property".into(),
        "contains" => "does not contain a required part".into(),
        "does_not_contain" => "contains a forbidden part".into(),
        "credit_card" => "must be a credit card number".into(),
        "non_control_character" => "must not contain control characters".into(),
        "length" => "must have another length".into(),
        "range" => "must be within the allowed range".into(),
        code => format!("is rejected by the check `{code}`"),
    };
    let bounds = BOUNDS.into_iter().filter_map(|name| Some((name, params.remove(name)?)));
    bounds
        .fold(PendingViolation::new(Code::custom(format!("validator.{code}")), message), |violation, (name, bound)| {
            violation.param(name, bound)
        })
}

/// Converts an error of the `validator` check `length` to a violation. Returns `None` if two bounds are declared and it
/// is unknown which bound the value violates.
fn length(params: &Params) -> Option<PendingViolation> {
    let bound = |name| usize::try_from(params.get(name)?.as_u64()?).ok();
    let (min, max) = bound("equal").map_or((bound("min"), bound("max")), |equal| (Some(equal), Some(equal)));
    let value = params.get("value")?;
    let (length, codes, singular, plural) = match value {
        Value::String(text) => (text.chars().count(), (Code::MIN_LENGTH, Code::MAX_LENGTH), "character", "characters"),
        Value::Array(items) => (items.len(), (Code::MIN_ITEMS, Code::MAX_ITEMS), "item", "items"),
        Value::Object(map) => (map.len(), (Code::MIN_PROPERTIES, Code::MAX_PROPERTIES), "property", "properties"),
        _ => return None,
    };
    let (code, phrase, bound) = match (min, max) {
        (Some(min), _) if length < min => (codes.0, "at least", min),
        (_, Some(max)) if length > max => (codes.1, "at most", max),
        (Some(min), None) => (codes.0, "at least", min),
        (None, Some(max)) => (codes.1, "at most", max),
        _ => return None,
    };
    let message = format!("must have {phrase} {}", counted(bound, singular, plural));
    Some(PendingViolation::new(code.clone(), message).param(code.as_str(), bound))
}

/// The parameter name, code, message and comparison for one bound of the `validator` check `range`. The comparison
/// returns `true` if the ordering of value and bound violates the bound.
type RangeBound = (&'static str, Code, &'static str, fn(Ordering) -> bool);

/// Converts an error of the `validator` check `range` to a violation. See [`length`].
fn range(params: &Params) -> Option<PendingViolation> {
    let number = |name| match params.get(name) {
        Some(Value::Number(number)) => Number::of(number),
        _ => None,
    };
    let bounds: [RangeBound; 4] = [
        ("min", Code::MINIMUM, "must be at least", Ordering::is_lt),
        ("max", Code::MAXIMUM, "must be at most", Ordering::is_gt),
        ("exclusive_min", Code::EXCLUSIVE_MINIMUM, "must be above", Ordering::is_le),
        ("exclusive_max", Code::EXCLUSIVE_MAXIMUM, "must be below", Ordering::is_ge),
    ];
    let given: Vec<_> = bounds.into_iter().filter(|(name, ..)| params.contains_key(*name)).collect();
    let value = number("value");
    let is_violated = |(name, .., violates): &&RangeBound| {
        let ordering = value.zip(number(name)).and_then(|(value, bound)| value.partial_cmp(&bound));
        ordering.is_some_and(violates)
    };
    let only = if let [only] = given.as_slice() { Some(only) } else { None };
    let (name, code, phrase, _) = given.iter().find(is_violated).or(only)?;
    Some(beyond(code.clone(), code.as_str(), phrase, number(name)?))
}
