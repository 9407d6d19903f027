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
    ($($type:ty: $value_type:ident, $value:ident => $made:expr;)*) => {$(
        impl FieldValue for $type {
            const VALUE_TYPE: ValueType = ValueType::$value_type;

            fn to_value(&self) -> Value<'_> {
                let $value = *self;
                $made
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
    bool: Boolean, value => Value::Boolean(value);
    i8: Integer, value => Value::Integer(value.into());
    i16: Integer, value => Value::Integer(value.into());
    i32: Integer, value => Value::Integer(value.into());
    i64: Integer, value => Value::Integer(value.into());
    isize: Integer, value => Value::from(value as i64);
    u8: Integer, value => Value::Integer(value.into());
    u16: Integer, value => Value::Integer(value.into());
    u32: Integer, value => Value::Integer(value.into());
    u64: Integer, value => Value::Integer(value.into());
    usize: Integer, value => Value::from(value as u64);
    f64: Number, value => if value.is_finite() { Value::Number(value) } else { Value::Null };
    f32: Float, value => Value::from(f64::from(value));
    Date: Date, value => Value::Date(value);
    Timestamp: DateTime, value => Value::DateTime(value);
    Uuid: Uuid, value => Value::Uuid(value);
}

/// Implements [`FieldValue`] for types whose [`Value`] borrows a string.
macro_rules! borrowed {
    ($($type:ty, $value:ident => $text:expr;)*) => {$(
        impl FieldValue for $type {
            const VALUE_TYPE: ValueType = ValueType::Text;

            fn to_value(&self) -> Value<'_> {
                let $value = self;
                Value::Text(Cow::Borrowed($text))
            }
        }
    )*};
}

borrowed! {
    str, value => value;
    String, value => value;
    Cow<'_, str>, value => value;
}

/// Implements [`FieldValue`] for types that are formatted as a string.
macro_rules! written {
    ($($type:ty),*) => {$(
        impl FieldValue for $type {
            const VALUE_TYPE: ValueType = ValueType::Text;

            fn to_value(&self) -> Value<'_> {
                self.to_string().into()
            }
        }
    )*};
}

written!(char, Ipv4Addr, Ipv6Addr);

/// Implements [`FieldValue`] for references and smart pointers to a value.
macro_rules! pointers {
    ($($type:ty),*) => {$(
        impl<T: FieldValue + ?Sized> FieldValue for $type {
            const VALUE_TYPE: ValueType = T::VALUE_TYPE;

            fn to_value(&self) -> Value<'_> {
                (**self).to_value()
            }
        }
    )*};
}

pointers!(&T, Box<T>, Rc<T>, Arc<T>);

/// Implements [`FieldValue`] for optional values, with `None` as null.
impl<T: FieldValue> FieldValue for Option<T> {
    const VALUE_TYPE: ValueType = T::VALUE_TYPE;

    fn to_value(&self) -> Value<'_> {
        self.as_ref().map_or(Value::Null, T::to_value)
    }
}

/// Implements [`FieldValue`] for a value whose type is known only at run time.
impl FieldValue for Value<'_> {
    // The type is not used, because `Value` cannot declare a field.
    const VALUE_TYPE: ValueType = ValueType::Text;

    fn to_value(&self) -> Value<'_> {
        match self {
            Self::Text(text) => Value::Text(Cow::Borrowed(text)),
            other => other.clone(),
        }
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
