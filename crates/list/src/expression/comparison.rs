//! [`Comparison`]: an operator with what it was given.

use super::SearchText;
use crate::operator::{Operator, equality, null, ordering, search};
use crate::value::Value;

/// An [`Operator`] with what it compares with: values of a Rust type in a [`Filter`](crate::Filter), a [`Value`] in an
/// [`Expression`](super::Expression).
#[derive(Clone, Debug, PartialEq)]
pub enum Comparison<V> {
    /// Equals.
    Eq(V),
    /// Does not equal; null does not.
    Ne(V),
    /// Equals one of these.
    In(Vec<V>),
    /// Is above.
    Gt(V),
    /// Is above or equals.
    Gte(V),
    /// Is below.
    Lt(V),
    /// Is below or equals.
    Lte(V),
    /// Is from the first to the second, both included.
    Between(V, V),
    /// Contains the text.
    Contains(SearchText),
    /// Starts with the text.
    StartsWith(SearchText),
    /// Ends with the text.
    EndsWith(SearchText),
    /// Is null, or is not.
    IsNull(bool),
}

impl<V> Comparison<V> {
    /// The operator.
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
        }
    }

    /// The values that it compares with, in order; none for texts to look for and for `is_null`.
    #[must_use]
    pub fn values(&self) -> Vec<&V> {
        match self {
            Self::Eq(value) | Self::Ne(value) => vec![value],
            Self::Gt(value) | Self::Gte(value) | Self::Lt(value) | Self::Lte(value) => vec![value],
            Self::In(values) => values.iter().collect(),
            Self::Between(low, high) => vec![low, high],
            Self::Contains(_) | Self::StartsWith(_) | Self::EndsWith(_) | Self::IsNull(_) => Vec::new(),
        }
    }

    /// The same comparison with other values.
    pub(crate) fn map<W>(&self, mut map: impl FnMut(&V) -> W) -> Comparison<W> {
        let Ok(mapped) = self.try_map(|value| Ok::<_, std::convert::Infallible>(map(value)));
        mapped
    }

    /// The same comparison with other values.
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
        })
    }
}

impl Comparison<Value<'_>> {
    /// Whether it holds for a value.
    #[must_use]
    pub fn holds(&self, value: &Value<'_>) -> bool {
        match self {
            Self::Eq(given) => equality::equals(value, given),
            Self::Ne(given) => equality::differs(value, given),
            Self::In(given) => equality::is_among(value, given),
            Self::Gt(given) => ordering::is_above(value, given),
            Self::Gte(given) => ordering::is_from(value, given),
            Self::Lt(given) => ordering::is_below(value, given),
            Self::Lte(given) => ordering::is_up_to(value, given),
            Self::Between(low, high) => ordering::is_between(value, low, high),
            Self::Contains(text) => search::contains(value, text),
            Self::StartsWith(text) => search::starts_with(value, text),
            Self::EndsWith(text) => search::ends_with(value, text),
            Self::IsNull(wanted) => null::is_null(value, *wanted),
        }
    }
}
