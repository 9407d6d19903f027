//! [`Json`]: a JSON text as it stands, keys given twice included.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use crate::decimal::{Decimal, WrittenNumber};
use crate::number::Number;
use crate::number_tokens::{NumberTokens, without_huge_numbers};

/// A JSON value that keeps what [`Value`] loses.
#[derive(Debug)]
pub(crate) enum Json<'j> {
    Null,
    Boolean(bool),
    Number(WrittenNumber),
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
        match Json::parse_with_numbers(text, text) {
            Ok(json) => Ok(read(json)),
            // A number out of range is a violation where it stands, and no reason to say no more about the rest.
            Err(error) => match without_huge_numbers(text) {
                None => Err(error),
                Some(replaced) => Ok(read(Json::parse_with_numbers(&replaced, text)?)),
            },
        }
    }

    /// Reads a text, and takes what its floats are from the same places of another.
    fn parse_with_numbers(text: &'j str, numbers: &str) -> Result<Self, serde_json::Error> {
        let mut reader = serde_json::Deserializer::from_str(text);
        let mut numbers = Numbers { tokens: NumberTokens::new(numbers), passed: 0 };
        let json = JsonSeed(&mut numbers).deserialize(&mut reader)?;
        reader.end()?;
        Ok(json)
    }

    pub(crate) fn of(value: &'j Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(value) => Self::Boolean(*value),
            Value::Number(number) => {
                let huge = || Self::Huge { negative: number.to_string().starts_with('-') };
                Number::of(number).map_or_else(huge, |number| Self::Number(number.into()))
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
            Self::Number(number) if number.integer.is_some() => "integer",
            Self::Number(_) | Self::Huge { .. } => "number",
            Self::Text(_) => "string",
            Self::Array(_) => "array",
            Self::Object(_) => "object",
        }
    }
}

/// The numbers of a text as they are written, looked up from the first float on, and each once.
struct Numbers<'t> {
    tokens: NumberTokens<'t>,
    /// How many numbers came since the last that was looked up.
    passed: usize,
}

impl Numbers<'_> {
    fn look_up(&mut self, float: f64) -> Json<'static> {
        let token = self.tokens.nth(std::mem::take(&mut self.passed));
        let decimal = token.and_then(|(_, token)| Decimal::parse(token));
        let written = match decimal {
            Some(decimal) => WrittenNumber::new(decimal),
            None => Number::finite(float).map(WrittenNumber::from),
        };
        let negative = decimal.map_or(float < 0.0, Decimal::is_negative);
        written.map_or(Json::Huge { negative }, Json::Number)
    }
}

struct JsonSeed<'n, 't>(&'n mut Numbers<'t>);

impl<'de> DeserializeSeed<'de> for JsonSeed<'_, '_> {
    type Value = Json<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for JsonSeed<'_, '_> {
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
        self.0.passed += 1;
        Ok(Json::Number(Number::from(value).into()))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Self::Value, E> {
        self.0.passed += 1;
        Ok(Json::Number(Number::from(value).into()))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Self::Value, E> {
        Ok(self.0.look_up(value))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Self::Value, E> {
        Ok(Json::Text(Cow::Owned(value.to_owned())))
    }

    fn visit_borrowed_str<E: Error>(self, value: &'de str) -> Result<Self::Value, E> {
        Ok(Json::Text(Cow::Borrowed(value)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Self::Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = access.next_element_seed(JsonSeed(self.0))? {
            items.push(item);
        }
        Ok(Json::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Self::Value, A::Error> {
        let mut properties = Vec::new();
        while let Some(Key(name)) = access.next_key()? {
            properties.push((name, access.next_value_seed(JsonSeed(self.0))?));
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
