//! Defines [`MemoryLimiter`], which stores rate limit buckets in memory.

use std::fmt;
use std::hash::{BuildHasher, Hash, Hasher, RandomState};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use restwright_core::rate_limit::{BucketState, Charge, KeyKind, LimiterStore, Quota, WhenUnavailable};
use restwright_core::report::Report;
use restwright_core::{ApiState, BuildContext, BuildErrors, Clock, Component, ComponentClock, ComponentError};

use super::gcra;
use super::hashed::HashedMap;

/// A store that keeps a bounded number of rate limit buckets in the memory of one process. This is the default store.
///
/// A full bucket equals a new bucket, so full buckets are removed. The first request of a new key triggers the removal,
/// once a minute per shard, or once a second while the store is full. There are at most 200,000 keys (about 8 MB),
/// unless [`max_keys`](Self::max_keys) sets another number. At most half of the keys are
/// [text](super::RateLimitKey::text) keys. Beyond the maximum, new keys share one bucket per limit until buckets are
/// removed. Keys are stored as 63-bit hashes with a random seed.
///
/// ```
/// use restwright_core::Configuration;
/// use restwright_rate_limit::MemoryLimiter;
///
/// let configuration = Configuration::new("shop", "1.0.0").limiter_store(MemoryLimiter::new().max_keys(10_000));
/// ```
pub struct MemoryLimiter {
    shards: Vec<Mutex<Shard>>,
    overflow: Mutex<Buckets>,
    keys: AtomicUsize,
    /// The number of [text](super::RateLimitKey::text) keys in the store. Clients can choose the values of these keys.
    chosen: AtomicUsize,
    /// The number of charges to shared buckets, which are used when the store is full.
    overflows: AtomicU64,
    max_keys: usize,
    seed: RandomState,
    clock: ComponentClock,
}

/// A group of buckets with its own lock, so workers rarely wait for each other.
#[derive(Default)]
struct Shard {
    buckets: Buckets,
    /// The time of the next removal of full buckets, in microseconds.
    next_sweep: u64,
}

/// A map from each bucket to the time at which the bucket is full, in microseconds. A bucket is identified by the hash
/// of its limit and its [`RateLimitKey`](super::RateLimitKey).
type Buckets = HashedMap<u64>;

const SHARDS: usize = 64;

/// The bit that marks the hash of a [text](super::RateLimitKey::text) key, whose value clients can choose. The maps and
/// the choice of a shard do not use this bit.
const CHOSEN: u64 = 1 << 48;

/// The time between two removals of full buckets from a shard, in microseconds.
const SWEEP_INTERVAL: u64 = 60_000_000;

/// The time between two removals of full buckets from a shard while the store is full, in microseconds.
const URGENT_SWEEP_INTERVAL: u64 = 1_000_000;

impl MemoryLimiter {
    /// Creates a store for up to 200,000 keys.
    #[must_use]
    pub fn new() -> Self {
        Self {
            shards: (0..SHARDS).map(|_| Mutex::default()).collect(),
            overflow: Mutex::default(),
            keys: AtomicUsize::new(0),
            chosen: AtomicUsize::new(0),
            overflows: AtomicU64::new(0),
            max_keys: 200_000,
            seed: RandomState::new(),
            clock: ComponentClock::default(),
        }
    }

    /// Sets the maximum number of keys, 200,000 by default. The maximum applies to all limits together.
    ///
    /// At most half of the keys are [text](super::RateLimitKey::text) keys. A client that invents header values
    /// therefore leaves room for addresses and callers.
    #[must_use]
    pub fn max_keys(mut self, keys: usize) -> Self {
        self.max_keys = keys;
        self
    }

    /// Sets the clock that determines when buckets refill. The default is the clock of the Api, or the system clock
    /// without an Api.
    #[must_use]
    pub fn clock(mut self, clock: Clock) -> Self {
        self.clock = clock.into();
        self
    }

    /// Returns the number of keys that the store currently contains.
    #[must_use]
    pub fn keys(&self) -> usize {
        self.keys.load(Ordering::Relaxed)
    }

    fn charge_at(&self, charge: &Charge<'_>, now: u64) -> BucketState {
        let (quota, cost) = (charge.quota(), charge.cost());
        let hash = self.hash(charge);
        let mut shard = self.shard(hash);
        if let Some(full_at) = shard.buckets.get_mut(&hash) {
            return charge_bucket(full_at, quota, cost, now);
        }
        let mut full_at = 0;
        let state = charge_bucket(&mut full_at, quota, cost, now);
        if full_at <= now {
            return state;
        }
        if self.make_room(&mut shard, hash & CHOSEN != 0, now) {
            shard.buckets.insert(hash, full_at);
            return state;
        }
        drop(shard);
        self.overflows.fetch_add(1, Ordering::Relaxed);
        let mut overflow = self.overflow.lock().unwrap_or_else(PoisonError::into_inner);
        charge_bucket(overflow.entry(self.seed.hash_one(charge.limit())).or_default(), quota, cost, now)
    }

    fn hash(&self, charge: &Charge<'_>) -> u64 {
        let mut hasher = self.seed.build_hasher();
        charge.limit().hash(&mut hasher);
        charge.key().hash(&mut hasher);
        let hash = hasher.finish();
        if charge.key().kind() == KeyKind::Text { hash | CHOSEN } else { hash & !CHOSEN }
    }

    /// Reserves room for a new key in the store. Returns `false` if the store is full.
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

    /// Removes the full buckets of a shard, because a full bucket equals a new bucket.
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
        // The map uses the other bits.
        let index = (hash >> 32) as usize % SHARDS;
        self.shards[index].lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Component for MemoryLimiter {
    fn name(&self) -> &str {
        "rate limits in memory"
    }

    fn report(&self, report: &mut Report) {
        report.gauge("rate_limit_keys", "The number of keys with a bucket.", self.keys() as f64);
        report.gauge("rate_limit_keys_max", "The maximum number of keys.", self.max_keys as f64);
        let overflows = self.overflows.load(Ordering::Relaxed);
        report.counter(
            "rate_limit_overflows",
            "Charges to a shared bucket, because the maximum number of keys was reached.",
            overflows,
        );
    }
}

impl LimiterStore for MemoryLimiter {
    async fn charge(&self, charges: &[Charge<'_>]) -> Result<Vec<BucketState>, ComponentError> {
        let now = self.clock.elapsed_micros();
        let mut states = Vec::with_capacity(charges.len());
        for charge in charges {
            let state = self.charge_at(charge, now);
            states.push(state);
            if !state.is_admitted() {
                break;
            }
        }
        Ok(states)
    }

    fn plan(&self, context: &mut BuildContext<'_, ApiState>) -> Result<(), BuildErrors> {
        self.clock.plan(context).map_err(|errors| errors.at(Component::name(self)))
    }

    /// Returns `FailOpen`, because memory is always available. The OpenAPI document then contains no 503 response.
    fn when_unavailable(&self) -> WhenUnavailable {
        WhenUnavailable::FailOpen
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

fn charge_bucket(full_at: &mut u64, quota: Quota, cost: u32, now: u64) -> BucketState {
    let charged = gcra::charge(*full_at, quota, cost, now);
    *full_at = charged.unwrap_or(*full_at);
    let until_full = Duration::from_micros(full_at.saturating_sub(now));
    if charged.is_some() { BucketState::admitted(quota, until_full) } else { BucketState::refused(quota, until_full) }
}

#[cfg(test)]
mod tests;
