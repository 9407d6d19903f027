//! Defines [`JsonDocument`], a JSON value that keeps each scalar as it is written.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::Write as _;

use crate::decimal::Decimal;
use crate::reader::{JsonToken, JsonTokenizer};

/// A JSON value. Numbers keep all their digits, because they are never converted to doubles.
#[derive(Clone, Debug)]
pub(crate) enum JsonDocument<'j> {
    /// A number, a string with its quotes, `true`, `false` or `null`.
    Scalar(&'j str),
    Array(Vec<Self>),
    Object(Vec<ObjectMember<'j>>),
}

/// The name and the value of a member of an object.
pub(crate) type ObjectMember<'j> = (Cow<'j, str>, JsonDocument<'j>);

/// The length and the nesting of a document.
#[derive(Clone, Copy, Default)]
pub(super) struct Extent {
    /// The length of the JSON text in bytes.
    pub(super) bytes: usize,
    /// The number of levels, including the innermost value.
    pub(super) levels: usize,
}

impl<'j> JsonDocument<'j> {
    /// Parses JSON text. Returns `None` if the text is not JSON, or has more than 128 levels.
    pub(crate) fn parse(text: &'j str) -> Option<Self> {
        let mut reader = JsonTokenizer::new(text);
        let document = Self::next(&mut reader)?;
        reader.is_at_end().then_some(document)
    }

    /// Reads the next value. The recursion is bounded, because the reader limits the depth.
    pub(super) fn next(reader: &mut JsonTokenizer<'j>) -> Option<Self> {
        let (token, text) = reader.token_with_text()?;
        Some(match token {
            JsonToken::Array => {
                let mut items = Vec::new();
                while reader.next_item(items.is_empty())? {
                    items.push(Self::next(reader)?);
                }
                Self::Array(items)
            }
            JsonToken::Object => {
                let mut members = Vec::new();
                while let Some(name) = reader.next_name(members.is_empty())? {
                    members.push((name, Self::next(reader)?));
                }
                Self::Object(members)
            }
            _ => Self::Scalar(text),
        })
    }

    /// Returns the value of a string, and `None` for any other value.
    pub(crate) fn as_text(&self) -> Option<Cow<'j, str>> {
        match self {
            Self::Scalar(text) => match JsonTokenizer::new(text).token()? {
                JsonToken::Text(text) => Some(text),
                _ => None,
            },
            _ => None,
        }
    }

    pub(super) fn extent(&self) -> Extent {
        // The separators between the items, and the brackets.
        let around = |count: usize| count.saturating_sub(1) + 2;
        let inner = match self {
            Self::Scalar(text) => return Extent { bytes: text.len(), levels: 1 },
            Self::Array(items) => {
                let start = Extent { bytes: around(items.len()), levels: 0 };
                items.iter().fold(start, |sum, item| sum.with(item.extent(), 0))
            }
            Self::Object(members) => {
                let start = Extent { bytes: around(members.len()), levels: 0 };
                members.iter().fold(start, |sum, (name, member)| sum.with(member.extent(), name_length(name)))
            }
        };
        Extent { bytes: inner.bytes, levels: inner.levels + 1 }
    }

    /// Compares two values as RFC 6902, section 4.6, defines it. Numbers are compared exactly, and the order of members does not matter.
    pub(super) fn equals(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Scalar(left), Self::Scalar(right)) => left == right || equal_scalars(left, right),
            (Self::Array(left), Self::Array(right)) => {
                left.len() == right.len() && left.iter().zip(right).all(|(left, right)| left.equals(right))
            }
            (Self::Object(left), Self::Object(right)) => {
                let members = by_name(right);
                let is_in = |(name, member): &(Cow<'_, str>, Self)| {
                    members.get(&**name).is_some_and(|other| member.equals(other))
                };
                left.len() == right.len() && members.len() == right.len() && left.iter().all(is_in)
            }
            _ => false,
        }
    }

    pub(super) fn write(&self, json: &mut String) {
        match self {
            Self::Scalar(text) => json.push_str(text),
            Self::Array(items) => {
                json.push('[');
                for (index, item) in items.iter().enumerate() {
                    json.push_str(if index == 0 { "" } else { "," });
                    item.write(json);
                }
                json.push(']');
            }
            Self::Object(members) => {
                json.push('{');
                for (index, (name, member)) in members.iter().enumerate() {
                    json.push_str(if index == 0 { "" } else { "," });
                    write_text(name, json);
                    json.push(':');
                    member.write(json);
                }
                json.push('}');
            }
        }
    }

    pub(super) fn to_json(&self) -> String {
        let mut json = String::new();
        self.write(&mut json);
        json
    }
}

impl Extent {
    fn with(self, inner: Self, before: usize) -> Self {
        Self { bytes: self.bytes + before + inner.bytes, levels: self.levels.max(inner.levels) }
    }
}

/// Returns the members of an object by their names.
pub(super) fn by_name<'m, 'j>(members: &'m [ObjectMember<'j>]) -> HashMap<&'m str, &'m JsonDocument<'j>> {
    members.iter().map(|(name, member)| (&**name, member)).collect()
}

fn equal_scalars(left: &str, right: &str) -> bool {
    match (JsonTokenizer::new(left).token(), JsonTokenizer::new(right).token()) {
        (Some(JsonToken::Text(left)), Some(JsonToken::Text(right))) => left == right,
        (Some(JsonToken::Number(_)), Some(JsonToken::Number(_))) => match (Decimal::parse(left), Decimal::parse(right))
        {
            (Some(left), Some(right)) => left.equals(right),
            _ => false,
        },
        _ => false,
    }
}

/// Writes a string as JSON.
pub(crate) fn write_text(text: &str, json: &mut String) {
    json.push('"');
    for character in text.chars() {
        match escaped(character) {
            // Writing to a string cannot fail.
            Some(2) => json.extend(['\\', character]),
            Some(_) => write!(json, "\\u{:04x}", u32::from(character)).unwrap_or_default(),
            None => json.push(character),
        }
    }
    json.push('"');
}

/// Returns the length of a member's name in JSON, with its quotes and the colon.
pub(super) fn name_length(name: &str) -> usize {
    3 + name.chars().map(|character| escaped(character).unwrap_or(character.len_utf8())).sum::<usize>()
}

/// Returns the length of a character that JSON must escape.
fn escaped(character: char) -> Option<usize> {
    match character {
        '"' | '\\' => Some(2),
        '\0'..='\u{1f}' => Some(6),
        _ => None,
    }
}
