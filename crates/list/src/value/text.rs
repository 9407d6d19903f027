//! Text.

use std::borrow::Cow;

use super::Value;
use crate::operator::Operator;

pub(super) const OPERATORS: &[Operator] = &Operator::ALL;

pub(super) fn read(json: &serde_json::Value) -> Option<Value<'static>> {
    json.as_str().map(|text| Value::Text(Cow::Owned(text.to_owned())))
}

impl<'v> From<&'v str> for Value<'v> {
    fn from(text: &'v str) -> Self {
        Self::Text(Cow::Borrowed(text))
    }
}

impl<'v> From<&'v String> for Value<'v> {
    fn from(text: &'v String) -> Self {
        Self::Text(Cow::Borrowed(text))
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

impl<'v> From<&'v Option<String>> for Value<'v> {
    fn from(text: &'v Option<String>) -> Self {
        Self::from(text.as_deref())
    }
}
