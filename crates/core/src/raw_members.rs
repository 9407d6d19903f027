//! Defines [`RawMembers`], the members of a JSON object as text.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// The members of a JSON object in their original order. The values are not parsed, so numbers keep their digits.
#[derive(Debug)]
pub struct RawMembers<'j>(pub Vec<(Cow<'j, str>, &'j RawValue)>);

impl<'de> Deserialize<'de> for RawMembers<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Collect)
    }
}

struct Collect;

impl<'de> Visitor<'de> for Collect {
    type Value = RawMembers<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<RawMembers<'de>, A::Error> {
        let mut members = Vec::new();
        while let Some(MemberName(name)) = map.next_key()? {
            members.push((name, map.next_value()?));
        }
        Ok(RawMembers(members))
    }
}

/// A name, which is borrowed if it has no escapes.
#[derive(Deserialize)]
struct MemberName<'j>(#[serde(borrow)] Cow<'j, str>);
