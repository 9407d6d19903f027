//! Defines [`RequestPlaces`], which counts the requests in progress per caller.

use std::collections::hash_map::Entry;
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use restwright_core::rate_limit::RateLimitKey;

use crate::hashed::HashedMap;

/// Counts the requests in progress per caller. A caller without requests uses no memory, so there are never more keys
/// than requests in progress.
pub(super) struct RequestPlaces {
    /// The number of requests in progress, by the hash of the caller's key. Each shard has a separate lock, so workers
    /// rarely wait for each other.
    shards: [Mutex<HashedMap<u32>>; SHARDS],
    most: u32,
    seed: RandomState,
    admitted: AtomicU64,
    refused: AtomicU64,
}

/// A request that is counted as in progress until this value is dropped.
pub(super) struct RequestPlace {
    places: Arc<RequestPlaces>,
    hash: u64,
}

const SHARDS: usize = 16;

impl RequestPlaces {
    /// Creates a counter with a maximum number of concurrent requests per caller.
    pub(super) fn new(most: u32) -> Self {
        let (admitted, refused) = Default::default();
        Self { shards: Default::default(), most, seed: RandomState::new(), admitted, refused }
    }

    /// Counts a new request of the caller `key` as in progress. Returns `None` if the caller already has `most`
    /// requests in progress.
    pub(super) fn enter(self: &Arc<Self>, key: &RateLimitKey) -> Option<RequestPlace> {
        let hash = self.seed.hash_one(key);
        let is_admitted = match self.shard(hash).entry(hash) {
            Entry::Occupied(held) if *held.get() >= self.most => false,
            Entry::Occupied(mut held) => {
                *held.get_mut() += 1;
                true
            }
            Entry::Vacant(none) => {
                none.insert(1);
                true
            }
        };
        let count = if is_admitted { &self.admitted } else { &self.refused };
        count.fetch_add(1, Ordering::Relaxed);
        is_admitted.then(|| RequestPlace { places: self.clone(), hash })
    }

    /// Returns the total number of admitted requests.
    pub(super) fn admitted(&self) -> u64 {
        self.admitted.load(Ordering::Relaxed)
    }

    /// Returns the total number of rejected requests.
    pub(super) fn refused(&self) -> u64 {
        self.refused.load(Ordering::Relaxed)
    }

    fn leave(&self, hash: u64) {
        if let Entry::Occupied(mut held) = self.shard(hash).entry(hash) {
            match held.get() {
                0 | 1 => drop(held.remove()),
                _ => *held.get_mut() -= 1,
            }
        }
    }

    #[expect(clippy::indexing_slicing, reason = "the remainder is smaller than the length")]
    fn shard(&self, hash: u64) -> MutexGuard<'_, HashedMap<u32>> {
        // The map uses the other bits.
        self.shards[(hash >> 32) as usize % SHARDS].lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for RequestPlace {
    fn drop(&mut self) {
        self.places.leave(self.hash);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    fn key(number: u8) -> RateLimitKey {
        RateLimitKey::text(number.to_string())
    }

    fn keys(places: &RequestPlaces) -> usize {
        places.shards.iter().map(|shard| shard.lock().unwrap().len()).sum()
    }

    proptest! {
        #[test]
        fn as_many_are_admitted_as_have_places(most in 1..4_u32, steps in prop::collection::vec((any::<bool>(), 0..5_u8), 0..200)) {
            let places = Arc::new(RequestPlaces::new(most));
            let mut held = HashMap::<u8, Vec<RequestPlace>>::new();
            for (enters, caller) in steps {
                let own = held.entry(caller).or_default();
                if enters {
                    let place = places.enter(&key(caller));
                    prop_assert_eq!(place.is_some(), own.len() < most as usize);
                    own.extend(place);
                } else {
                    own.pop();
                }
                prop_assert_eq!(keys(&places), held.values().filter(|own| !own.is_empty()).count());
            }
            drop(held);
            prop_assert_eq!(keys(&places), 0);
        }
    }

    #[test]
    fn threads_never_have_more_places_together() {
        use std::sync::atomic::{AtomicU32, Ordering};

        let places = Arc::new(RequestPlaces::new(3));
        let (inside, most, admitted) = (AtomicU32::new(0), AtomicU32::new(0), AtomicU32::new(0));
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..2000 {
                        let Some(place) = places.enter(&key(1)) else { continue };
                        most.fetch_max(inside.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                        std::thread::yield_now();
                        inside.fetch_sub(1, Ordering::SeqCst);
                        admitted.fetch_add(1, Ordering::SeqCst);
                        drop(place);
                    }
                });
            }
        });
        assert!(most.into_inner() <= 3 && admitted.into_inner() > 0);
        assert_eq!(keys(&places), 0);
    }
}
