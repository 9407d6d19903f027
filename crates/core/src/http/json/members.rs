//! Defines [`Members`], the JSON of a value with the places of its members.

use std::borrow::Cow;
use std::mem;

use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

use super::buffer::is_plain;
use super::writer::{MemberPlace, WRITTEN};
use super::{WriteJson, to_json};
use crate::problem::{Problem, Result};
use crate::raw_members::RawMembers;

/// The JSON of a value. The members of an object can be read, removed and added.
///
/// The writer notes the places of the members, so nothing is parsed. There are two exceptions, which are parsed before
/// their members are read or removed: an object that serde does not see, such as a `RawValue`, and a value of
/// [`unread`](Self::unread).
#[derive(Clone, Debug)]
pub struct Members {
    json: Vec<u8>,
    /// The places of the members. `None` if they are not known.
    places: Option<Vec<MemberPlace>>,
}

impl Members {
    /// Creates an object without members.
    #[must_use]
    pub fn empty() -> Self {
        Self { json: b"{}".to_vec(), places: Some(Vec::new()) }
    }

    /// Serializes a value. The bytes are the same as in a response.
    ///
    /// # Errors
    /// 500 if the value cannot be serialized, such as a map whose keys are not strings.
    pub fn of(value: &impl Serialize) -> Result<Self> {
        Self::noted(value)
    }

    fn noted(value: &dyn WriteJson) -> Result<Self> {
        let mut places = Vec::new();
        let json = to_json(value, Some(&mut places)).map_err(Problem::internal)?;
        let is_seen = !places.is_empty() || !json.starts_with(b"{") || *json == *b"{}";
        Ok(Self { json, places: is_seen.then_some(places) })
    }

    /// Serializes a value whose members stay as they are, without noting their places. Reading or removing members then parses the JSON.
    ///
    /// # Errors
    /// 500 if the value cannot be serialized, such as a map whose keys are not strings.
    pub fn unread(value: &impl Serialize) -> Result<Self> {
        let json = to_json(value, None).map_err(Problem::internal)?;
        let is_object = json.starts_with(b"{");
        Ok(Self { json, places: (!is_object).then(Vec::new) })
    }

    /// Returns the JSON, with the added members and without the removed ones.
    #[must_use]
    pub fn json(&self) -> &[u8] {
        &self.json
    }

    /// Removes each member for whose name `keep` returns `false`. A value that is not an object stays unchanged.
    ///
    /// # Errors
    /// 500 if a `RawValue` is not JSON.
    pub fn retain(&mut self, mut keep: impl FnMut(&str) -> bool) -> Result<()> {
        let mut places = self.take_places()?;
        // The kept members move to the front, up to `length`.
        let (mut length, mut kept) = (1, 0);
        for index in 0..places.len() {
            let end = self.end(&places, index);
            let Some(MemberPlace { start, value }) = places.get(index).copied() else { break };
            if !keep(&self.name(MemberPlace { start, value })?) {
                continue;
            }
            let moved = if kept == 0 { length } else { length + 1 };
            if moved != start {
                self.json.copy_within(start..end, moved);
                self.put(moved - 1, if kept == 0 { b'{' } else { b',' });
            }
            if let Some(place) = places.get_mut(kept) {
                *place = MemberPlace { start: moved, value: moved + value - start };
            }
            (length, kept) = (moved + end - start, kept + 1);
        }
        if kept < places.len() {
            places.truncate(kept);
            self.put(length, b'}');
            self.json.truncate(length + 1);
        }
        self.places = Some(places);
        Ok(())
    }

    /// Allocates memory for members that are added. `members` are their names, with their values as JSON.
    pub fn reserve<'m>(&mut self, members: impl Iterator<Item = (&'m str, &'m str)>) {
        self.json.reserve(members.map(|(name, value)| length(name, value)).sum());
    }

    /// Adds a member to the end of the object. `value` is its value as JSON. A value that is not an object stays unchanged.
    pub fn push(&mut self, name: &str, value: &str) {
        if !self.json.starts_with(b"{") {
            return;
        }
        self.json.reserve(length(name, value));
        self.json.pop();
        if !self.json.trim_ascii_end().ends_with(b"{") {
            self.json.push(b',');
        }
        let start = self.json.len();
        put_name(name, &mut self.json);
        if let Some(places) = &mut self.places {
            places.push(MemberPlace { start, value: self.json.len() });
        }
        self.json.extend_from_slice(value.as_bytes());
        self.json.push(b'}');
    }

    /// Returns the names of the members, in their order, with their values as JSON.
    ///
    /// # Errors
    /// 500 if the value is not an object.
    pub fn list(&mut self) -> Result<Vec<(Cow<'_, str>, &[u8])>> {
        if !self.json.starts_with(b"{") {
            return Err(Problem::internal("the value must be an object"));
        }
        let places = self.take_places()?;
        self.places = Some(places);
        let places = self.places.as_deref().unwrap_or_default();
        let member = |(index, place): (usize, &MemberPlace)| {
            let value = self.json.get(place.value..self.end(places, index)).unwrap_or_default();
            Ok((self.name(*place)?, value))
        };
        places.iter().enumerate().map(member).collect()
    }

    /// Takes the places of the members. Parses an object whose places are not known, and writes it without white space.
    fn take_places(&mut self) -> Result<Vec<MemberPlace>> {
        if let Some(places) = &mut self.places {
            return Ok(mem::take(places));
        }
        let RawMembers(members) = serde_json::from_slice(&self.json).map_err(Problem::internal)?;
        let mut parsed = Self::empty();
        members.iter().for_each(|(name, value)| parsed.push(name, value.get()));
        let places = parsed.places.take().unwrap_or_default();
        self.json = parsed.json;
        Ok(places)
    }

    /// Returns the position after the value of a member.
    fn end(&self, places: &[MemberPlace], index: usize) -> usize {
        // A comma or the closing brace follows the value.
        places.get(index + 1).map_or(self.json.len(), |next| next.start) - 1
    }

    fn name(&self, place: MemberPlace) -> Result<Cow<'_, str>> {
        let quoted = self.json.get(place.start..place.value - 1).unwrap_or_default();
        match quoted {
            [b'"', name @ .., b'"'] if !name.contains(&b'\\') => Ok(String::from_utf8_lossy(name)),
            quoted => serde_json::from_slice(quoted).map(Cow::Owned).map_err(Problem::internal),
        }
    }

    fn put(&mut self, position: usize, byte: u8) {
        if let Some(place) = self.json.get_mut(position) {
            *place = byte;
        }
    }
}

/// Returns the number of bytes of a member: its name in quotes, a colon, its value, and a comma.
fn length(name: &str, value: &str) -> usize {
    name.len() + value.len() + 4
}

/// Appends a name in quotes, and a colon.
fn put_name(name: &str, json: &mut Vec<u8>) {
    if is_plain(name) {
        json.extend([b"\"", name.as_bytes(), b"\":"].into_iter().flatten());
        return;
    }
    // Writing a string to memory does not fail.
    json.extend(serde_json::to_vec(name).unwrap_or_default());
    json.push(b':');
}

impl From<Members> for Vec<u8> {
    fn from(members: Members) -> Self {
        members.json
    }
}

/// Writes the JSON as it is. Only the serializer of this crate can do this.
impl Serialize for Members {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        struct Verbatim<'j>(&'j [u8]);
        impl Serialize for Verbatim<'_> {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_bytes(self.0)
            }
        }
        let mut written = serializer.serialize_struct(WRITTEN, 1)?;
        written.serialize_field(WRITTEN, &Verbatim(&self.json))?;
        written.end()
    }
}
