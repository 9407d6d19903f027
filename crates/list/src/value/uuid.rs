//! UUIDs. They can be sorted by, and nobody asks for those above another.

use uuid::Uuid;

use super::{Value, copied};
use crate::operator::Operator;

pub(super) const OPERATORS: &[Operator] = &[Operator::Eq, Operator::Ne, Operator::In, Operator::IsNull];

pub(super) fn read(json: &serde_json::Value) -> Option<Value<'static>> {
    Uuid::try_parse(json.as_str()?).ok().map(Value::Uuid)
}

copied! {
    Uuid, value => Value::Uuid(value);
}
