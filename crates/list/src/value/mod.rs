//! Defines [`Value`], the value of a field or of an operand.

mod conversions;
#[cfg(feature = "rust_decimal")]
mod decimal;
mod field_value;
mod maybe_value;
mod order;
mod value_type;

use std::borrow::Cow;

use ::uuid::Uuid;
use jiff::Timestamp;
use jiff::civil::Date;

#[cfg(feature = "rust_decimal")]
pub use decimal::with_scale;
pub use field_value::FieldValue;
pub use maybe_value::{MaybeValue, NoValue};
pub use value_type::ValueType;

/// The value of a field, or an operand that a field is compared with.
///
/// Values have a total order. Null is the smallest. Strings compare by code point, and numbers by numeric value, so the
/// integer 1 equals 1.0. False is less than true. Dates and date-times compare by time, and UUIDs by their bytes.
/// Decimals compare exactly, so `1.50` equals `1.5`.
/// Values of different types never occur in one field, and compare by their type.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Value<'v> {
    /// Null. NaN and infinite numbers are also null, as in JSON.
    Null,
    /// A boolean.
    Boolean(bool),
    /// An integer.
    Integer(i128),
    /// A floating-point number.
    Number(f64),
    /// A string, or a value of an enumeration.
    Text(Cow<'v, str>),
    /// A date.
    Date(Date),
    /// A date-time.
    DateTime(Timestamp),
    /// A UUID.
    Uuid(Uuid),
    /// An exact decimal number.
    #[cfg(feature = "rust_decimal")]
    Decimal(rust_decimal::Decimal),
    /// A list of single values, for the operator [`Has`](crate::Operator::Has).
    List(Vec<Value<'v>>),
    /// A JSON value as a string. Rows of stores contain arrays and objects in this form. Lists neither filter nor sort by it.
    Json(Cow<'v, str>),
}

impl Value<'_> {
    /// Returns `true` if the value is null.
    #[must_use]
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// Returns the string, or `None` for any other value.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the value as JSON. A number that JSON cannot represent is null.
    #[must_use]
    pub fn to_json(&self) -> serde_json::Value {
        match self {
            Self::Null => serde_json::Value::Null,
            Self::Boolean(value) => (*value).into(),
            Self::Integer(value) => match (i64::try_from(*value), u64::try_from(*value)) {
                (Ok(value), _) => value.into(),
                (_, Ok(value)) => value.into(),
                // No property allows larger integers.
                _ => serde_json::Value::Null,
            },
            Self::Number(value) => (*value).into(),
            Self::Text(text) => (**text).into(),
            Self::Date(value) => value.to_string().into(),
            Self::DateTime(value) => value.to_string().into(),
            Self::Uuid(value) => value.to_string().into(),
            #[cfg(feature = "rust_decimal")]
            Self::Decimal(value) => value.to_string().into(),
            Self::List(items) => items.iter().map(Value::to_json).collect(),
            Self::Json(json) => serde_json::from_str(json).unwrap_or_default(),
        }
    }

    /// Returns the value without a copy of its string.
    #[must_use]
    pub fn borrowed(&self) -> Value<'_> {
        match self {
            Self::Text(text) => Value::Text(Cow::Borrowed(text)),
            Self::Json(json) => Value::Json(Cow::Borrowed(json)),
            other => other.clone(),
        }
    }

    /// Converts the value to an owned value, which borrows nothing.
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
            #[cfg(feature = "rust_decimal")]
            Self::Decimal(value) => Value::Decimal(value),
            Self::List(items) => Value::List(items.into_iter().map(Value::into_owned).collect()),
            Self::Json(json) => Value::Json(Cow::Owned(json.into_owned())),
        }
    }
}
