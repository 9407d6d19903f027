//! Tests the limit on the number of buckets, and the removal of full buckets.

use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

use restwright_core::auth::Identity;
use restwright_core::report::SampleValue;

use super::*;
use crate::RateLimitKey;

impl MemoryLimiter {
    /// Charges one bucket at the current time of the clock.
    fn charge_one(&self, limit: &str, key: &RateLimitKey, quota: Quota, cost: u32) -> BucketState {
        self.charge_at(&Charge::new(limit, key.clone(), quota, cost), self.clock.elapsed_micros())
    }
}

fn store(max_keys: usize) -> (MemoryLimiter, Clock) {
    let clock = Clock::manual(0);
    (MemoryLimiter::new().max_keys(max_keys).clock(clock.clone()), clock)
}

fn address(number: u32) -> RateLimitKey {
    RateLimitKey::address(IpAddr::V4(Ipv4Addr::from_bits(number)))
}

/// Charges one request from each address, and returns the number of admitted requests.
fn admitted(store: &MemoryLimiter, addresses: impl Iterator<Item = u32>, quota: Quota) -> usize {
    addresses.filter(|number| store.charge_one("limit", &address(*number), quota, 1).is_admitted()).count()
}

#[test]
fn keys_have_buckets_of_their_own() {
    let (store, _) = store(100);
    let quota = Quota::per_minute(2);
    assert_eq!(admitted(&store, [1, 1, 1, 2, 2, 2].into_iter(), quota), 4);
    assert!(store.charge_one("other", &address(1), quota, 1).is_admitted());
    assert_eq!(store.keys(), 3);
}

#[test]
fn beyond_the_cap_new_keys_share_a_bucket() {
    let (store, _) = store(1000);
    let quota = Quota::per_minute(10);
    assert_eq!(admitted(&store, 0..100_000, quota), 1010);
    assert_eq!(store.keys(), 1000);
    assert!(store.shards.iter().map(|shard| shard.lock().unwrap().buckets.len()).sum::<usize>() == 1000);
    assert_eq!(store.overflow.lock().unwrap().len(), 1);
    let mut report = Report::default();
    store.report(&mut report);
    let values: Vec<_> = report.samples().iter().map(|sample| (sample.name(), sample.value())).collect();
    let expected = [
        ("rate_limit_keys", SampleValue::Gauge(1000.0)),
        ("rate_limit_keys_max", SampleValue::Gauge(1000.0)),
        ("rate_limit_overflows", SampleValue::Counter(99_000)),
    ];
    assert_eq!(values, expected);
    assert!(store.charge_one("limit", &address(7), quota, 1).is_admitted(), "a known key keeps its bucket");
}

#[test]
fn a_flood_does_not_grow_memory() {
    let (store, clock) = store(1000);
    let quota = Quota::per_second(10);
    for second in 0..200 {
        admitted(&store, (0..5000).map(|number| second * 5000 + number), quota);
        clock.advance(Duration::from_secs(1));
    }
    let capacity: usize = store.shards.iter().map(|shard| shard.lock().unwrap().buckets.capacity()).sum();
    assert!(store.keys() <= 1000 && capacity <= 64 * 56, "{} keys, room for {capacity}", store.keys());
}

#[test]
fn full_buckets_are_forgotten() {
    let (store, clock) = store(100_000);
    let quota = Quota::per_second(1);
    admitted(&store, 0..50_000, quota);
    assert_eq!(store.keys(), 50_000);
    clock.advance(Duration::from_secs(61));
    // A shard is swept when its next new key arrives.
    admitted(&store, 100_000..102_000, quota);
    assert_eq!(store.keys(), 2000);
}

#[test]
fn a_full_store_makes_room_within_a_second() {
    let (store, clock) = store(1000);
    let quota = Quota::per_second(1);
    admitted(&store, 0..1000, quota);
    clock.advance(Duration::from_millis(500));
    assert_eq!(admitted(&store, 1000..2000, quota), 1, "one bucket for all");
    clock.advance(Duration::from_millis(1500));
    assert!(admitted(&store, 2000..3000, quota) > 500);
}

#[test]
fn what_costs_nothing_takes_no_place() {
    let (store, _) = store(10);
    let state = store.charge_one("limit", &address(1), Quota::per_minute(5), 0);
    assert_eq!((state.remaining(), store.keys()), (5, 0));
    store.charge_one("limit", &address(1), Quota::per_minute(5), 6);
    assert_eq!(store.keys(), 0);
}

#[test]
fn texts_take_at_most_half_of_the_places() {
    let (store, clock) = store(1000);
    let quota = Quota::per_second(1);
    let text =
        |number: u32| store.charge_one("tenants", &RateLimitKey::text(number.to_string()), quota, 1).is_admitted();
    let flood = |from: u32| (from..from + 5000).filter(|number| text(*number)).count();
    assert_eq!(flood(0), 501);
    assert_eq!(store.keys(), 500);
    assert_eq!(admitted(&store, 0..500, quota), 500, "addresses have separate buckets");
    let ann = RateLimitKey::identity(&Identity::builder("ann").build()).unwrap();
    clock.advance(Duration::from_secs(61));
    assert!(flood(10_000) >= 400, "their places are free again");
    for caller in [ann, RateLimitKey::credential("id.secret")] {
        assert!(store.charge_one("callers", &caller, quota, 1).is_admitted());
        assert!(!store.charge_one("callers", &caller, quota, 1).is_admitted(), "a separate bucket");
    }
}
