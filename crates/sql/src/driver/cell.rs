//! Defines [`Cell`], the value of one column in a row.

use jiff::Timestamp;
use jiff::civil::Date;
use restwright_list::{Value, ValueType, with_scale};
use rust_decimal::Decimal;
use uuid::Uuid;

use crate::value::{FIRST, date_time};

/// The value of one column in a row.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Cell<'r> {
    /// A null value.
    Null,
    /// A Boolean.
    Boolean(bool),
    /// An integer.
    Integer(i64),
    /// A floating-point number.
    Number(f64),
    /// A string.
    Text(&'r str),
    /// A date.
    Date(Date),
    /// A date-time.
    DateTime(Timestamp),
    /// A UUID.
    Uuid(Uuid),
    /// A decimal.
    Decimal(Decimal),
    /// A JSON value as a string.
    Json(&'r str),
}

impl Cell<'_> {
    /// Creates a number of a field. `value_type` is [`ValueType::Number`] or [`ValueType::Float`].
    ///
    /// # Errors
    /// JSON cannot contain the number: it is NaN or infinite, or a single-precision number would be infinite.
    pub(crate) fn number(value: f64, value_type: ValueType) -> Result<Self, &'static str> {
        match value_type {
            _ if !value.is_finite() => Err("a number must be finite"),
            ValueType::Float if value.abs() > f64::from(f32::MAX) => Err("a number must have single precision"),
            _ => Ok(Self::Number(value)),
        }
    }

    /// Creates a date.
    ///
    /// # Errors
    /// The year is before 0, so RFC 3339 has no form for the date.
    pub(crate) fn date(value: Date) -> Result<Self, &'static str> {
        if value.year() < 0 { Err("a date must be from 0000-01-01 to 9999-12-31") } else { Ok(Self::Date(value)) }
    }

    /// Creates a date-time from microseconds since 1970.
    ///
    /// # Errors
    /// The year is before 0, so RFC 3339 has no form for the date-time. Or the date-time is after the maximum of jiff.
    pub(crate) fn date_time(microseconds: i64) -> Result<Self, &'static str> {
        let moment = date_time(microseconds).filter(|moment| *moment >= FIRST);
        moment.map(Self::DateTime).ok_or("a date-time must be from 0000-01-01T00:00:00Z to 9999-12-30T22:00:00Z")
    }

    /// Returns a value of a type, in place of a value that no field can contain.
    pub(crate) fn any_of(value_type: ValueType, is_nullable: bool) -> Self {
        match value_type {
            _ if is_nullable => Self::Null,
            ValueType::Text => Self::Text(""),
            ValueType::Integer => Self::Integer(0),
            ValueType::Number | ValueType::Float => Self::Number(0.0),
            ValueType::Boolean => Self::Boolean(false),
            ValueType::Date => Self::Date(Date::constant(1970, 1, 1)),
            ValueType::DateTime => Self::DateTime(Timestamp::UNIX_EPOCH),
            ValueType::Uuid => Self::Uuid(Uuid::nil()),
            ValueType::Decimal => Self::Decimal(Decimal::ZERO),
            // A list, an object or an enumeration may not accept any fixed value.
            _ => Self::Null,
        }
    }

    /// Writes a decimal with the scale of its field. A decimal with more digits, which another program has written, keeps them.
    pub(crate) fn scaled(self, scale: Option<u32>) -> Self {
        match self {
            Self::Decimal(value) => Self::Decimal(with_scale(value, scale).unwrap_or_else(|| value.normalize())),
            other => other,
        }
    }

    /// Converts the cell to a `Value`.
    pub(crate) fn into_value(self) -> Value<'static> {
        match self {
            Self::Null => Value::Null,
            Self::Boolean(value) => value.into(),
            Self::Integer(value) => value.into(),
            Self::Number(value) => value.into(),
            Self::Text(value) => Value::Text(value.to_owned().into()),
            Self::Json(value) => Value::Json(value.to_owned().into()),
            Self::Date(value) => value.into(),
            Self::DateTime(value) => value.into(),
            Self::Uuid(value) => value.into(),
            Self::Decimal(value) => value.into(),
        }
    }
}
