//! Numbers, in double and in single precision.

use super::{Value, copied};
use crate::operator::Operator;

pub(super) const OPERATORS: &[Operator] = Operator::OF_ORDERED;

pub(super) fn read(json: &serde_json::Value) -> Option<Value<'static>> {
    json.as_f64().map(Value::from)
}

/// A field in single precision holds what is nearest to the given number.
#[expect(clippy::cast_possible_truncation, reason = "as the field itself is rounded")]
pub(super) fn read_float(json: &serde_json::Value) -> Option<Value<'static>> {
    json.as_f64().map(|number| Value::from(number as f32))
}

copied! {
    f64, value => if value.is_finite() { Value::Number(value) } else { Value::Null };
    f32, value => Value::from(f64::from(value));
}
