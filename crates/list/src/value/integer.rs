//! Integers.

use super::{Value, copied};
use crate::operator::Operator;

pub(super) const OPERATORS: &[Operator] = Operator::OF_ORDERED;

pub(super) fn read(json: &serde_json::Value) -> Option<Value<'static>> {
    json.as_i64().map(Value::from).or_else(|| json.as_u64().map(Value::from))
}

copied! {
    i8, value => Value::Integer(value.into());
    i16, value => Value::Integer(value.into());
    i32, value => Value::Integer(value.into());
    i64, value => Value::Integer(value.into());
    isize, value => Value::from(value as i64);
    u8, value => Value::Integer(value.into());
    u16, value => Value::Integer(value.into());
    u32, value => Value::Integer(value.into());
    u64, value => Value::Integer(value.into());
    usize, value => Value::from(value as u64);
}
