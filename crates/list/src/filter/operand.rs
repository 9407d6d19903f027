//! Parses the operands of filter conditions.

use std::borrow::Cow;

use restwright_core::schema::{Code, Violation, Violations};
use serde_json::Value as Json;

use super::list;
use crate::codes;
use crate::expression::{Comparison, SearchText};
use crate::operator::Operator;
use crate::shown::shown;

/// The maximum number of values of an `in` condition.
pub(super) const MAX_VALUES: usize = 100;

/// Parses the operands of one filter condition from strings. Only `in` and `between` accept several strings. `value`
/// parses a value of the field, and `flag` parses a boolean.
pub(super) fn read(
    operator: Operator,
    texts: &[&str],
    value: impl Fn(&str) -> Result<Json, Violations>,
    flag: impl Fn(&str) -> Result<Json, Violations>,
    limit: usize,
) -> Result<Comparison<Json>, Violations> {
    let text = texts.first().copied().unwrap_or_default();
    Ok(match operator {
        Operator::Eq => Comparison::Eq(value(text)?),
        Operator::Ne => Comparison::Ne(value(text)?),
        Operator::Gt => Comparison::Gt(value(text)?),
        Operator::Gte => Comparison::Gte(value(text)?),
        Operator::Lt => Comparison::Lt(value(text)?),
        Operator::Lte => Comparison::Lte(value(text)?),
        Operator::Has => Comparison::Has(value(text)?),
        Operator::In => Comparison::In(values(value, texts, limit)?),
        Operator::Between => range(value, texts, limit)?,
        Operator::Contains => Comparison::Contains(SearchText::new(text)),
        Operator::StartsWith => Comparison::StartsWith(SearchText::new(text)),
        Operator::EndsWith => Comparison::EndsWith(SearchText::new(text)),
        Operator::IsNull => Comparison::IsNull(flag(text)?.as_bool().unwrap_or_default()),
    })
}

fn values(
    value: impl Fn(&str) -> Result<Json, Violations>,
    texts: &[&str],
    limit: usize,
) -> Result<Vec<Json>, Violations> {
    let mut given = Vec::new();
    for text in texts {
        let more = list::split(text);
        if more.is_empty() {
            return refuse(codes::EMPTY_LIST, "must have at least 1 value");
        }
        given.extend(more);
        if given.len() > MAX_VALUES {
            let violation = Violation::new("", Code::MAX_ITEMS, format!("must have at most {MAX_VALUES} values"));
            return Err(Violations::one(violation.param("max_items", MAX_VALUES)));
        }
    }
    each(value, &given, limit)
}

fn range(
    value: impl Fn(&str) -> Result<Json, Violations>,
    texts: &[&str],
    limit: usize,
) -> Result<Comparison<Json>, Violations> {
    // At most three values are read, because the third is already an error.
    let given: Vec<_> = texts.iter().flat_map(|text| list::split(text)).take(3).collect();
    if given.len() == 2
        && let Ok([low, high]) = <[Json; 2]>::try_from(each(value, &given, limit)?)
    {
        return Ok(Comparison::Between(low, high));
    }
    refuse(codes::NOT_A_RANGE, "must be two values, separated by a comma or in repeated parameters")
}

/// Parses a list of strings into operands. Each violation contains the rejected value.
fn each(
    value: impl Fn(&str) -> Result<Json, Violations>,
    given: &[Cow<'_, str>],
    limit: usize,
) -> Result<Vec<Json>, Violations> {
    let mut values = Vec::with_capacity(given.len());
    let mut refused = Violations::with_limit(limit);
    for text in given {
        match value(text) {
            Ok(value) => values.push(value),
            Err(found) => refused.append("", found.map(|violation| violation.param("value", shown(text)))),
        }
    }
    refused.into_result().map(|()| values)
}

fn refuse<T>(code: Code, message: &str) -> Result<T, Violations> {
    Err(Violations::one(Violation::new("", code, message)))
}
