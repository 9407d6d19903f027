//! Limits on a cluster of six processes, which these tests start.

mod failover;
mod processes;
mod verdicts;

use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

use restwright::core::Component;
use restwright::core::rate_limit::{BucketState, Charge, LimiterStore};
use restwright::core::report::{Report, SampleValue};
use restwright_rate_limit::{Quota, RateLimitKey, RedisLimiter, WhenUnavailable};

use processes::Processes;

/// A store that knows one node.
fn store(cluster: &Processes, seed: usize) -> RedisLimiter {
    RedisLimiter::cluster([&cluster.urls()[seed]], WhenUnavailable::FailClosed).prefix("test")
}

fn address(number: u32) -> RateLimitKey {
    RateLimitKey::address(IpAddr::V4(Ipv4Addr::from_bits(number)))
}

/// Returns what the bucket of an address holds, without charging it.
async fn remaining(store: &impl LimiterStore, limit: &str, number: u32, quota: Quota) -> u32 {
    store.charge(&[Charge::new(limit, address(number), quota, 0)]).await.unwrap()[0].remaining()
}

/// What can be compared of a state between clocks, for a quota that refills slowly.
fn verdict(state: &BucketState) -> (bool, u32, u32) {
    (state.is_admitted(), state.limit(), state.remaining())
}

/// Returns the values that the store measures.
fn report(store: &RedisLimiter) -> Vec<(&'static str, f64)> {
    let mut report = Report::default();
    store.report(&mut report);
    let value = |value| match value {
        SampleValue::Gauge(value) => value,
        SampleValue::Counter(count) => count as f64,
        other => panic!("{other:?}"),
    };
    report.samples().iter().map(|sample| (sample.name(), value(sample.value()))).collect()
}

fn patient(store: RedisLimiter) -> RedisLimiter {
    store.timeout(Duration::from_secs(10))
}
