//! Defines constructors of [`Filter`] for services and tests.

use super::{Filter, FilterCondition, list};
use crate::expression::{Comparison, SearchText};
use crate::value::{FieldValue, Value};

/// Constructors of filters for services and tests. They create the same filters as a request.
///
/// Values that no request can contain (null, NaN, infinity) compare as null. Constraints are not checked.
///
/// ```
/// use restwright_list::{Comparison, Expression, Filter, Filters};
///
/// let weight_kg = Filter::gte(1.0).and(Filter::lt(5.0));
/// assert_eq!(weight_kg.iter().map(|given| given.raw()).collect::<Vec<_>>(), ["1", "5"]);
/// let light = weight_kg.conditions("weight_kg").last().unwrap();
/// assert_eq!(Expression::from(light), Expression::condition("weight_kg", Comparison::Lt(5.0.into())));
/// ```
impl<T: FieldValue> Filter<T> {
    /// Creates an `eq` filter, which matches fields that equal the value.
    #[must_use]
    pub fn eq(value: T) -> Self {
        Self::from_comparison(Comparison::Eq(value))
    }

    /// Creates a `ne` filter, which matches fields that do not equal the value or are null.
    #[must_use]
    pub fn ne(value: T) -> Self {
        Self::from_comparison(Comparison::Ne(value))
    }

    /// Creates an `in` filter, which matches fields that equal one of the values.
    #[must_use]
    pub fn one_of(values: impl IntoIterator<Item = T>) -> Self {
        Self::from_comparison(Comparison::In(values.into_iter().collect()))
    }

    /// Creates a `gt` filter, which matches fields that are greater than the value.
    #[must_use]
    pub fn gt(value: T) -> Self {
        Self::from_comparison(Comparison::Gt(value))
    }

    /// Creates a `gte` filter, which matches fields that are greater than or equal to the value.
    #[must_use]
    pub fn gte(value: T) -> Self {
        Self::from_comparison(Comparison::Gte(value))
    }

    /// Creates an `lt` filter, which matches fields that are less than the value.
    #[must_use]
    pub fn lt(value: T) -> Self {
        Self::from_comparison(Comparison::Lt(value))
    }

    /// Creates an `lte` filter, which matches fields that are less than or equal to the value.
    #[must_use]
    pub fn lte(value: T) -> Self {
        Self::from_comparison(Comparison::Lte(value))
    }

    /// Creates a `between` filter, which matches fields from `low` to `high`, including both values.
    #[must_use]
    pub fn between(low: T, high: T) -> Self {
        Self::from_comparison(Comparison::Between(low, high))
    }

    /// Creates a `contains` filter, which matches strings that contain `text`, ignoring case.
    #[must_use]
    pub fn contains(text: impl Into<String>) -> Self {
        Self::from_comparison(Comparison::Contains(SearchText::new(text)))
    }

    /// Creates a `starts_with` filter, which matches strings that start with `text`, ignoring case.
    #[must_use]
    pub fn starts_with(text: impl Into<String>) -> Self {
        Self::from_comparison(Comparison::StartsWith(SearchText::new(text)))
    }

    /// Creates an `ends_with` filter, which matches strings that end with `text`, ignoring case.
    #[must_use]
    pub fn ends_with(text: impl Into<String>) -> Self {
        Self::from_comparison(Comparison::EndsWith(SearchText::new(text)))
    }

    /// Creates an `is_null` filter, which matches null if the argument is `true`, and all other values if it is
    /// `false`.
    #[must_use]
    pub fn is_null(wanted: bool) -> Self {
        Self::from_comparison(Comparison::IsNull(wanted))
    }

    /// Creates a filter with one `has` condition: the field is a list that contains the value.
    #[must_use]
    pub fn has(value: T) -> Self {
        Self::from_comparison(Comparison::Has(value))
    }

    /// Returns a filter with the conditions of both filters.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.given.extend(other.given);
        self
    }

    fn from_comparison(comparison: Comparison<T>) -> Self {
        let untyped = comparison.map(|value| value.to_value().into_owned());
        Self { given: vec![FilterCondition { raw: raw(&untyped), untyped, comparison }] }
    }
}

/// Returns the operands of a comparison as a client would send them.
pub(super) fn raw(comparison: &Comparison<Value<'_>>) -> String {
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
        Value::Text(text) | Value::Json(text) => text.clone().into_owned(),
        Value::Date(date) => date.to_string(),
        Value::DateTime(instant) => instant.to_string(),
        Value::Uuid(uuid) => uuid.to_string(),
        #[cfg(feature = "rust_decimal")]
        Value::Decimal(value) => value.to_string(),
        Value::List(items) => list::join(items.iter().map(text)),
    }
}
