//! Conversions of Rust types to [`Value`].

use std::borrow::Cow;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::rc::Rc;
use std::sync::Arc;

use jiff::Timestamp;
use jiff::civil::Date;
use uuid::Uuid;

use super::{FieldValue, Value, ValueType};

impl<'v, T: FieldValue + ?Sized> From<&'v T> for Value<'v> {
    fn from(value: &'v T) -> Self {
        value.to_value()
    }
}

/// Implements [`FieldValue`] for types that are copied into a [`Value`].
macro_rules! copied {
    ($($type:ty: $value_type:ident, $value:ident => $made:expr, $given:ident => $read:expr;)*) => {$(
        impl FieldValue for $type {
            const VALUE_TYPE: ValueType = ValueType::$value_type;

            fn to_value(&self) -> Value<'_> {
                let $value = *self;
                $made
            }

            fn from_value(value: Value<'_>) -> Option<Self> {
                let $given = value;
                $read
            }
        }

        impl From<$type> for Value<'_> {
            fn from($value: $type) -> Self {
                $made
            }
        }

        impl From<Option<$type>> for Value<'_> {
            fn from(value: Option<$type>) -> Self {
                value.map_or(Self::Null, Self::from)
            }
        }
    )*};
}

copied! {
    bool: Boolean, value => Value::Boolean(value), given => boolean(&given);
    i8: Integer, value => Value::Integer(value.into()), given => integer(&given)?.try_into().ok();
    i16: Integer, value => Value::Integer(value.into()), given => integer(&given)?.try_into().ok();
    i32: Integer, value => Value::Integer(value.into()), given => integer(&given)?.try_into().ok();
    i64: Integer, value => Value::Integer(value.into()), given => integer(&given)?.try_into().ok();
    isize: Integer, value => Value::from(value as i64), given => integer(&given)?.try_into().ok();
    u8: Integer, value => Value::Integer(value.into()), given => integer(&given)?.try_into().ok();
    u16: Integer, value => Value::Integer(value.into()), given => integer(&given)?.try_into().ok();
    u32: Integer, value => Value::Integer(value.into()), given => integer(&given)?.try_into().ok();
    u64: Integer, value => Value::Integer(value.into()), given => integer(&given)?.try_into().ok();
    usize: Integer, value => Value::from(value as u64), given => integer(&given)?.try_into().ok();
    f64: Number, value => if value.is_finite() { Value::Number(value) } else { Value::Null }, given => number(&given);
    f32: Float, value => Value::from(f64::from(value)), given => number(&given).map(single);
    Date: Date, value => Value::Date(value), given => date(&given);
    Timestamp: DateTime, value => Value::DateTime(value), given => date_time(&given);
    Uuid: Uuid, value => Value::Uuid(value), given => uuid(&given);
}

/// Implements [`FieldValue`] for types whose [`Value`] borrows a string.
macro_rules! borrowed {
    ($($type:ty, $value:ident => $text:expr, $given:ident => $read:expr;)*) => {$(
        impl FieldValue for $type {
            const VALUE_TYPE: ValueType = ValueType::Text;

            fn to_value(&self) -> Value<'_> {
                let $value = self;
                Value::Text(Cow::Borrowed($text))
            }

            fn from_value(value: Value<'_>) -> Option<Self> {
                let $given = text(value)?;
                $read
            }
        }
    )*};
}

borrowed! {
    String, value => value, given => Some(given);
    Box<str>, value => value, given => Some(given.into());
    Rc<str>, value => value, given => Some(given.into());
    Arc<str>, value => value, given => Some(given.into());
    Cow<'_, str>, value => value, given => Some(given.into());
}

impl FieldValue for str {
    const VALUE_TYPE: ValueType = ValueType::Text;

    fn to_value(&self) -> Value<'_> {
        Value::Text(Cow::Borrowed(self))
    }
}

/// Implements [`FieldValue`] for types that are formatted as a string.
macro_rules! written {
    ($($type:ty),*) => {$(
        impl FieldValue for $type {
            const VALUE_TYPE: ValueType = ValueType::Text;

            fn to_value(&self) -> Value<'_> {
                self.to_string().into()
            }

            fn from_value(value: Value<'_>) -> Option<Self> {
                value.as_text()?.parse().ok()
            }
        }
    )*};
}

written!(char, Ipv4Addr, Ipv6Addr);

/// Implements [`FieldValue`] for smart pointers to a value.
macro_rules! pointers {
    ($($type:ident),*) => {$(
        impl<T: FieldValue> FieldValue for $type<T> {
            const VALUE_TYPE: ValueType = T::VALUE_TYPE;

            fn to_value(&self) -> Value<'_> {
                (**self).to_value()
            }

            fn from_value(value: Value<'_>) -> Option<Self> {
                T::from_value(value).map(Self::new)
            }
        }
    )*};
}

pointers!(Box, Rc, Arc);

/// Implements [`FieldValue`] for references. A store returns no references.
impl<T: FieldValue + ?Sized> FieldValue for &T {
    const VALUE_TYPE: ValueType = T::VALUE_TYPE;

    fn to_value(&self) -> Value<'_> {
        (**self).to_value()
    }

    fn from_value(_: Value<'_>) -> Option<Self> {
        None
    }
}

/// Implements [`FieldValue`] for optional values, with `None` as null.
impl<T: FieldValue> FieldValue for Option<T> {
    const VALUE_TYPE: ValueType = T::VALUE_TYPE;

    fn to_value(&self) -> Value<'_> {
        self.as_ref().map_or(Value::Null, T::to_value)
    }

    fn from_value(value: Value<'_>) -> Option<Self> {
        if value.is_null() { Some(None) } else { T::from_value(value).map(Some) }
    }
}

/// Implements [`FieldValue`] for a value whose type is known only at run time.
impl FieldValue for Value<'_> {
    // The type is not used, because `Value` cannot declare a field.
    const VALUE_TYPE: ValueType = ValueType::Text;

    fn to_value(&self) -> Value<'_> {
        self.borrowed()
    }

    fn from_value(value: Value<'_>) -> Option<Self> {
        Some(value.into_owned())
    }
}

impl From<String> for Value<'_> {
    fn from(text: String) -> Self {
        Self::Text(Cow::Owned(text))
    }
}

impl<'v> From<Option<&'v str>> for Value<'v> {
    fn from(text: Option<&'v str>) -> Self {
        text.map_or(Self::Null, Self::from)
    }
}

/// Returns the string of a value. A date, date-time, UUID or decimal is formatted.
fn text(value: Value<'_>) -> Option<String> {
    match value {
        Value::Text(text) => Some(text.into_owned()),
        Value::Date(value) => Some(value.to_string()),
        Value::DateTime(value) => Some(value.to_string()),
        Value::Uuid(value) => Some(value.to_string()),
        #[cfg(feature = "rust_decimal")]
        Value::Decimal(value) => Some(value.to_string()),
        _ => None,
    }
}

/// Returns the integer of a value. Some databases store an enumeration of integers as strings.
fn integer(value: &Value<'_>) -> Option<i128> {
    match value {
        Value::Integer(value) => Some(*value),
        Value::Text(text) => text.parse().ok(),
        _ => None,
    }
}

#[expect(clippy::cast_precision_loss, reason = "a number is rounded to the nearest double")]
fn number(value: &Value<'_>) -> Option<f64> {
    match value {
        Value::Number(value) => Some(*value),
        Value::Integer(value) => Some(*value as f64),
        _ => None,
    }
}

#[expect(clippy::cast_possible_truncation, reason = "a number is rounded to the nearest single")]
fn single(value: f64) -> f32 {
    value as f32
}

fn boolean(value: &Value<'_>) -> Option<bool> {
    match value {
        Value::Boolean(value) => Some(*value),
        _ => None,
    }
}

fn date(value: &Value<'_>) -> Option<Date> {
    match value {
        Value::Date(value) => Some(*value),
        Value::Text(text) => text.parse().ok(),
        _ => None,
    }
}

fn date_time(value: &Value<'_>) -> Option<Timestamp> {
    match value {
        Value::DateTime(value) => Some(*value),
        Value::Text(text) => text.parse().ok(),
        _ => None,
    }
}

fn uuid(value: &Value<'_>) -> Option<Uuid> {
    match value {
        Value::Uuid(value) => Some(*value),
        Value::Text(text) => Uuid::try_parse(text).ok(),
        _ => None,
    }
}
