//! Defines [`Comparison`], an operator with its operands.

use super::SearchText;
use crate::fold::fold;
use crate::operator::Operator;
use crate::value::Value;

/// An [`Operator`] with its operands. The operands are Rust values in a [`Filter`](crate::Filter), and [`Value`]s in an
/// [`Expression`](super::Expression).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Comparison<V> {
    /// The field equals the value.
    Eq(V),
    /// The field does not equal the value, or is null.
    Ne(V),
    /// The field equals one of these values.
    In(Vec<V>),
    /// The field is greater than the value.
    Gt(V),
    /// The field is greater than or equal to the value.
    Gte(V),
    /// The field is less than the value.
    Lt(V),
    /// The field is less than or equal to the value.
    Lte(V),
    /// The field is between the two values, or equals one of them.
    Between(V, V),
    /// The field contains the search string, ignoring case.
    Contains(SearchText),
    /// The field starts with the search string, ignoring case.
    StartsWith(SearchText),
    /// The field ends with the search string, ignoring case.
    EndsWith(SearchText),
    /// The field is null (`true`) or not null (`false`).
    IsNull(bool),
    /// The field is a list that contains the value.
    Has(V),
}

impl<V> Comparison<V> {
    /// Returns the operator of the comparison.
    #[must_use]
    pub fn operator(&self) -> Operator {
        match self {
            Self::Eq(_) => Operator::Eq,
            Self::Ne(_) => Operator::Ne,
            Self::In(_) => Operator::In,
            Self::Gt(_) => Operator::Gt,
            Self::Gte(_) => Operator::Gte,
            Self::Lt(_) => Operator::Lt,
            Self::Lte(_) => Operator::Lte,
            Self::Between(..) => Operator::Between,
            Self::Contains(_) => Operator::Contains,
            Self::StartsWith(_) => Operator::StartsWith,
            Self::EndsWith(_) => Operator::EndsWith,
            Self::IsNull(_) => Operator::IsNull,
            Self::Has(_) => Operator::Has,
        }
    }

    /// Returns the operands that are field values, in order. Returns an empty list for string searches and `is_null`.
    #[must_use]
    pub fn values(&self) -> Vec<&V> {
        match self {
            Self::Eq(value) | Self::Ne(value) | Self::Has(value) => vec![value],
            Self::Gt(value) | Self::Gte(value) | Self::Lt(value) | Self::Lte(value) => vec![value],
            Self::In(values) => values.iter().collect(),
            Self::Between(low, high) => vec![low, high],
            Self::Contains(_) | Self::StartsWith(_) | Self::EndsWith(_) | Self::IsNull(_) => Vec::new(),
        }
    }

    /// Returns a copy of the comparison in which each value is replaced with the result of `map`.
    pub(crate) fn map<W>(&self, mut map: impl FnMut(&V) -> W) -> Comparison<W> {
        let Ok(mapped) = self.try_map(|value| Ok::<_, std::convert::Infallible>(map(value)));
        mapped
    }

    /// Returns a comparison in which each value is replaced with the result of `map`, or the first error of `map`.
    pub(crate) fn try_map<W, E>(&self, mut map: impl FnMut(&V) -> Result<W, E>) -> Result<Comparison<W>, E> {
        Ok(match self {
            Self::Eq(value) => Comparison::Eq(map(value)?),
            Self::Ne(value) => Comparison::Ne(map(value)?),
            Self::In(values) => Comparison::In(values.iter().map(map).collect::<Result<_, E>>()?),
            Self::Gt(value) => Comparison::Gt(map(value)?),
            Self::Gte(value) => Comparison::Gte(map(value)?),
            Self::Lt(value) => Comparison::Lt(map(value)?),
            Self::Lte(value) => Comparison::Lte(map(value)?),
            Self::Between(low, high) => Comparison::Between(map(low)?, map(high)?),
            Self::Contains(text) => Comparison::Contains(text.clone()),
            Self::StartsWith(text) => Comparison::StartsWith(text.clone()),
            Self::EndsWith(text) => Comparison::EndsWith(text.clone()),
            Self::IsNull(wanted) => Comparison::IsNull(*wanted),
            Self::Has(value) => Comparison::Has(map(value)?),
        })
    }
}

impl Comparison<Value<'_>> {
    /// Returns `true` if a value of the field satisfies the comparison.
    #[must_use]
    pub fn holds(&self, value: &Value<'_>) -> bool {
        // Null does not match these operators, although it sorts before all other values.
        let is_any = |holds: &dyn Fn(&Value<'_>) -> bool| !value.is_null() && holds(value);
        match self {
            Self::Eq(given) => is_any(&|value| value == given),
            // `ne` also matches null, so exactly one of `eq` and `ne` holds for every record.
            Self::Ne(given) => value.is_null() || value != given,
            Self::In(given) => is_any(&|value| given.contains(value)),
            Self::Gt(given) => is_any(&|value| value > given),
            Self::Gte(given) => is_any(&|value| value >= given),
            Self::Lt(given) => is_any(&|value| value < given),
            Self::Lte(given) => is_any(&|value| value <= given),
            // Both ends are included. If they are in the wrong order, nothing matches.
            Self::Between(low, high) => is_any(&|value| value >= low && value <= high),
            Self::Contains(search) => is_text(value, |text| text.contains(search.folded())),
            Self::StartsWith(search) => is_text(value, |text| text.starts_with(search.folded())),
            Self::EndsWith(search) => is_text(value, |text| text.ends_with(search.folded())),
            Self::IsNull(wanted) => value.is_null() == *wanted,
            Self::Has(given) => matches!(value, Value::List(items) if !given.is_null() && items.contains(given)),
        }
    }
}

/// Returns `true` if the value is a string and the predicate holds for its case folding.
fn is_text(value: &Value<'_>, predicate: impl FnOnce(&str) -> bool) -> bool {
    value.as_text().is_some_and(|text| predicate(&fold(text)))
}
