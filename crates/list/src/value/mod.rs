//! [`Value`]: what a condition compares with, and what a record holds.
//!
//! Each type of value is one file: the operators that make sense for it, how it is read, and what becomes one.

mod boolean;
mod date;
mod date_time;
mod enumeration;
mod integer;
mod number;
mod order;
mod text;
mod uuid;

use std::borrow::Cow;

use ::uuid::Uuid;
use jiff::Timestamp;
use jiff::civil::Date;
use restwright_core::schema::{self, Registry, SchemaType};

use crate::field_value::FieldValue;
use crate::operator::Operator;

/// A value of a field.
///
/// Values are ordered: null is the smallest, text is compared by code point, numbers by value (an integer equals the same
/// number with a fraction of zero), false is below true, days and instants by time, UUIDs by their bytes. Values of different types do
/// not occur in one field; so that the order is total, they are ordered by type.
#[derive(Clone, Debug)]
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
    /// A day.
    Date(Date),
    /// An instant.
    DateTime(Timestamp),
    /// A UUID.
    Uuid(Uuid),
}

/// The types of values that can be filtered and sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueType {
    /// Text.
    Text,
    /// One of several texts or integers.
    Enumeration,
    /// An integer of any size.
    Integer,
    /// A number in double precision.
    Number,
    /// A number in single precision.
    Float,
    /// True or false.
    Boolean,
    /// A day.
    Date,
    /// An instant.
    DateTime,
    /// A UUID.
    Uuid,
}

impl ValueType {
    /// The type of a kind; `None` for arrays, objects and whatever else has no single value.
    #[must_use]
    pub fn of(kind: &SchemaType, registry: &mut Registry) -> Option<Self> {
        Some(match registry.type_name(kind) {
            "string" => Self::Text,
            "enumeration" => Self::Enumeration,
            "integer" | "int8" | "int16" | "int32" | "int64" | "uint8" | "uint16" | "uint32" | "uint64" => {
                Self::Integer
            }
            "number" => Self::Number,
            "float" => Self::Float,
            "boolean" => Self::Boolean,
            "date" => Self::Date,
            "date-time" => Self::DateTime,
            "uuid" => Self::Uuid,
            _ => return None,
        })
    }

    /// The operators that make sense for the type.
    #[must_use]
    pub fn operators(self) -> &'static [Operator] {
        match self {
            Self::Text => text::OPERATORS,
            Self::Enumeration => enumeration::OPERATORS,
            Self::Integer => integer::OPERATORS,
            Self::Number | Self::Float => number::OPERATORS,
            Self::Boolean => boolean::OPERATORS,
            Self::Date => date::OPERATORS,
            Self::DateTime => date_time::OPERATORS,
            Self::Uuid => uuid::OPERATORS,
        }
    }

    /// The value that a JSON value stands for, if it is of the type at all.
    #[must_use]
    pub fn read(self, json: &serde_json::Value) -> Option<Value<'static>> {
        match self {
            Self::Text => text::read(json),
            Self::Enumeration => enumeration::read(json),
            Self::Integer => integer::read(json),
            Self::Number => number::read(json),
            Self::Float => number::read_float(json),
            Self::Boolean => boolean::read(json),
            Self::Date => date::read(json),
            Self::DateTime => date_time::read(json),
            Self::Uuid => uuid::read(json),
        }
    }

    /// The kind without its constraints, which are about items and not about what is asked of them.
    pub(crate) fn plain(self, kind: &SchemaType, registry: &mut Registry) -> SchemaType {
        match (self, registry.type_name(kind)) {
            (Self::Enumeration, _) => kind.clone(),
            (_, "int8") => SchemaType::of::<i8>(),
            (_, "int16") => SchemaType::of::<i16>(),
            (_, "int32") => SchemaType::of::<i32>(),
            (_, "int64") => SchemaType::of::<i64>(),
            (_, "uint8") => SchemaType::of::<u8>(),
            (_, "uint16") => SchemaType::of::<u16>(),
            (_, "uint32") => SchemaType::of::<u32>(),
            (_, "uint64") => SchemaType::of::<u64>(),
            (Self::Integer, _) => schema::SchemaObject::integer().schema_type().clone(),
            (Self::Text, _) => SchemaType::of::<String>(),
            (Self::Number, _) => SchemaType::of::<f64>(),
            (Self::Float, _) => SchemaType::of::<f32>(),
            (Self::Boolean, _) => SchemaType::of::<bool>(),
            (Self::Date, _) => schema::SchemaObject::date().schema_type().clone(),
            (Self::DateTime, _) => schema::SchemaObject::date_time().schema_type().clone(),
            (Self::Uuid, _) => schema::SchemaObject::uuid().schema_type().clone(),
        }
    }

    /// The type as a message calls it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Enumeration => "enumeration",
            Self::Integer => "integer",
            Self::Number | Self::Float => "number",
            Self::Boolean => "boolean",
            Self::Date => "date",
            Self::DateTime => "date-time",
            Self::Uuid => "uuid",
        }
    }
}

impl Value<'_> {
    /// Whether there is no value.
    #[must_use]
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// The text, if it is one.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The same value, borrowing nothing.
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

/// Types that are copied are values, and become one.
macro_rules! copied {
    ($($type:ty, $value:ident => $made:expr;)*) => {$(
        impl crate::FieldValue for $type {
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
use copied;

/// What is known at run time only.
impl FieldValue for Value<'_> {
    fn to_value(&self) -> Value<'_> {
        match self {
            Self::Null => Value::Null,
            Self::Boolean(value) => Value::Boolean(*value),
            Self::Integer(value) => Value::Integer(*value),
            Self::Number(value) => Value::Number(*value),
            Self::Text(text) => Value::Text(Cow::Borrowed(text)),
            Self::Date(value) => Value::Date(*value),
            Self::DateTime(value) => Value::DateTime(*value),
            Self::Uuid(value) => Value::Uuid(*value),
        }
    }
}
