//! [`Value`]: what a condition compares with, and what a record holds.

mod conversions;
mod field_value;
mod maybe_value;
mod order;
mod value_type;

use std::borrow::Cow;

use ::uuid::Uuid;
use jiff::Timestamp;
use jiff::civil::Date;

pub use field_value::FieldValue;
pub use maybe_value::{MaybeValue, NoValue};
pub use value_type::ValueType;

/// A value of a field.
///
/// Values are ordered: null is the smallest, text is compared by code point, numbers by value (an integer equals the same
/// number with a fraction of zero), false is below true, dates and date-times by time, UUIDs by their bytes. Values of different
/// types do not occur in one field; so that the order is total, they are ordered by type.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Value<'v> {
    /// No value; also what JSON writes as null: a number that is NaN or infinite.
    Null,
    /// True or false.
    Boolean(bool),
    /// An integer.
    Integer(i128),
    /// A number.
    Number(f64),
    /// Text, or a value of an enumeration.
    Text(Cow<'v, str>),
    /// A date.
    Date(Date),
    /// A date-time.
    DateTime(Timestamp),
    /// A UUID.
    Uuid(Uuid),
}

impl Value<'_> {
    /// Returns `true` if this is null.
    #[must_use]
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// Returns the text, or `None` if this is another value.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the value as JSON has it; a number that no JSON has is null.
    pub(crate) fn to_json(&self) -> serde_json::Value {
        match self {
            Self::Null => serde_json::Value::Null,
            Self::Boolean(value) => (*value).into(),
            Self::Integer(value) => match (i64::try_from(*value), u64::try_from(*value)) {
                (Ok(value), _) => value.into(),
                (_, Ok(value)) => value.into(),
                // No property has a larger one.
                _ => serde_json::Value::Null,
            },
            Self::Number(value) => (*value).into(),
            Self::Text(text) => (**text).into(),
            Self::Date(value) => value.to_string().into(),
            Self::DateTime(value) => value.to_string().into(),
            Self::Uuid(value) => value.to_string().into(),
        }
    }

    /// Returns the same value without a borrow.
    #[must_use]
    pub fn into_owned(self) -> Value<'static> {
        match self {
            Self::Null => Value::Null,
            Self::Boolean(value) => Value::Boolean(value),
            Self::Integer(value) => Value::Integer(value),
            Self::Number(value) => Value::Number(value),
            Self::Text(text) => Value::Text(Cow::Owned(text.into_owned())),
            Self::Date(value) => Value::Date(value),
            Self::DateTime(value) => Value::DateTime(value),
            Self::Uuid(value) => Value::Uuid(value),
        }
    }
}
