//! Defines [`HashedMap`], a map whose keys are already hashes.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A map whose keys are already hashes, so they are not hashed again.
pub(super) type HashedMap<V> = HashMap<u64, V, BuildHasherDefault<PassThroughHasher>>;

/// A hasher that returns its `u64` input unchanged.
#[derive(Default)]
pub(super) struct PassThroughHasher(u64);

impl Hasher for PassThroughHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.0 = self.0.rotate_left(8) ^ u64::from(*byte));
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}
