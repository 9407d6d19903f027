//! Enumerations: of texts, or of integers. They have no order and no beginning.

use super::{Value, integer, text};
use crate::operator::Operator;

pub(super) const OPERATORS: &[Operator] = &[Operator::Eq, Operator::Ne, Operator::In, Operator::IsNull];

pub(super) fn read(json: &serde_json::Value) -> Option<Value<'static>> {
    text::read(json).or_else(|| integer::read(json))
}
