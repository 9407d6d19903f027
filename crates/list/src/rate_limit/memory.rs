//! Buckets in memory.

use std::collections::HashMap;
use std::fmt;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher, Hash, Hasher, RandomState};
use std::net::IpAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use restwright_core::Clock;

use super::Quota;
use super::bucket_state::BucketState;
use super::gcra;
use super::key::{RateLimitKey, Repr};

/// Buckets in the memory of one process, bounded in number; the store unless the [`Configuration`] says otherwise.
///
/// A bucket that is full again is forgotten, at most once a minute and as requests come. There are at most 200,000 keys at
/// once, about 8 MB, unless [`max_keys`](Self::max_keys) says otherwise, and half as many of [text](RateLimitKey::text); beyond
/// that, new keys share one bucket for each limit until others are forgotten. Keys are told apart by 63 bits of a hash that nobody outside
/// can compute.
/// ```
/// use restwright_core::Configuration;
/// use restwright_list::rate_limit::{MemoryLimiter, LimiterStore};
///
/// let store = MemoryLimiter::new().max_keys(10_000);
/// let configuration = Configuration::new("shop", "1.0.0").with(LimiterStore::from(store));
/// ```
///
/// [`Configuration`]: restwright_core::Configuration
pub struct MemoryLimiter {
    shards: Vec<Mutex<Shard>>,
    overflow: Mutex<Buckets>,
    keys: AtomicUsize,
    /// How many of them are texts, which clients may choose.
    chosen: AtomicUsize,
    max_keys: usize,
    seed: RandomState,
    clock: Clock,
}

/// Stands for the name of a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LimitId(u64);

impl LimitId {
    pub(super) fn new(name: &str) -> Self {
        let mut hasher = DefaultHasher::new();
        name.hash(&mut hasher);
        Self(hasher.finish())
    }
}

/// Each lock covers a part of the buckets, so that workers rarely wait for each other.
#[derive(Default)]
struct Shard {
    buckets: Buckets,
    /// When it may be swept again.
    next_sweep: u64,
}

/// When each bucket is full, by the hash of its limit and key.
type Buckets = HashMap<u64, u64, BuildHasherDefault<Hashed>>;

const SHARDS: usize = 64;

/// Marks the hash of a key that a client may choose, in a bit by which neither a map nor the choice of a shard goes.
const CHOSEN: u64 = 1 << 48;

/// A bucket is looked at for forgetting at most once in so many microseconds ..
const SWEEP_INTERVAL: u64 = 60_000_000;

/// .. and in so many when there is no room for a new key.
const URGENT_SWEEP_INTERVAL: u64 = 1_000_000;

impl MemoryLimiter {
    /// A store for 200,000 keys, by the system's clock.
    #[must_use]
    pub fn new() -> Self {
        Self {
            shards: (0..SHARDS).map(|_| Mutex::default()).collect(),
            overflow: Mutex::default(),
            keys: AtomicUsize::new(0),
            chosen: AtomicUsize::new(0),
            max_keys: 200_000,
            seed: RandomState::new(),
            clock: Clock::system(),
        }
    }

    /// Sets how many keys there are at most, in all limits together.
    ///
    /// Keys of [text](RateLimitKey::text) are at most half of them. Clients may choose what stands in a header, and one that makes
    /// up values without end takes no place from addresses and callers.
    #[must_use]
    pub fn max_keys(mut self, keys: usize) -> Self {
        self.max_keys = keys;
        self
    }

    /// Goes by another clock.
    #[must_use]
    pub fn clock(mut self, clock: Clock) -> Self {
        self.clock = clock;
        self
    }

    /// How many keys there are now.
    #[must_use]
    pub fn keys(&self) -> usize {
        self.keys.load(Ordering::Relaxed)
    }

    pub(super) fn now(&self) -> u64 {
        self.clock.elapsed_micros()
    }

    pub(super) fn charge(&self, limit: LimitId, key: &RateLimitKey, quota: Quota, cost: u32, now: u64) -> BucketState {
        let hash = self.hash(limit, key);
        let mut shard = self.shard(hash);
        if let Some(full_at) = shard.buckets.get_mut(&hash) {
            return charge(full_at, quota, cost, now);
        }
        let mut full_at = 0;
        let standing = charge(&mut full_at, quota, cost, now);
        if full_at <= now {
            return standing;
        }
        if self.make_room(&mut shard, hash & CHOSEN != 0, now) {
            shard.buckets.insert(hash, full_at);
            return standing;
        }
        drop(shard);
        let mut overflow = self.overflow.lock().unwrap_or_else(PoisonError::into_inner);
        charge(overflow.entry(limit.0).or_default(), quota, cost, now)
    }

    /// By few bytes, since this is most of the work.
    fn hash(&self, limit: LimitId, key: &RateLimitKey) -> u64 {
        let mut hasher = self.seed.build_hasher();
        hasher.write_u64(limit.0);
        match &key.0 {
            Repr::Whole => hasher.write_u64(0),
            Repr::Address(IpAddr::V4(address)) => hasher.write_u64(1 << 32 | u64::from(address.to_bits())),
            Repr::Address(IpAddr::V6(address)) => hasher.write_u128(address.to_bits()),
            Repr::Caller(text) | Repr::Text(text) => text.hash(&mut hasher),
        }
        let hash = hasher.finish();
        if matches!(key.0, Repr::Text(_)) { hash | CHOSEN } else { hash & !CHOSEN }
    }

    /// Takes a place among the keys, if there is one.
    fn make_room(&self, shard: &mut Shard, chosen: bool, now: u64) -> bool {
        if now >= shard.next_sweep {
            self.sweep(shard, now);
        }
        if self.take_place(chosen) {
            return true;
        }
        if now + SWEEP_INTERVAL < shard.next_sweep + URGENT_SWEEP_INTERVAL {
            return false;
        }
        self.sweep(shard, now);
        self.take_place(chosen)
    }

    fn take_place(&self, chosen: bool) -> bool {
        let take = |places: &AtomicUsize, most| {
            let taken = |keys| (keys < most).then_some(keys + 1);
            places.fetch_update(Ordering::Relaxed, Ordering::Relaxed, taken).is_ok()
        };
        if chosen && !take(&self.chosen, self.max_keys / 2) {
            return false;
        }
        let taken = take(&self.keys, self.max_keys);
        if chosen && !taken {
            self.chosen.fetch_sub(1, Ordering::Relaxed);
        }
        taken
    }

    /// Forgets the buckets that are full again, which are like new ones.
    fn sweep(&self, shard: &mut Shard, now: u64) {
        shard.next_sweep = now + SWEEP_INTERVAL;
        let (before, mut chosen) = (shard.buckets.len(), 0);
        shard.buckets.retain(|hash, full_at| {
            let keeps = *full_at > now;
            chosen += usize::from(!keeps && hash & CHOSEN != 0);
            keeps
        });
        let left = shard.buckets.len();
        if shard.buckets.capacity() > 4 * left {
            shard.buckets.shrink_to(2 * left);
        }
        self.keys.fetch_sub(before - left, Ordering::Relaxed);
        self.chosen.fetch_sub(chosen, Ordering::Relaxed);
    }

    #[expect(clippy::indexing_slicing, reason = "the remainder is smaller than the length")]
    fn shard(&self, hash: u64) -> MutexGuard<'_, Shard> {
        // The map goes by the other bits.
        let index = (hash >> 32) as usize % SHARDS;
        self.shards[index].lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for MemoryLimiter {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for MemoryLimiter {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("MemoryLimiter").field("keys", &self.keys()).field("max_keys", &self.max_keys).finish()
    }
}

/// Charges one bucket.
fn charge(full_at: &mut u64, quota: Quota, cost: u32, now: u64) -> BucketState {
    let charged = gcra::charge(*full_at, quota, cost, now);
    *full_at = charged.unwrap_or(*full_at);
    BucketState::new(quota, full_at.saturating_sub(now), charged.is_some())
}

/// Takes a hash as it is.
#[derive(Default)]
struct Hashed(u64);

impl Hasher for Hashed {
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

#[cfg(test)]
mod tests;
