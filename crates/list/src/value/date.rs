//! Days.

use jiff::civil::Date;

use super::{Value, copied};
use crate::operator::Operator;

pub(super) const OPERATORS: &[Operator] = Operator::OF_ORDERED;

pub(super) fn read(json: &serde_json::Value) -> Option<Value<'static>> {
    json.as_str()?.parse().ok().map(Value::Date)
}

copied! {
    Date, value => Value::Date(value);
}
