//! [`Properties`]: the properties of an object, each beside its node.

use serde::de::{DeserializeSeed, MapAccess};

use super::deserializer::GuidedSeed;
use super::keys::{KeySeed, Keys};
use super::{Context, Segment};

pub(super) struct Properties<'g, 'de, A> {
    context: &'g Context<'g>,
    keys: Keys<'g, 'de>,
    access: A,
}

impl<'g, 'de, A> Properties<'g, 'de, A> {
    #[inline]
    pub(super) fn new(context: &'g Context<'g>, keys: Keys<'g, 'de>, access: A) -> Self {
        Self { context, keys, access }
    }

    #[inline]
    pub(super) fn are_complete(&self) -> bool {
        self.keys.are_complete()
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Properties<'_, 'de, A> {
    type Error = A::Error;

    #[inline]
    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, A::Error> {
        self.access.next_key_seed(KeySeed { keys: &mut self.keys, seed })
    }

    #[inline]
    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        let seed = GuidedSeed { context: self.context, node: self.keys.node, seed };
        self.access.next_value_seed(seed).inspect_err(|_| {
            self.context.refused_at(|| Segment::Name(self.keys.last()));
        })
    }

    #[inline]
    fn size_hint(&self) -> Option<usize> {
        self.access.size_hint()
    }
}
