//! Text.

use std::borrow::Cow;
use std::net::{Ipv4Addr, Ipv6Addr};

use super::Value;
use crate::field_value::FieldValue;
use crate::operator::Operator;

pub(super) const OPERATORS: &[Operator] = &Operator::ALL;

pub(super) fn read(json: &serde_json::Value) -> Option<Value<'static>> {
    json.as_str().map(|text| Value::Text(Cow::Owned(text.to_owned())))
}

impl FieldValue for str {
    fn to_value(&self) -> Value<'_> {
        Value::Text(Cow::Borrowed(self))
    }
}

impl FieldValue for String {
    fn to_value(&self) -> Value<'_> {
        self.as_str().to_value()
    }
}

impl FieldValue for Cow<'_, str> {
    fn to_value(&self) -> Value<'_> {
        (**self).to_value()
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

macro_rules! written {
    ($($type:ty),*) => {$(
        impl FieldValue for $type {
            fn to_value(&self) -> Value<'_> {
                self.to_string().into()
            }
        }
    )*};
}

written!(char, Ipv4Addr, Ipv6Addr);
