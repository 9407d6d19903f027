//! Defines [`ValueType`], the types of field values.

use std::borrow::Cow;

use restwright_core::schema::{Registry, SchemaType};
use uuid::Uuid;

use super::Value;

/// The type of a field's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ValueType {
    /// A string.
    Text,
    /// An enumeration of strings or integers. It does not support range operators.
    Enumeration,
    /// An integer of any size.
    Integer,
    /// A double-precision number.
    Number,
    /// A single-precision number.
    Float,
    /// A boolean.
    Boolean,
    /// A date.
    Date,
    /// A date-time. Strings with different UTC offsets can represent the same date-time.
    DateTime,
    /// A UUID.
    Uuid,
    /// An exact decimal number. Its values require the feature `rust_decimal`.
    Decimal,
    /// Any JSON value, such as an array or object. Stores can save it, but lists cannot be filtered or sorted by it.
    Json,
}

impl ValueType {
    /// Returns the value type of a schema. Returns `None` for arrays, objects and other types that are not a single
    /// value.
    #[must_use]
    pub fn of(schema_type: &SchemaType, registry: &mut Registry) -> Option<Self> {
        Some(match registry.type_name(schema_type) {
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
            "decimal" => Self::Decimal,
            _ => return None,
        })
    }

    /// Converts a JSON value to a value of this type. Returns `None` if the value does not have this type, or if the
    /// type is [`Json`](Self::Json).
    #[must_use]
    pub fn read(self, json: &serde_json::Value) -> Option<Value<'static>> {
        match self {
            Self::Text => text(json),
            Self::Enumeration => text(json).or_else(|| integer(json)),
            Self::Integer => integer(json),
            Self::Number => json.as_f64().map(Value::from),
            Self::Float => float(json),
            Self::Boolean => json.as_bool().map(Value::Boolean),
            Self::Date => json.as_str()?.parse().ok().map(Value::Date),
            Self::DateTime => json.as_str()?.parse().ok().map(Value::DateTime),
            Self::Uuid => Uuid::try_parse(json.as_str()?).ok().map(Value::Uuid),
            #[cfg(feature = "rust_decimal")]
            Self::Decimal => rust_decimal::Decimal::from_str_exact(json.as_str()?).ok().map(Value::Decimal),
            #[cfg(not(feature = "rust_decimal"))]
            Self::Decimal => None,
            Self::Json => None,
        }
    }

    /// Returns the name of the type for error messages.
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
            Self::Decimal => "decimal",
            Self::Json => "JSON",
        }
    }
}

fn text(json: &serde_json::Value) -> Option<Value<'static>> {
    json.as_str().map(|text| Value::Text(Cow::Owned(text.to_owned())))
}

fn integer(json: &serde_json::Value) -> Option<Value<'static>> {
    json.as_i64().map(Value::from).or_else(|| json.as_u64().map(Value::from))
}

/// Rounds a JSON number to the nearest `f32` number. Fields of the type `f32` are rounded in the same way.
#[expect(clippy::cast_possible_truncation, reason = "as the field itself is rounded")]
fn float(json: &serde_json::Value) -> Option<Value<'static>> {
    json.as_f64().map(|number| Value::from(number as f32))
}
