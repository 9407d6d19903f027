//! Tests the store with a real Redis server and with a failing server.

mod cluster;
mod failures;
mod fake;
mod parity;
#[cfg(feature = "tls")]
mod tls;

use super::*;

fn charge(limit: &str, quota: Quota, cost: u32) -> Charge<'_> {
    Charge::new(limit, RateLimitKey::global(), quota, cost)
}
