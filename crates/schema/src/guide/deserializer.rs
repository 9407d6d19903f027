//! [`Guided`]: a deserializer beside a node of the schema.

use serde::de::{DeserializeSeed, Deserializer, Error, Visitor};

use super::Context;
use super::visitor::{Checking, UnitVariant};
use crate::node::{Form, Node};

/// Hands every call on, with a visitor that checks what arrives before the type's own visitor sees it.
pub(super) struct Guided<'g, D> {
    context: &'g Context<'g>,
    node: &'g Node,
    /// Of the node, or of a reference that led to it.
    nullable: bool,
    inner: D,
}

impl<'g, D> Guided<'g, D> {
    #[inline]
    pub(super) fn new(context: &'g Context<'g>, declared: &'g Node, inner: D) -> Self {
        let node = context.compiled.resolve(declared);
        Self { context, node, nullable: declared.nullable || node.nullable, inner }
    }

    /// Beside the same node, within an option or a newtype.
    #[inline]
    pub(super) fn beside<V>(checking: &Checking<'g, V>, inner: D) -> Self {
        Self { context: checking.context, node: checking.node, nullable: checking.nullable, inner }
    }

    #[inline]
    fn checking<V>(&self, visitor: V) -> Checking<'g, V> {
        Checking { context: self.context, node: self.node, nullable: self.nullable, visitor }
    }
}

macro_rules! hand_on {
    ($($method:ident($($argument:ident: $type:ty),*) => $inner:ident;)*) => {
        $(
            #[inline]
            fn $method<V: Visitor<'de>>(self $(, $argument: $type)*, visitor: V) -> Result<V::Value, D::Error> {
                let checking = self.checking(visitor);
                self.inner.$inner($($argument,)* checking)
            }
        )*
    };
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Guided<'_, D> {
    type Error = D::Error;

    hand_on! {
        deserialize_any() => deserialize_any;
        // What the type ignores is checked all the same.
        deserialize_ignored_any() => deserialize_any;
        deserialize_bool() => deserialize_bool;
        deserialize_i8() => deserialize_i8;
        deserialize_i16() => deserialize_i16;
        deserialize_i32() => deserialize_i32;
        deserialize_i64() => deserialize_i64;
        deserialize_i128() => deserialize_any;
        deserialize_u8() => deserialize_u8;
        deserialize_u16() => deserialize_u16;
        deserialize_u32() => deserialize_u32;
        deserialize_u64() => deserialize_u64;
        deserialize_u128() => deserialize_any;
        // Doubles are what is checked, in single precision as well.
        deserialize_f32() => deserialize_f64;
        deserialize_f64() => deserialize_f64;
        deserialize_char() => deserialize_char;
        deserialize_str() => deserialize_str;
        deserialize_string() => deserialize_string;
        deserialize_bytes() => deserialize_any;
        deserialize_byte_buf() => deserialize_any;
        deserialize_option() => deserialize_option;
        deserialize_unit() => deserialize_unit;
        deserialize_unit_struct(name: &'static str) => deserialize_unit_struct;
        deserialize_newtype_struct(name: &'static str) => deserialize_newtype_struct;
        deserialize_seq() => deserialize_seq;
        deserialize_tuple(length: usize) => deserialize_tuple;
        deserialize_tuple_struct(name: &'static str, length: usize) => deserialize_tuple_struct;
        deserialize_map() => deserialize_map;
        deserialize_struct(name: &'static str, fields: &'static [&'static str]) => deserialize_struct;
        deserialize_identifier() => deserialize_identifier;
    }

    /// A unit variant is a string on the wire, and nothing else: serde would take an object, too.
    #[inline]
    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        let checking = self.checking(visitor);
        match self.node.form {
            _ if self.context.is_tracing() => self.inner.deserialize_enum(name, variants, checking.visitor),
            Form::Scalar(_) => self.inner.deserialize_str(UnitVariant(checking)),
            _ => Err(D::Error::custom("the complete walk comes first")),
        }
    }

    #[inline]
    fn is_human_readable(&self) -> bool {
        self.inner.is_human_readable()
    }
}

/// The seed of a property or an item.
pub(super) struct GuidedSeed<'g, S> {
    pub(super) context: &'g Context<'g>,
    pub(super) node: &'g Node,
    pub(super) seed: S,
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for GuidedSeed<'_, S> {
    type Value = S::Value;

    #[inline]
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<S::Value, D::Error> {
        self.seed.deserialize(Guided::new(self.context, self.node, deserializer))
    }
}
