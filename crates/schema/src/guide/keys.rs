//! [`Keys`]: the names of an object's properties as they arrive, and which node each leads to.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

use serde::de::value::StrDeserializer;
use serde::de::{DeserializeSeed, Deserializer, Error, Visitor};
use serde::forward_to_deserialize_any;

use crate::node::{MapNode, Node, ObjectNode, Seen};
use crate::pending_violation::Verdict;
use crate::schema_type::count::PropertyCount;

pub(super) struct Keys<'g, 'de> {
    of: Of<'g>,
    seen: Seen,
    count: usize,
    /// The index at which the next name is looked for first.
    expected: usize,
    others: Option<Box<Others<'de>>>,
    /// The node of the last name.
    pub(super) node: &'g Node,
    keep_last: bool,
}

/// Names that are no declared property's; boxed, since most objects have none.
#[derive(Default)]
struct Others<'de> {
    /// So that one given twice is noticed.
    names: HashSet<Cow<'de, str>>,
    /// The last one, kept where an error names it.
    last: Option<Cow<'de, str>>,
}

#[derive(Clone, Copy)]
enum Of<'g> {
    Object(&'g ObjectNode),
    Values(Option<&'g PropertyCount>),
}

static ANY: Node = Node::ANY;

impl<'g, 'de> Keys<'g, 'de> {
    #[inline]
    pub(super) fn of_object(object: &'g ObjectNode) -> Self {
        Self::new(Of::Object(object), &ANY, false)
    }

    #[inline]
    pub(super) fn of_map(map: &'g MapNode) -> Self {
        Self::new(Of::Values(Some(&map.count)), &map.values, false)
    }

    #[inline]
    pub(super) fn of_anything(any: &'g Node, keep_last: bool) -> Self {
        Self::new(Of::Values(None), any, keep_last)
    }

    #[inline]
    fn new(of: Of<'g>, node: &'g Node, keep_last: bool) -> Self {
        Self { of, seen: Seen::default(), count: 0, expected: 0, others: None, node, keep_last }
    }

    /// The last name, for an error.
    pub(super) fn last(&self) -> String {
        self.others.as_ref().and_then(|others| others.last.as_deref()).unwrap_or_default().to_owned()
    }

    /// Returns true if every required property came, and as many properties as there may be.
    #[inline]
    pub(super) fn are_complete(&self) -> bool {
        let mut verdict = Verdict::default();
        match self.of {
            Of::Object(object) => {
                object.count.check(self.count, &mut verdict);
                !verdict.refused && object.has_required(&self.seen)
            }
            Of::Values(count) => {
                if let Some(count) = count {
                    count.check(self.count, &mut verdict);
                }
                !verdict.refused
            }
        }
    }

    /// Takes a name, and returns true if it may stand here.
    #[inline]
    fn take(&mut self, name: &str, owned: impl FnOnce() -> Cow<'de, str>) -> bool {
        self.count += 1;
        match self.of {
            Of::Object(object) => match object.find(name, self.expected) {
                Some((index, property)) => {
                    self.expected = index + 1;
                    self.node = &property.node;
                    !self.seen.mark(index)
                }
                None => {
                    self.node = &ANY;
                    // What is hidden is left out of the normalised value, which is read then.
                    !object.closed && !object.hides(name) && self.take_other(owned)
                }
            },
            Of::Values(..) => self.take_other(owned),
        }
    }

    fn take_other(&mut self, owned: impl FnOnce() -> Cow<'de, str>) -> bool {
        let name = owned();
        let others = self.others.get_or_insert_default();
        if self.keep_last {
            others.last = Some(name.clone());
        }
        others.names.insert(name)
    }
}

/// Reads a name through the keys into whatever the type reads it as.
pub(super) struct KeySeed<'k, 'g, 'de, S> {
    pub(super) keys: &'k mut Keys<'g, 'de>,
    pub(super) seed: S,
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for KeySeed<'_, '_, 'de, S> {
    type Value = S::Value;

    #[inline]
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<S::Value, D::Error> {
        self.seed.deserialize(Key { keys: self.keys, inner: deserializer })
    }
}

/// A name: always a string on the wire, whatever the type asks for.
struct Key<'k, 'g, 'de, T> {
    keys: &'k mut Keys<'g, 'de>,
    inner: T,
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Key<'_, '_, 'de, D> {
    type Error = D::Error;

    #[inline]
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.inner.deserialize_str(Key { keys: self.keys, inner: visitor })
    }

    #[inline]
    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        visitor.visit_some(self)
    }

    #[inline]
    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, D::Error> {
        visitor.visit_newtype_struct(self)
    }

    #[inline]
    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.inner.deserialize_str(Key { keys: self.keys, inner: VariantName(visitor) })
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf
        unit unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Key<'_, '_, 'de, V> {
    type Value = V::Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.expecting(formatter)
    }

    #[inline]
    fn visit_str<E: Error>(self, name: &str) -> Result<V::Value, E> {
        if self.keys.take(name, || Cow::Owned(name.to_owned())) {
            self.inner.visit_str(name)
        } else {
            Err(E::custom("refused"))
        }
    }

    #[inline]
    fn visit_borrowed_str<E: Error>(self, name: &'de str) -> Result<V::Value, E> {
        if self.keys.take(name, || Cow::Borrowed(name)) {
            self.inner.visit_borrowed_str(name)
        } else {
            Err(E::custom("refused"))
        }
    }

    #[inline]
    fn visit_string<E: Error>(self, name: String) -> Result<V::Value, E> {
        self.visit_str(&name)
    }
}

/// A name that the type reads as an enum.
struct VariantName<V>(V);

impl<'de, V: Visitor<'de>> Visitor<'de> for VariantName<V> {
    type Value = V::Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.expecting(formatter)
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<V::Value, E> {
        self.0.visit_enum(StrDeserializer::new(name))
    }
}
