//! Integers.

use super::{Value, copied};
use crate::operator::Operator;

pub(super) const OPERATORS: &[Operator] = Operator::OF_ORDERED;

pub(super) fn read(json: &serde_json::Value) -> Option<Value<'static>> {
    json.as_i64().map(Value::from).or_else(|| json.as_u64().map(Value::from))
}

copied! {
    i8, value => Self::Integer(value.into());
    i16, value => Self::Integer(value.into());
    i32, value => Self::Integer(value.into());
    i64, value => Self::Integer(value.into());
    u8, value => Self::Integer(value.into());
    u16, value => Self::Integer(value.into());
    u32, value => Self::Integer(value.into());
    u64, value => Self::Integer(value.into());
}
