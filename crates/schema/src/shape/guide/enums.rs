//! Defines [`VariantDeserializer`], which deserializes a variant of an enum.

use std::borrow::Cow;

use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, EnumAccess, Error as _, Unexpected, VariantAccess, Visitor,
};
use serde_json::Error;

use super::deserializer::Guided;
use super::keys::NameDeserializer;
use super::{GuidedRead, refused};
use crate::shape::node::Node;

/// A deserializer for a variant of an enum. The JSON is a string with the name of a unit variant. If it is already
/// checked, it may also be an object with the name of a variant and its value.
pub(super) struct VariantDeserializer<'r, 'g, 'de> {
    reading: &'r mut GuidedRead<'g, 'de>,
    name: Cow<'de, str>,
    has_value: bool,
}

impl<'r, 'g, 'de> VariantDeserializer<'r, 'g, 'de> {
    pub(super) fn unit(reading: &'r mut GuidedRead<'g, 'de>, name: Cow<'de, str>) -> Self {
        Self { reading, name, has_value: false }
    }

    pub(super) fn with_value(reading: &'r mut GuidedRead<'g, 'de>) -> Result<Self, Error> {
        let name = reading.reader.next_name(true).flatten().ok_or_else(refused)?;
        Ok(Self { reading, name, has_value: true })
    }

    pub(super) fn visit<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, Error> {
        let value = visitor.visit_enum(&mut self)?;
        self.end().map(|()| value)
    }

    /// Checks that the JSON object of an enum variant contains no second property.
    fn end(&mut self) -> Result<(), Error> {
        let follows = self.has_value && self.reading.reader.next_name(false).ok_or_else(refused)?.is_some();
        if follows { Err(refused()) } else { Ok(()) }
    }

    /// Returns a deserializer for the value of the variant. Fails if the variant has no value.
    fn value(&mut self, variant: &'static str) -> Result<Guided<'_, 'g, 'de>, Error> {
        if self.has_value {
            Ok(Guided::new(self.reading, &Node::ANY))
        } else {
            Err(Error::invalid_type(Unexpected::UnitVariant, &variant))
        }
    }
}

impl<'de> EnumAccess<'de> for &mut VariantDeserializer<'_, '_, 'de> {
    type Error = Error;
    type Variant = Self;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Self), Error> {
        let name = std::mem::take(&mut self.name);
        Ok((seed.deserialize(NameDeserializer(name))?, self))
    }
}

impl<'de> VariantAccess<'de> for &mut VariantDeserializer<'_, '_, 'de> {
    type Error = Error;

    fn unit_variant(self) -> Result<(), Error> {
        if self.has_value { <()>::deserialize(self.value("unit variant")?) } else { Ok(()) }
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, Error> {
        seed.deserialize(self.value("newtype variant")?)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Error> {
        self.value("tuple variant")?.deserialize_seq(visitor)
    }

    fn struct_variant<V: Visitor<'de>>(self, _: &'static [&'static str], visitor: V) -> Result<V::Value, Error> {
        self.value("struct variant")?.deserialize_map(visitor)
    }
}
