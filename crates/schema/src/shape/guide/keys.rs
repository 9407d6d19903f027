//! Defines [`ObjectKeys`], which reads the property names of an object and finds the schema node of each property.

use std::borrow::Cow;
use std::collections::HashSet;

use serde::de::value::CowStrDeserializer;
use serde::de::{Deserializer, Visitor};
use serde::forward_to_deserialize_any;
use serde_json::Error;

use super::refused;
use crate::pending_violation::ValiditySink;
use crate::shape::node::{MapNode, Node, NodeForm, ObjectNode, PresentProperties};
use crate::shape::withheld::Withheld;

pub(super) struct ObjectKeys<'g, 'de> {
    of: Of<'g>,
    seen: PresentProperties,
    count: usize,
    /// The number of members that are returned apart from the value.
    apart: usize,
    /// The index of the property whose name is expected next. It is compared first.
    expected: usize,
    others: Option<Box<Others<'de>>>,
    /// The schema node of the property that was read last.
    pub(super) node: &'g Node,
    keep_last: bool,
    /// `true` inside an object that rejects undeclared names recursively.
    within_closed: bool,
    /// `true` if objects inside the object reject undeclared names.
    pub(super) closes_recursively: bool,
    /// `true` if an expensive check of a name was skipped.
    pub(super) deferred: bool,
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
    Map(&'g MapNode),
    Anything,
}

/// The treatment of a member whose name was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Taken {
    /// The type receives the member.
    Given,
    /// The member is returned apart from the value, so the type does not receive it.
    Apart,
    Rejected,
}

impl Taken {
    #[inline]
    fn of(is_given: bool) -> Self {
        if is_given { Self::Given } else { Self::Rejected }
    }
}

static ANY: Node = Node::ANY;

impl<'g, 'de> ObjectKeys<'g, 'de> {
    /// Reads the names of an object with this schema. `within_closed` is `true` inside an object that rejects undeclared names
    /// recursively. `is_tracing` is `true` if error messages contain the names that no schema declares.
    pub(super) fn new(schema: &'g Node, within_closed: bool, is_tracing: bool) -> Self {
        let (of, node) = match &schema.form {
            NodeForm::Object(object) => (Of::Object(object), &ANY),
            NodeForm::Map(map) => (Of::Map(map), &map.values),
            _ => (Of::Anything, schema),
        };
        Self {
            of,
            seen: PresentProperties::default(),
            count: 0,
            apart: 0,
            expected: 0,
            others: None,
            node,
            keep_last: is_tracing && matches!(of, Of::Anything),
            within_closed,
            closes_recursively: matches!(of, Of::Object(object) if object.closes_recursively),
            deferred: false,
        }
    }

    /// Returns the last undeclared name, for an error message.
    pub(super) fn last(&self) -> String {
        self.others.as_ref().and_then(|others| others.last.as_deref()).unwrap_or_default().to_owned()
    }

    /// Returns `true` if all required properties are present and the number of properties is allowed.
    #[inline]
    pub(super) fn are_complete(&self) -> bool {
        let mut verdict = ValiditySink::default();
        match self.of {
            Of::Object(object) => {
                object.count.check(self.count - self.apart, &mut verdict);
                !verdict.refused && object.has_required(&self.seen)
            }
            Of::Map(map) => {
                map.count.check(self.count, &mut verdict);
                !verdict.refused
            }
            Of::Anything => true,
        }
    }

    /// Returns `true` if no property name was read yet.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Records a property name. Rejects a duplicate, a hidden property, and an undeclared name that the object rejects.
    #[inline]
    #[expect(clippy::ptr_arg, reason = "a name that is borrowed is kept as such")]
    pub(super) fn take(&mut self, name: &Cow<'de, str>) -> Taken {
        self.count += 1;
        match self.of {
            Of::Object(object) => match object.find(name, self.expected) {
                Some((index, property)) => {
                    self.expected = index + 1;
                    self.node = &property.node;
                    Taken::of(!self.seen.mark(index))
                }
                None => {
                    self.node = &ANY;
                    if object.withheld(name) == Some(&Withheld::Apart) && self.take_other(name) {
                        self.apart += 1;
                        return Taken::Apart;
                    }
                    // The type must not receive a hidden property, so the normalised value, which omits the property,
                    // is read instead.
                    let rejects = object.rejects(name, self.within_closed) || object.hides(name);
                    Taken::of(!rejects && self.take_other(name))
                }
            },
            Of::Map(MapNode { keys: Some(keys), .. }) => {
                let mut verdict = ValiditySink::default();
                keys.check_name(name, &mut verdict);
                self.deferred |= verdict.deferred;
                Taken::of(
                    !verdict.refused
                        && match keys.same_name(name) {
                            Some(same) => self.take_other(&Cow::Owned(same)),
                            None => self.take_other(name),
                        },
                )
            }
            Of::Map(_) | Of::Anything => Taken::of(self.take_other(name)),
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

/// Defines the methods that read a property name as an integer.
macro_rules! integers {
    ($($integer:ident $method:ident),+ => $visit:ident) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            match self.0.parse::<$integer>() {
                Ok(integer) => visitor.$visit(integer.into()),
                Err(_) => Err(refused()),
            }
        })+
    };
}

/// A deserializer for a property name. A name is a string in JSON, and the key of a map can be an integer.
pub(super) struct NameDeserializer<'de>(pub(super) Cow<'de, str>);

impl<'de> Deserializer<'de> for NameDeserializer<'de> {
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

    integers! { i8 deserialize_i8, i16 deserialize_i16, i32 deserialize_i32, i64 deserialize_i64 => visit_i64 }
    integers! { u8 deserialize_u8, u16 deserialize_u16, u32 deserialize_u32, u64 deserialize_u64 => visit_u64 }

    forward_to_deserialize_any! {
        bool i128 u128 f32 f64 char str string bytes byte_buf
        unit unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}
