//! Defines [`Properties`], which deserializes the properties of an object and checks each property against the schema.

use std::borrow::Cow;

use serde::de::{Deserialize, DeserializeSeed, IgnoredAny, MapAccess, Visitor};
use serde_json::Error;

use super::deserializer::Guided;
use super::keys::{NameDeserializer, ObjectKeys, Taken};
use super::{GuidedRead, PointerSegment, refused};

pub(super) struct Properties<'r, 'g, 'de> {
    reading: &'r mut GuidedRead<'g, 'de>,
    keys: ObjectKeys<'g, 'de>,
    /// The value of `within_closed` around the object.
    outer: bool,
    ended: bool,
}

impl<'r, 'g, 'de> Properties<'r, 'g, 'de> {
    pub(super) fn new(reading: &'r mut GuidedRead<'g, 'de>, keys: ObjectKeys<'g, 'de>) -> Self {
        let outer = reading.within_closed;
        reading.within_closed |= keys.closes_recursively;
        Self { reading, keys, outer, ended: false }
    }

    pub(super) fn visit<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, Error> {
        let value = visitor.visit_map(&mut self)?;
        self.end().map(|()| value)
    }

    fn next(&mut self) -> Result<Option<Cow<'de, str>>, Error> {
        if self.ended {
            return Ok(None);
        }
        loop {
            let name = self.reading.reader.next_name(self.keys.is_empty()).ok_or_else(refused)?;
            match name.as_ref().map(|name| self.keys.take(name)) {
                Some(Taken::Given) => self.reading.deferred |= self.keys.deferred,
                Some(Taken::Apart) => {
                    self.reading.apart = true;
                    IgnoredAny::deserialize(Guided::new(self.reading, self.keys.node))?;
                    continue;
                }
                Some(Taken::Rejected) => return Err(refused()),
                None => self.ended = true,
            }
            return Ok(name);
        }
    }

    /// Checks that the visitor has read all properties, and that no required property is missing.
    fn end(&mut self) -> Result<(), Error> {
        self.reading.within_closed = self.outer;
        if (self.ended || self.next()?.is_none()) && self.keys.are_complete() { Ok(()) } else { Err(refused()) }
    }

    #[cold]
    fn refuse(&mut self, error: Error) -> Error {
        self.reading.refused_at(|| PointerSegment::Name(self.keys.last()));
        error
    }
}

impl<'de> MapAccess<'de> for Properties<'_, '_, 'de> {
    type Error = Error;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Error> {
        match self.next()? {
            Some(name) => seed.deserialize(NameDeserializer(name)).map(Some),
            None => Ok(None),
        }
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Error> {
        match seed.deserialize(Guided::new(self.reading, self.keys.node)) {
            Ok(value) => Ok(value),
            Err(error) => Err(self.refuse(error)),
        }
    }
}
