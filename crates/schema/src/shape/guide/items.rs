//! Defines [`Items`], which deserializes the items of an array and checks each item against the schema.

use serde::de::{DeserializeSeed, SeqAccess, Visitor};
use serde_json::Error;

use super::deserializer::Guided;
use super::{GuidedRead, PointerSegment, refused};
use crate::pending_violation::ValiditySink;
use crate::shape::node::Node;
use crate::shape::schema_type::array::ItemRules;

static ANY: Node = Node::ANY;

pub(super) struct Items<'r, 'g, 'de> {
    reading: &'r mut GuidedRead<'g, 'de>,
    /// The schema of all items, or one schema for each item of a tuple.
    nodes: &'g [Node],
    rules: Option<&'g ItemRules>,
    count: usize,
    ended: bool,
}

impl<'r, 'g, 'de> Items<'r, 'g, 'de> {
    pub(super) fn new(reading: &'r mut GuidedRead<'g, 'de>, nodes: &'g [Node], rules: Option<&'g ItemRules>) -> Self {
        Self { reading, nodes, rules, count: 0, ended: false }
    }

    pub(super) fn visit<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, Error> {
        let value = visitor.visit_seq(&mut self)?;
        self.end().map(|()| value)
    }

    fn next(&mut self) -> Result<bool, Error> {
        let follows = !self.ended && self.reading.reader.next_item(self.count == 0).ok_or_else(refused)?;
        self.ended = !follows;
        Ok(follows)
    }

    /// Checks that the visitor has read all items, and that the number of items is allowed.
    fn end(&mut self) -> Result<(), Error> {
        let mut verdict = ValiditySink::default();
        if let Some(rules) = self.rules {
            rules.check(self.count, &mut verdict);
        }
        if verdict.refused || !self.ended && self.next()? { Err(refused()) } else { Ok(()) }
    }

    #[cold]
    fn refuse(&mut self, error: Error) -> Error {
        let index = self.count;
        self.reading.refused_at(|| PointerSegment::Index(index));
        error
    }
}

impl<'de> SeqAccess<'de> for Items<'_, '_, 'de> {
    type Error = Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Error> {
        if !self.next()? {
            return Ok(None);
        }
        let node = match self.nodes {
            [all] => all,
            each => each.get(self.count).unwrap_or(&ANY),
        };
        match seed.deserialize(Guided::new(self.reading, node)) {
            Ok(item) => {
                self.count += 1;
                Ok(Some(item))
            }
            Err(error) => Err(self.refuse(error)),
        }
    }
}
