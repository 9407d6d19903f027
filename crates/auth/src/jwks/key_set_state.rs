//! The keys that serve now.

use std::time::Duration;

use crate::keys::KeySet;

/// A key set with the time when it was last known to be the issuer's.
#[derive(Debug)]
pub(super) struct Loaded {
    pub(super) set: KeySet,
    pub(super) confirmed: Duration,
}

impl Loaded {
    /// The set that was fetched; the one before when its keys are the same, so that what was verified with it stays.
    pub(super) fn replacing(previous: Option<&Self>, fetched: KeySet, now: Duration) -> Self {
        let same = previous.filter(|previous| previous.set.same_keys(&fetched));
        Self { set: same.map_or(fetched, |previous| previous.set.clone()), confirmed: now }
    }
}
