//! Booleans.

use super::{Value, copied};
use crate::operator::Operator;

pub(super) const OPERATORS: &[Operator] = &[Operator::Eq, Operator::Ne, Operator::IsNull];

pub(super) fn read(json: &serde_json::Value) -> Option<Value<'static>> {
    json.as_bool().map(Value::Boolean)
}

copied! {
    bool, value => Value::Boolean(value);
}
