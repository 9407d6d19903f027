//! [`Items`]: the items of an array, each beside its node.

use serde::de::{DeserializeSeed, SeqAccess};

use super::deserializer::GuidedSeed;
use super::{Context, Segment};
use crate::node::Node;

pub(super) struct Items<'g, A> {
    context: &'g Context<'g>,
    node: &'g Node,
    access: A,
    count: usize,
}

impl<'g, A> Items<'g, A> {
    #[inline]
    pub(super) fn new(context: &'g Context<'g>, node: &'g Node, access: A) -> Self {
        Self { context, node, access, count: 0 }
    }

    #[inline]
    pub(super) fn count(&self) -> usize {
        self.count
    }
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for Items<'_, A> {
    type Error = A::Error;

    #[inline]
    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, A::Error> {
        let seed = GuidedSeed { context: self.context, node: self.node, seed };
        match self.access.next_element_seed(seed) {
            Ok(Some(item)) => {
                self.count += 1;
                Ok(Some(item))
            }
            Ok(None) => Ok(None),
            Err(error) => {
                self.context.refused_at(|| Segment::Index(self.count));
                Err(error)
            }
        }
    }

    #[inline]
    fn size_hint(&self) -> Option<usize> {
        self.access.size_hint()
    }
}
