//! [`Json`]: a JSON text as it stands, keys given twice included.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use crate::huge::{HUGE, without_huge_numbers};
use crate::number::Number;

/// A JSON value that keeps what [`Value`] loses.
#[derive(Debug)]
pub(crate) enum Json<'j> {
    Null,
    Boolean(bool),
    Number(Number),
    /// A number beyond what 64-bit floats hold, such as `1e400`.
    Huge {
        negative: bool,
    },
    Text(Cow<'j, str>),
    Array(Vec<Self>),
    Object(Vec<(Cow<'j, str>, Self)>),
}

impl<'j> Json<'j> {
    /// Reads a whole text, and hands it over while it is borrowed.
    pub(crate) fn parse<R>(text: &'j str, read: impl FnOnce(Json<'_>) -> R) -> Result<R, serde_json::Error> {
        match serde_json::from_str::<Json<'_>>(text) {
            Ok(json) => Ok(read(json)),
            // A number out of range is a violation where it stands, and no reason to say no more about the rest.
            Err(error) => match without_huge_numbers(text) {
                None => Err(error),
                Some(replaced) => {
                    let mut json = serde_json::from_str::<Json<'_>>(&replaced)?;
                    json.restore_huge_numbers();
                    Ok(read(json))
                }
            },
        }
    }

    pub(crate) fn of(value: &'j Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(value) => Self::Boolean(*value),
            Value::Number(number) => {
                Number::of(number).map_or(Self::Huge { negative: number.to_string().starts_with('-') }, Self::Number)
            }
            Value::String(text) => Self::Text(Cow::Borrowed(text)),
            Value::Array(items) => Self::Array(items.iter().map(Self::of).collect()),
            Value::Object(properties) => Self::Object(
                properties.iter().map(|(name, value)| (Cow::Borrowed(name.as_str()), Self::of(value))).collect(),
            ),
        }
    }

    pub(crate) fn type_name(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Boolean(_) => "boolean",
            Self::Number(number) if number.is_integer() => "integer",
            Self::Number(_) | Self::Huge { .. } => "number",
            Self::Text(_) => "string",
            Self::Array(_) => "array",
            Self::Object(_) => "object",
        }
    }

    fn restore_huge_numbers(&mut self) {
        match self {
            Self::Number(number) if number.as_f64().abs() >= HUGE => {
                *self = Self::Huge { negative: number.as_f64() < 0.0 }
            }
            Self::Array(items) => items.iter_mut().for_each(Self::restore_huge_numbers),
            Self::Object(properties) => properties.iter_mut().for_each(|(_, value)| value.restore_huge_numbers()),
            _ => {}
        }
    }
}

impl<'de: 'j, 'j> Deserialize<'de> for Json<'j> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(JsonVisitor)
    }
}

struct JsonVisitor;

impl<'de> Visitor<'de> for JsonVisitor {
    type Value = Json<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Self::Value, E> {
        Ok(Json::Boolean(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Self::Value, E> {
        Ok(Json::Number(value.into()))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Self::Value, E> {
        Ok(Json::Number(value.into()))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Self::Value, E> {
        Ok(Number::finite(value).map_or(Json::Huge { negative: value < 0.0 }, Json::Number))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Self::Value, E> {
        Ok(Json::Text(Cow::Owned(value.to_owned())))
    }

    fn visit_borrowed_str<E: Error>(self, value: &'de str) -> Result<Self::Value, E> {
        Ok(Json::Text(Cow::Borrowed(value)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Self::Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = access.next_element()? {
            items.push(item);
        }
        Ok(Json::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Self::Value, A::Error> {
        let mut properties = Vec::new();
        while let Some(Key(name)) = access.next_key()? {
            properties.push((name, access.next_value()?));
        }
        Ok(Json::Object(properties))
    }
}

/// A property's name, borrowed where the text has no escapes in it.
struct Key<'k>(Cow<'k, str>);

impl<'de: 'k, 'k> Deserialize<'de> for Key<'k> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(KeyVisitor)
    }
}

struct KeyVisitor;

impl<'de> Visitor<'de> for KeyVisitor {
    type Value = Key<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a property's name")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Self::Value, E> {
        Ok(Key(Cow::Owned(name.to_owned())))
    }

    fn visit_borrowed_str<E: Error>(self, name: &'de str) -> Result<Self::Value, E> {
        Ok(Key(Cow::Borrowed(name)))
    }
}
