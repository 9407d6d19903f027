//! Key identifiers that the issuer does not know.

use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Remembers for a while which identifiers a fetch did not find, so that the same ones cause no other; bounded, and emptied
/// when the set changes.
#[derive(Debug, Default)]
pub(super) struct UnknownIds {
    hasher: RandomState,
    until: Mutex<HashMap<u64, Duration>>,
}

impl UnknownIds {
    const MOST: usize = 1024;

    pub(super) fn contains(&self, id: &str, now: Duration) -> bool {
        let until = self.until.lock().unwrap_or_else(PoisonError::into_inner);
        until.get(&self.hasher.hash_one(id)).is_some_and(|until| now < *until)
    }

    pub(super) fn remember(&self, id: &str, now: Duration, duration: Duration) {
        let mut until = self.until.lock().unwrap_or_else(PoisonError::into_inner);
        if until.len() >= Self::MOST {
            until.retain(|_, until| now < *until);
        }
        // A flood of random identifiers is kept out by the cooldown; remembering all of them would help nobody.
        if until.len() < Self::MOST {
            until.insert(self.hasher.hash_one(id), now.saturating_add(duration));
        }
    }

    pub(super) fn forget(&self) {
        self.until.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_remembered_for_a_while_and_bounded() {
        let (unknown, second) = (UnknownIds::default(), Duration::from_secs(1));
        (0..10_000).for_each(|number| unknown.remember(&format!("{number}"), Duration::ZERO, second));
        assert_eq!(unknown.until.lock().unwrap().len(), UnknownIds::MOST);
        assert!(unknown.contains("0", Duration::ZERO) && !unknown.contains("0", second));
        unknown.remember("new", second, second);
        assert!(unknown.contains("new", second));
        unknown.forget();
        assert!(!unknown.contains("new", second));
    }
}
