//! Defines [`TokenCache`], a cache of verified tokens.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use restwright_core::auth::Identity;
use sha2::{Digest, Sha256};

use super::issuer::VerifiedToken;

/// A bounded cache of verified tokens. Its keys are the SHA-256 hashes of the tokens. Tokens leave the cache when they
/// expire or a key set changes.
///
/// Each shard has two generations. When the young generation is full, it replaces the old one, whose tokens are
/// dropped. Eviction is therefore cheap. A token that is read from the old generation moves to the young one, so tokens
/// in use stay.
pub(super) struct TokenCache {
    shards: Vec<Mutex<CacheShard>>,
    /// The maximum number of tokens in each generation (`young` and `old`) of a shard.
    generation: usize,
}

#[derive(Default)]
struct CacheShard {
    young: HashMap<TokenDigest, VerifiedToken>,
    old: HashMap<TokenDigest, VerifiedToken>,
}

pub(super) type TokenDigest = [u8; 32];

impl TokenCache {
    const MOST_SHARDS: usize = 16;
    /// The minimum number of tokens per shard. Hashes fill smaller shards too unevenly.
    const SMALLEST_SHARD: usize = 64;

    /// Creates a cache for up to `capacity` tokens. Returns `None` if `capacity` is less than 2, because each
    /// generation must hold at least one token.
    pub(super) fn new(capacity: usize) -> Option<Self> {
        let shards = (capacity / Self::SMALLEST_SHARD).clamp(1, Self::MOST_SHARDS);
        let generation = capacity / shards / 2;
        (generation > 0).then(|| Self { shards: (0..shards).map(|_| Mutex::default()).collect(), generation })
    }

    pub(super) fn digest(token: &str) -> TokenDigest {
        Sha256::digest(token).into()
    }

    /// Returns the identity that is cached for a token. The token must have been verified with the issuer's current key
    /// set, whose number `current_set` returns.
    pub(super) fn get(
        &self,
        digest: &TokenDigest,
        now: i64,
        current_set: impl Fn(usize) -> Option<u64>,
    ) -> Option<Identity> {
        let mut shard = self.shard(digest)?.lock().unwrap_or_else(PoisonError::into_inner);
        if !shard.young.contains_key(digest) {
            let found = shard.old.remove(digest)?;
            shard.insert(*digest, found, self.generation);
        }
        let found = shard.young.get(digest)?;
        let current = current_set(found.issuer)?;
        if found.set == current && now < found.expires {
            return Some(found.identity.clone());
        }
        let outdated = found.set != current;
        shard.young.remove(digest);
        drop(shard);
        if outdated {
            self.clear();
        }
        None
    }

    /// Adds a verified token to the cache. A token that is valid only because of the leeway is not added, because `get`
    /// would reject it.
    pub(super) fn insert(&self, digest: TokenDigest, verified: VerifiedToken, now: i64) {
        if now >= verified.expires {
            return;
        }
        if let Some(shard) = self.shard(&digest) {
            shard.lock().unwrap_or_else(PoisonError::into_inner).insert(digest, verified, self.generation);
        }
    }

    fn clear(&self) {
        for shard in &self.shards {
            *shard.lock().unwrap_or_else(PoisonError::into_inner) = CacheShard::default();
        }
    }

    fn shard(&self, digest: &TokenDigest) -> Option<&Mutex<CacheShard>> {
        self.shards.get(usize::from(*digest.first()?) % self.shards.len())
    }
}

impl CacheShard {
    fn insert(&mut self, digest: TokenDigest, verified: VerifiedToken, generation: usize) {
        if self.young.len() >= generation {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(digest, verified);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verified(set: u64, expires: i64) -> VerifiedToken {
        VerifiedToken { identity: Identity::builder("ann").build(), issuer: 0, set, expires }
    }

    #[test]
    fn tokens_are_kept_until_they_expire_or_keys_change() {
        let cache = TokenCache::new(1000).unwrap();
        let (one, two) = (TokenCache::digest("one"), TokenCache::digest("two"));
        cache.insert(one, verified(1, 100), 99);
        cache.insert(two, verified(1, 200), 99);
        assert!(cache.get(&one, 99, |_| Some(1)).is_some());
        assert!(cache.get(&one, 100, |_| Some(1)).is_none());
        assert!(cache.get(&two, 99, |_| None).is_none());
        assert!(cache.get(&two, 99, |_| Some(2)).is_none());
        assert!(cache.get(&two, 99, |_| Some(1)).is_none(), "the cache was not dropped");
    }

    #[test]
    fn a_token_that_only_the_leeway_accepts_evicts_no_other() {
        let cache = TokenCache::new(2).unwrap();
        let good = TokenCache::digest("good");
        cache.insert(good, verified(1, 200), 100);
        for number in 0..1000 {
            cache.insert(TokenCache::digest(&format!("{number}")), verified(1, 100), 100);
        }
        assert!(cache.get(&good, 100, |_| Some(1)).is_some());
    }

    #[test]
    fn the_cache_is_bounded_and_keeps_what_is_used() {
        for capacity in [2, 3, 31, 32, 100, 320, 1000] {
            let cache = TokenCache::new(capacity).unwrap();
            let used = TokenCache::digest("used");
            cache.insert(used, verified(1, 100), 0);
            for number in 0..10_000 {
                cache.insert(TokenCache::digest(&format!("{number}")), verified(1, 100), 0);
                assert!(cache.get(&used, 0, |_| Some(1)).is_some(), "{number}");
            }
            let shards = cache.shards.iter().map(|shard| shard.lock().unwrap());
            let held: usize = shards.map(|shard| shard.young.len() + shard.old.len()).sum();
            assert!(held <= capacity && held * 3 >= capacity, "{held} of {capacity}");
        }
        assert!(TokenCache::new(0).is_none() && TokenCache::new(1).is_none());
    }
}
