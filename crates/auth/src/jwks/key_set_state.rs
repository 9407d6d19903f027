//! Defines [`KeySetState`], the current key set and the time of its last fetch.

use std::time::Duration;

use crate::keys::KeySet;

/// A key set and the time of the last fetch that returned it.
#[derive(Debug)]
pub(super) struct KeySetState {
    pub(super) set: KeySet,
    pub(super) confirmed: Duration,
}

impl KeySetState {
    /// Returns the new state after a successful fetch of the key set `fetched`. If the keys are unchanged, the new
    /// state contains the previous set, so cached tokens stay valid.
    pub(super) fn replacing(previous: Option<&Self>, fetched: KeySet, now: Duration) -> Self {
        let same = previous.filter(|previous| previous.set.same_keys(&fetched));
        Self { set: same.map_or(fetched, |previous| previous.set.clone()), confirmed: now }
    }
}
