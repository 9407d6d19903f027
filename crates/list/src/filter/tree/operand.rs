//! Reads the operands of a condition from JSON.

use restwright_core::schema::{Code, Violation, Violations};
use serde_json::Value as Json;
use serde_json::value::RawValue;

use super::{JsonTypes, raw, wrong_type};
use crate::codes;
use crate::expression::{Comparison, SearchText};
use crate::filter::field::FieldPlan;
use crate::filter::operand::MAX_VALUES;
use crate::operator::Operator;

/// Reads the operands of a condition. The pointers of violations are relative to the operand.
pub(super) fn read(
    field: &FieldPlan,
    operator: Operator,
    json: &RawValue,
    types: &JsonTypes,
    limit: usize,
) -> Result<Comparison<Json>, Violations> {
    let value = |json: &RawValue| field.read_json(operator, json, limit);
    let items = |json| raw::items(json).ok_or_else(|| wrong_type(&types.array, json));
    let text = || match serde_json::from_str::<String>(json.get()) {
        Ok(text) => Ok(SearchText::new(&text)),
        Err(_) => Err(wrong_type(&types.string, json)),
    };
    Ok(match operator {
        Operator::Eq => Comparison::Eq(value(json)?),
        Operator::Ne => Comparison::Ne(value(json)?),
        Operator::Gt => Comparison::Gt(value(json)?),
        Operator::Gte => Comparison::Gte(value(json)?),
        Operator::Lt => Comparison::Lt(value(json)?),
        Operator::Lte => Comparison::Lte(value(json)?),
        Operator::Has => Comparison::Has(value(json)?),
        Operator::In => match &*items(json)? {
            [] => return Err(refusal(codes::EMPTY_LIST, "must have at least 1 value".to_owned())),
            items if items.len() > MAX_VALUES => {
                let violation = Violation::new("", Code::MAX_ITEMS, format!("must have at most {MAX_VALUES} values"));
                return Err(Violations::one(violation.param("max_items", MAX_VALUES)));
            }
            items => Comparison::In(each(items, value, limit)?),
        },
        Operator::Between => match &*items(json)? {
            items @ [_, _] => match <[Json; 2]>::try_from(each(items, value, limit)?) {
                Ok([low, high]) => Comparison::Between(low, high),
                Err(_) => return Err(no_range()),
            },
            _ => return Err(no_range()),
        },
        Operator::Contains => Comparison::Contains(text()?),
        Operator::StartsWith => Comparison::StartsWith(text()?),
        Operator::EndsWith => Comparison::EndsWith(text()?),
        Operator::IsNull => match serde_json::from_str(json.get()) {
            Ok(wanted) => Comparison::IsNull(wanted),
            Err(_) => return Err(wrong_type(&types.boolean, json)),
        },
    })
}

/// Reads several values. The pointer of each violation starts with the index of the value.
fn each(
    items: &[&RawValue],
    value: impl Fn(&RawValue) -> Result<Json, Violations>,
    limit: usize,
) -> Result<Vec<Json>, Violations> {
    let mut values = Vec::with_capacity(items.len());
    let mut refused = Violations::with_limit(limit);
    for (index, item) in items.iter().enumerate() {
        match value(item) {
            Ok(value) => values.push(value),
            Err(found) => refused.append(&format!("/{index}"), found),
        }
    }
    refused.into_result().map(|()| values)
}

fn no_range() -> Violations {
    refusal(codes::NOT_A_RANGE, "must be an array of two values".to_owned())
}

fn refusal(code: Code, message: String) -> Violations {
    Violations::one(Violation::new("", code, message))
}
