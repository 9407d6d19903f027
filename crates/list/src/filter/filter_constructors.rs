//! Filters that no request gave: of the service itself, or of a test.

use super::filter::{Filter, FilterCondition};
use super::list;
use crate::expression::{Comparison, SearchText};
use crate::field_value::FieldValue;
use crate::value::Value;

/// Filters as a request would give them.
///
/// A value that no request can give, which is null or a number that is none, is compared as null.
///
/// ```
/// use restwright_list::{Comparison, Expression, Filter, Filters};
///
/// let weight_kg = Filter::gte(1.0).and(Filter::lt(5.0));
/// assert_eq!(weight_kg.iter().map(|given| given.raw()).collect::<Vec<_>>(), ["1", "5"]);
/// let light = weight_kg.conditions("weight_kg").last().unwrap();
/// assert_eq!(Expression::from(light), Expression::of("weight_kg", Comparison::Lt(5.0.into())));
/// ```
impl<T: FieldValue> Filter<T> {
    /// `eq`: equals.
    #[must_use]
    pub fn eq(value: T) -> Self {
        Self::of(Comparison::Eq(value))
    }

    /// `ne`: does not equal; null does not.
    #[must_use]
    pub fn ne(value: T) -> Self {
        Self::of(Comparison::Ne(value))
    }

    /// `in`: equals one of these.
    #[must_use]
    pub fn one_of(values: impl IntoIterator<Item = T>) -> Self {
        Self::of(Comparison::In(values.into_iter().collect()))
    }

    /// `gt`: is above.
    #[must_use]
    pub fn gt(value: T) -> Self {
        Self::of(Comparison::Gt(value))
    }

    /// `gte`: is above or equals.
    #[must_use]
    pub fn gte(value: T) -> Self {
        Self::of(Comparison::Gte(value))
    }

    /// `lt`: is below.
    #[must_use]
    pub fn lt(value: T) -> Self {
        Self::of(Comparison::Lt(value))
    }

    /// `lte`: is below or equals.
    #[must_use]
    pub fn lte(value: T) -> Self {
        Self::of(Comparison::Lte(value))
    }

    /// `between`: is from the first to the second, both included.
    #[must_use]
    pub fn between(low: T, high: T) -> Self {
        Self::of(Comparison::Between(low, high))
    }

    /// `contains`: contains the text, ignoring case.
    #[must_use]
    pub fn contains(text: impl Into<String>) -> Self {
        Self::of(Comparison::Contains(SearchText::new(text)))
    }

    /// `starts_with`: starts with the text, ignoring case.
    #[must_use]
    pub fn starts_with(text: impl Into<String>) -> Self {
        Self::of(Comparison::StartsWith(SearchText::new(text)))
    }

    /// `ends_with`: ends with the text, ignoring case.
    #[must_use]
    pub fn ends_with(text: impl Into<String>) -> Self {
        Self::of(Comparison::EndsWith(SearchText::new(text)))
    }

    /// `is_null`: is null, or is not.
    #[must_use]
    pub fn is_null(wanted: bool) -> Self {
        Self::of(Comparison::IsNull(wanted))
    }

    /// Both hold.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.given.extend(other.given);
        self
    }

    fn of(comparison: Comparison<T>) -> Self {
        let untyped = comparison.map(|value| value.to_value().into_owned());
        Self { given: vec![FilterCondition { raw: raw(&untyped), untyped, comparison }] }
    }
}

/// The text that a client sends for it.
fn raw(comparison: &Comparison<Value<'_>>) -> String {
    match comparison {
        Comparison::Contains(text) | Comparison::StartsWith(text) | Comparison::EndsWith(text) => {
            text.as_str().to_owned()
        }
        Comparison::IsNull(wanted) => wanted.to_string(),
        Comparison::In(_) | Comparison::Between(..) => list::join(comparison.values().into_iter().map(text)),
        comparison => comparison.values().into_iter().map(text).collect(),
    }
}

fn text(value: &Value<'_>) -> String {
    match value {
        Value::Null => String::new(),
        Value::Boolean(value) => value.to_string(),
        Value::Integer(value) => value.to_string(),
        Value::Number(value) => value.to_string(),
        Value::Text(text) => text.clone().into_owned(),
        Value::Date(date) => date.to_string(),
        Value::DateTime(instant) => instant.to_string(),
        Value::Uuid(uuid) => uuid.to_string(),
    }
}
