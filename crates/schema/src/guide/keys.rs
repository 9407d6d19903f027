//! Defines [`Keys`], which reads the property names of an object and finds the schema node of each property.

use std::borrow::Cow;
use std::collections::HashSet;

use serde::de::value::CowStrDeserializer;
use serde::de::{Deserializer, Visitor};
use serde::forward_to_deserialize_any;
use serde_json::Error;

use crate::node::{MapNode, Node, ObjectNode, Seen};
use crate::pending_violation::Verdict;
use crate::schema_type::count::PropertyCount;

pub(super) struct Keys<'g, 'de> {
    of: Of<'g>,
    seen: Seen,
    count: usize,
    /// The index of the property whose name is expected next. It is compared first.
    expected: usize,
    others: Option<Box<Others<'de>>>,
    /// The schema node of the property that was read last.
    pub(super) node: &'g Node,
    keep_last: bool,
}

/// The property names that the schema does not declare. Boxed, because most objects have none.
#[derive(Default)]
struct Others<'de> {
    /// All undeclared names, to detect duplicates.
    names: HashSet<Cow<'de, str>>,
    /// The last undeclared name. It is stored only if an error message may need it.
    last: Option<Cow<'de, str>>,
}

#[derive(Clone, Copy)]
enum Of<'g> {
    Object(&'g ObjectNode),
    Values(Option<&'g PropertyCount>),
}

static ANY: Node = Node::ANY;

impl<'g, 'de> Keys<'g, 'de> {
    pub(super) fn of_object(object: &'g ObjectNode) -> Self {
        Self::new(Of::Object(object), &ANY, false)
    }

    pub(super) fn of_map(map: &'g MapNode) -> Self {
        Self::new(Of::Values(Some(&map.count)), &map.values, false)
    }

    pub(super) fn of_anything(any: &'g Node, keep_last: bool) -> Self {
        Self::new(Of::Values(None), any, keep_last)
    }

    fn new(of: Of<'g>, node: &'g Node, keep_last: bool) -> Self {
        Self { of, seen: Seen::default(), count: 0, expected: 0, others: None, node, keep_last }
    }

    /// Returns the last undeclared name, for an error message.
    pub(super) fn last(&self) -> String {
        self.others.as_ref().and_then(|others| others.last.as_deref()).unwrap_or_default().to_owned()
    }

    /// Returns `true` if all required properties are present and the number of properties is allowed.
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

    /// Returns `true` if no property name was read yet.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Records a property name. Returns `false` for a duplicate, for a hidden property, and for an undeclared name in a
    /// closed object.
    #[inline]
    #[expect(clippy::ptr_arg, reason = "a name that is borrowed is kept as such")]
    pub(super) fn take(&mut self, name: &Cow<'de, str>) -> bool {
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
                    // The type must not receive a hidden property, so the normalised value, which omits the property,
                    // is read instead.
                    !object.closed && !object.hides(name) && self.take_other(name)
                }
            },
            Of::Values(..) => self.take_other(name),
        }
    }

    #[expect(clippy::ptr_arg, reason = "a name that is borrowed is kept as such")]
    fn take_other(&mut self, name: &Cow<'de, str>) -> bool {
        let others = self.others.get_or_insert_default();
        if self.keep_last {
            others.last = Some(name.clone());
        }
        others.names.insert(name.clone())
    }
}

/// A deserializer for a property name. A name is always a string in JSON, regardless of the type that is read.
pub(super) struct Name<'de>(pub(super) Cow<'de, str>);

impl<'de> Deserializer<'de> for Name<'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Cow::Borrowed(name) => visitor.visit_borrowed_str(name),
            Cow::Owned(name) => visitor.visit_string(name),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_enum(CowStrDeserializer::new(self.0))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf
        unit unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}
