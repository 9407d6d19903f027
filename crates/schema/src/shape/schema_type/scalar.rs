//! Defines [`Scalar`], which is a boolean, a number or a string.

use serde::de::value::StrDeserializer;
use serde::de::{Deserializer, Visitor};
use serde::forward_to_deserialize_any;
use serde_json::Value;

use crate::number::Number;

/// A scalar from JSON or from a parameter, before it is converted to a Rust type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::shape) enum Scalar<'v> {
    Boolean(bool),
    Number(Number),
    Text(&'v str),
}

impl Scalar<'_> {
    pub(in crate::shape) fn type_name(&self) -> &'static str {
        match self {
            Self::Boolean(_) => "boolean",
            Self::Number(number) if number.is_integer() => "integer",
            Self::Number(_) => "number",
            Self::Text(_) => "string",
        }
    }

    pub(in crate::shape) fn to_value(self) -> Value {
        match self {
            Self::Boolean(value) => value.into(),
            Self::Number(value) => value.to_value(),
            Self::Text(value) => value.into(),
        }
    }
}

/// Deserializes a checked parameter directly, without converting it to JSON text.
impl<'de> Deserializer<'de> for Scalar<'_> {
    type Error = serde_json::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        match self {
            Self::Boolean(value) => visitor.visit_bool(value),
            Self::Number(number) => number.visit(visitor),
            Self::Text(text) => visitor.visit_str(text),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Self::Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        match self {
            Self::Text(text) => visitor.visit_enum(StrDeserializer::new(text)),
            other => other.deserialize_any(visitor),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf
        unit unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}
