//! Defines [`Pointer`], a JSON Pointer (RFC 6901).

use std::borrow::Cow;

use crate::document::{JsonDocument, name_length};
use crate::path::pointer_to;

/// The path to a value in a document. The names of members are not escaped.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Pointer(Vec<String>);

/// The position after the last item of an array (RFC 6902, section 4.1).
const END: &str = "-";

impl Pointer {
    pub(super) fn parse(text: &str) -> Self {
        Self(text.split('/').skip(1).map(|token| token.replace("~1", "/").replace("~0", "~")).collect())
    }

    /// Returns `true` if `other` is a value inside the value of this pointer.
    pub(super) fn contains(&self, other: &Self) -> bool {
        other.0.len() > self.0.len() && other.0.starts_with(&self.0)
    }

    /// Returns the length of the common prefix in tokens. The token `-` equals any position of the other pointer.
    pub(super) fn common(&self, other: &Self) -> usize {
        let equal = |(left, right): &(&String, &String)| left == right || *left == END;
        self.0.iter().zip(&other.0).take_while(equal).count()
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns the value that the pointer refers to.
    pub(super) fn find<'d, 'j>(&self, document: &'d mut JsonDocument<'j>) -> Option<&'d mut JsonDocument<'j>> {
        follow(document, &self.0)
    }

    /// Removes the value that the pointer refers to. Returns it with the bytes that its name and its separator used. The root cannot be
    /// removed.
    pub(super) fn remove<'j>(&self, document: &mut JsonDocument<'j>) -> Option<(JsonDocument<'j>, usize)> {
        let (last, before) = self.0.split_last()?;
        match follow(document, before)? {
            JsonDocument::Scalar(_) => None,
            JsonDocument::Array(items) => {
                let index = index(last).filter(|index| *index < items.len())?;
                let value = items.remove(index);
                Some((value, separator(items.len())))
            }
            JsonDocument::Object(members) => {
                let position = members.iter().position(|(name, _)| name == last)?;
                let (name, value) = members.remove(position);
                Some((value, name_length(&name) + separator(members.len())))
            }
        }
    }

    /// Adds a value (RFC 6902, section 4.1). Inserts it in an array, and replaces the member of an object. Returns the replaced value, and the
    /// bytes that a new name and a new separator use.
    pub(super) fn add<'j>(
        &self,
        document: &mut JsonDocument<'j>,
        value: JsonDocument<'j>,
    ) -> Option<(Option<JsonDocument<'j>>, usize)> {
        let Some((last, before)) = self.0.split_last() else {
            return Some((Some(std::mem::replace(document, value)), 0));
        };
        match follow(document, before)? {
            JsonDocument::Scalar(_) => None,
            JsonDocument::Array(items) => {
                let index = if last == END { Some(items.len()) } else { index(last) };
                let index = index.filter(|index| *index <= items.len())?;
                let bytes = separator(items.len());
                items.insert(index, value);
                Some((None, bytes))
            }
            JsonDocument::Object(members) => match members.iter_mut().find(|(name, _)| name == last) {
                Some((_, member)) => Some((Some(std::mem::replace(member, value)), 0)),
                None => {
                    let bytes = name_length(last) + separator(members.len());
                    members.push((Cow::Owned(last.clone()), value));
                    Some((None, bytes))
                }
            },
        }
    }

    /// Returns the tokens after the first `count`, as a JSON Pointer.
    pub(super) fn after(&self, count: usize) -> String {
        let tokens = self.0.get(count..).unwrap_or_default();
        tokens.iter().map(|token| pointer_to(token)).collect()
    }
}

/// Returns the length of the separator between one value and a number of other values.
fn separator(others: usize) -> usize {
    usize::from(others > 0)
}

fn follow<'d, 'j>(document: &'d mut JsonDocument<'j>, tokens: &[String]) -> Option<&'d mut JsonDocument<'j>> {
    tokens.iter().try_fold(document, |document, token| match document {
        JsonDocument::Scalar(_) => None,
        JsonDocument::Array(items) => items.get_mut(index(token)?),
        JsonDocument::Object(members) => members.iter_mut().find(|(name, _)| name == token).map(|(_, member)| member),
    })
}

/// Reads the index of an array. An index has no sign and no leading zeros.
fn index(token: &str) -> Option<usize> {
    let is_index = token == "0" || (!token.starts_with('0') && token.bytes().all(|byte| byte.is_ascii_digit()));
    is_index.then(|| token.parse().ok()).flatten()
}
