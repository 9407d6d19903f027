//! Defines [`Json`], a parsed JSON value that keeps duplicate keys and exact numbers.

use std::borrow::Cow;

use serde_json::Value;

use crate::decimal::WrittenNumber;
use crate::number::Number;
use crate::number_tokens::without_huge_numbers;
use crate::reader::{JsonToken, JsonTokenizer, NumberToken};

/// A parsed JSON value. Unlike [`Value`], it contains duplicate keys, exact integers and numbers beyond the range of
/// doubles.
#[derive(Debug)]
pub(crate) enum Json<'j> {
    Null,
    Boolean(bool),
    Number(WrittenNumber),
    /// A number beyond the range of 64-bit floats, such as `1e400`.
    Huge {
        negative: bool,
    },
    Text(Cow<'j, str>),
    Array(Vec<Self>),
    Object(Vec<(Cow<'j, str>, Self)>),
}

impl<'j> Json<'j> {
    /// Parses a whole JSON text.
    pub(crate) fn parse(text: &'j str) -> Result<Self, serde_json::Error> {
        let mut reader = JsonTokenizer::new(text);
        let json = Self::next(&mut reader).filter(|_| reader.is_at_end());
        json.ok_or_else(|| syntax_error(text))
    }

    /// Reads the next JSON value. The recursion is bounded, because the reader limits the depth.
    fn next(reader: &mut JsonTokenizer<'j>) -> Option<Self> {
        Some(match reader.token()? {
            JsonToken::Null => Self::Null,
            JsonToken::Boolean(value) => Self::Boolean(value),
            JsonToken::Number(NumberToken::Integer(integer)) => Self::Number(integer.into()),
            JsonToken::Number(NumberToken::Decimal(decimal)) => match WrittenNumber::new(decimal) {
                Some(number) => Self::Number(number),
                None => Self::Huge { negative: decimal.is_negative() },
            },
            JsonToken::Text(text) => Self::Text(text),
            JsonToken::Array => {
                let mut items = Vec::new();
                while reader.next_item(items.is_empty())? {
                    items.push(Self::next(reader)?);
                }
                Self::Array(items)
            }
            JsonToken::Object => {
                let mut properties = Vec::new();
                while let Some(name) = reader.next_name(properties.is_empty())? {
                    properties.push((name, Self::next(reader)?));
                }
                Self::Object(properties)
            }
        })
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

/// Returns the error of serde_json for a text that is not valid JSON.
#[cold]
fn syntax_error(text: &str) -> serde_json::Error {
    // serde_json rejects a number beyond the range of doubles as a syntax error. Here it is a violation.
    let mut read = serde_json::from_str::<Value>(text);
    if matches!(&read, Err(error) if error.to_string().starts_with("number out of range"))
        && let Some(replaced) = without_huge_numbers(text)
    {
        read = serde_json::from_str(&replaced);
    }
    read.err().unwrap_or_else(|| serde::de::Error::custom("the string is not JSON"))
}
