//! A cache of key identifiers that the issuer does not have.

use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// A bounded cache of the identifiers that a fetch did not find, so that they cause no other fetch for a while. It is cleared when the
/// key set changes.
#[derive(Debug, Default)]
pub(super) struct NegativeCache {
    hasher: RandomState,
    until: Mutex<HashMap<u64, Duration>>,
}

impl NegativeCache {
    const MOST: usize = 1024;

    pub(super) fn contains(&self, id: &str, now: Duration) -> bool {
        let until = self.until.lock().unwrap_or_else(PoisonError::into_inner);
        until.get(&self.hasher.hash_one(id)).is_some_and(|until| now < *until)
    }

    pub(super) fn insert(&self, id: &str, now: Duration, duration: Duration) {
        let mut until = self.until.lock().unwrap_or_else(PoisonError::into_inner);
        if until.len() >= Self::MOST {
            until.retain(|_, until| now < *until);
        }
        // A flood of random identifiers is kept out by the cooldown; caching all of them would not help.
        if until.len() < Self::MOST {
            until.insert(self.hasher.hash_one(id), now.saturating_add(duration));
        }
    }

    pub(super) fn clear(&self) {
        self.until.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_cached_for_a_while_and_bounded() {
        let (unknown, second) = (NegativeCache::default(), Duration::from_secs(1));
        (0..10_000).for_each(|number| unknown.insert(&format!("{number}"), Duration::ZERO, second));
        assert_eq!(unknown.until.lock().unwrap().len(), NegativeCache::MOST);
        assert!(unknown.contains("0", Duration::ZERO) && !unknown.contains("0", second));
        unknown.insert("new", second, second);
        assert!(unknown.contains("new", second));
        unknown.clear();
        assert!(!unknown.contains("new", second));
    }
}
