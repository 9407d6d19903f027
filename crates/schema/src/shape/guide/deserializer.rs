//! Defines [`Guided`], a deserializer that checks each value against the schema before serde receives it.

use std::borrow::Cow;
use std::slice::from_ref;

use serde::de::{Deserializer, Error as _, Expected, Unexpected, Visitor};
use serde_json::Error;

use super::enums::VariantDeserializer;
use super::items::Items;
use super::keys::ObjectKeys;
use super::properties::Properties;
use super::{GuidedRead, refused};
use crate::equality::equals;
use crate::json::Json;
use crate::number::Number;
use crate::pending_violation::ValiditySink;
use crate::reader::{JsonToken, NumberToken};
use crate::shape::node::{Node, NodeForm};
use crate::shape::schema_type::{Scalar, ScalarType};

/// A deserializer for the next value in a JSON text. It checks the value before serde's visitor receives it.
pub(super) struct Guided<'r, 'g, 'de> {
    reading: &'r mut GuidedRead<'g, 'de>,
    node: &'g Node,
    /// `true` if the schema node, or a reference to the node, accepts null.
    nullable: bool,
}

/// The first token of a JSON value, already checked against the schema. It is a complete scalar, or the opening of an
/// array or object.
enum Checked<'de> {
    Null,
    Boolean(bool),
    Number(Number),
    Text(Cow<'de, str>),
    Array,
    Object,
}

impl<'r, 'g, 'de> Guided<'r, 'g, 'de> {
    #[inline]
    pub(super) fn new(reading: &'r mut GuidedRead<'g, 'de>, declared: &'g Node) -> Self {
        let node = reading.compiled.resolve(declared);
        Self { reading, node, nullable: declared.nullable || node.nullable }
    }

    // Inlined, so each method below continues directly with its token.
    #[inline(always)]
    fn next(&mut self) -> Result<Checked<'de>, Error> {
        let (holds, checked) = match self.reading.reader.token().ok_or_else(refused)? {
            JsonToken::Null => (self.nullable || matches!(self.node.form, NodeForm::Any), Checked::Null),
            JsonToken::Boolean(value) => (self.holds(Scalar::Boolean(value)), Checked::Boolean(value)),
            JsonToken::Number(number) => {
                let number = self.number(number).ok_or_else(refused)?;
                (self.holds(Scalar::Number(number)), Checked::Number(number))
            }
            JsonToken::Text(text) => {
                // Most strings have no format.
                let completed = match &self.node.form {
                    NodeForm::Scalar(ScalarType::String(string)) if string.format.is_none() => None,
                    NodeForm::Scalar(_) => self.node.completed(&text),
                    _ => None,
                };
                (self.holds(Scalar::Text(&text)), Checked::Text(completed.map_or(text, Cow::Owned)))
            }
            JsonToken::Array => {
                (matches!(self.node.form, NodeForm::Array(_) | NodeForm::Tuple(_) | NodeForm::Any), Checked::Array)
            }
            JsonToken::Object => {
                (matches!(self.node.form, NodeForm::Object(_) | NodeForm::Map(_) | NodeForm::Any), Checked::Object)
            }
        };
        if holds { Ok(checked) } else { Err(refused()) }
    }

    /// Converts a number token to the number that serde's visitor receives. Returns `None` for a decimal where the
    /// schema requires an integer, because only the second read (the complete walk) checks its exact digits.
    #[inline]
    fn number(&self, number: NumberToken<'_>) -> Option<Number> {
        match number {
            NumberToken::Integer(integer) => Some(integer),
            NumberToken::Decimal(decimal) => match &self.node.form {
                NodeForm::Scalar(kind) if kind.reads_integers() => None,
                _ => Number::finite(decimal.to_f64()),
            },
        }
    }

    #[inline]
    fn holds(&mut self, value: Scalar<'_>) -> bool {
        match &self.node.form {
            NodeForm::Scalar(kind) => {
                let mut verdict = ValiditySink::default();
                kind.check(value, &mut verdict);
                self.reading.deferred |= verdict.deferred;
                !verdict.refused && self.node.constant.as_ref().is_none_or(|constant| is_constant(value, constant))
            }
            NodeForm::Any => self.node.constant.is_none(),
            _ => false,
        }
    }

    /// Reads a JSON string. `expected` describes the type in the error.
    fn text(mut self, expected: &dyn Expected) -> Result<Cow<'de, str>, Error> {
        match self.next()? {
            Checked::Text(text) => Ok(text),
            other => Err(other.misfit(expected)),
        }
    }

    fn numeric(mut self, expected: &dyn Expected) -> Result<Number, Error> {
        match self.next()? {
            Checked::Number(number) => Ok(number),
            other => Err(other.misfit(expected)),
        }
    }

    fn null(mut self, expected: &dyn Expected) -> Result<(), Error> {
        match self.next()? {
            Checked::Null => Ok(()),
            other => Err(other.misfit(expected)),
        }
    }

    fn array(mut self, expected: &dyn Expected) -> Result<Items<'r, 'g, 'de>, Error> {
        match self.next()? {
            Checked::Array => Ok(self.items()),
            other => Err(other.misfit(expected)),
        }
    }

    fn object(mut self, expected: &dyn Expected) -> Result<Properties<'r, 'g, 'de>, Error> {
        match self.next()? {
            Checked::Object => Ok(self.properties()),
            other => Err(other.misfit(expected)),
        }
    }

    fn items(self) -> Items<'r, 'g, 'de> {
        match &self.node.form {
            NodeForm::Array(array) => Items::new(self.reading, from_ref(&array.items), Some(&array.rules)),
            NodeForm::Tuple(tuple) => Items::new(self.reading, &tuple.items, Some(&tuple.rules)),
            _ => Items::new(self.reading, from_ref(self.node), None),
        }
    }

    fn properties(self) -> Properties<'r, 'g, 'de> {
        let keys = ObjectKeys::new(self.node, self.reading.within_closed, self.reading.trace.is_some());
        Properties::new(self.reading, keys)
    }

    /// Reads a variant of an enum. Accepts a string, and also an object if the value was already checked against the
    /// schema. A serde deserializer would always accept both.
    fn variant(mut self, expected: &dyn Expected) -> Result<VariantDeserializer<'r, 'g, 'de>, Error> {
        let decides = self.reading.is_tracing() || matches!(self.node.form, NodeForm::Scalar(_));
        match self.next()? {
            Checked::Text(name) if decides => Ok(VariantDeserializer::unit(self.reading, name)),
            Checked::Object if decides => VariantDeserializer::with_value(self.reading),
            other => Err(other.misfit(expected)),
        }
    }
}

impl Checked<'_> {
    #[cold]
    fn misfit(self, expected: &dyn Expected) -> Error {
        let text;
        let unexpected = match self {
            Self::Null => Unexpected::Unit,
            Self::Boolean(value) => Unexpected::Bool(value),
            Self::Number(number) => match (number.as_u64(), number.as_i64()) {
                _ if number.is_float() => Unexpected::Float(number.as_f64()),
                (Some(value), _) => Unexpected::Unsigned(value),
                (None, value) => Unexpected::Signed(value.unwrap_or_default()),
            },
            Self::Text(value) => {
                text = value;
                Unexpected::Str(&text)
            }
            Self::Array => Unexpected::Seq,
            Self::Object => Unexpected::Map,
        };
        Error::invalid_type(unexpected, expected)
    }
}

fn is_constant(value: Scalar<'_>, constant: &serde_json::Value) -> bool {
    let value = match value {
        Scalar::Boolean(value) => Json::Boolean(value),
        Scalar::Number(number) => Json::Number(number.into()),
        Scalar::Text(text) => Json::Text(text.into()),
    };
    equals(&value, &Json::of(constant))
}

fn visit_text<'de, V: Visitor<'de>>(text: Cow<'de, str>, visitor: V) -> Result<V::Value, Error> {
    match text {
        Cow::Borrowed(text) => visitor.visit_borrowed_str(text),
        Cow::Owned(text) => visitor.visit_string(text),
    }
}

/// Implements several methods of `Deserializer` with one shared body.
macro_rules! read_alike {
    ($($($method:ident($($argument:ident: $type:ty),*))+ => |$self:ident, $visitor:ident| $read:expr;)*) => {
        $($(
            fn $method<V: Visitor<'de>>($self $(, $argument: $type)*, $visitor: V) -> Result<V::Value, Error> {
                $(let _ = $argument;)*
                $read
            }
        )+)*
    };
}

impl<'de> Deserializer<'de> for Guided<'_, '_, 'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, Error> {
        match self.next()? {
            Checked::Null => visitor.visit_unit(),
            Checked::Boolean(value) => visitor.visit_bool(value),
            Checked::Number(number) => number.visit(visitor),
            Checked::Text(text) => visit_text(text, visitor),
            Checked::Array => self.items().visit(visitor),
            Checked::Object => self.properties().visit(visitor),
        }
    }

    read_alike! {
        // Values that the type ignores are checked too.
        deserialize_ignored_any() deserialize_bytes() deserialize_byte_buf() deserialize_i128() deserialize_u128() =>
            |self, visitor| self.deserialize_any(visitor);
        deserialize_i8() deserialize_i16() deserialize_i32() deserialize_i64()
        deserialize_u8() deserialize_u16() deserialize_u32() deserialize_u64()
        deserialize_f32() deserialize_f64() =>
            |self, visitor| self.numeric(&visitor)?.visit(visitor);
        deserialize_char() deserialize_str() deserialize_string() deserialize_identifier() =>
            |self, visitor| visit_text(self.text(&visitor)?, visitor);
        deserialize_unit() deserialize_unit_struct(name: &'static str) =>
            |self, visitor| self.null(&visitor).and_then(|()| visitor.visit_unit());
        deserialize_newtype_struct(name: &'static str) => |self, visitor| visitor.visit_newtype_struct(self);
        deserialize_seq() deserialize_tuple(length: usize) deserialize_tuple_struct(name: &'static str, length: usize) =>
            |self, visitor| self.array(&visitor)?.visit(visitor);
        // A struct must be an object in JSON. serde would also accept an array.
        deserialize_map() deserialize_struct(name: &'static str, fields: &'static [&'static str]) =>
            |self, visitor| self.object(&visitor)?.visit(visitor);
        deserialize_enum(name: &'static str, variants: &'static [&'static str]) =>
            |self, visitor| self.variant(&visitor)?.visit(visitor);
    }

    fn deserialize_bool<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, Error> {
        match self.next()? {
            Checked::Boolean(value) => visitor.visit_bool(value),
            other => Err(other.misfit(&visitor)),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.reading.reader.is_at_null() {
            self.null(&visitor)?;
            visitor.visit_none()
        } else {
            visitor.visit_some(self)
        }
    }
}
