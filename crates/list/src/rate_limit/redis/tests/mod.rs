//! The store by itself, on a real server and on one that fails.

mod failures;
mod fake;
mod parity;
#[cfg(feature = "redis-tls")]
mod tls;

use super::*;
use crate::rate_limit::planned::{Charge, PlannedLimit};
use crate::rate_limit::strategy::Global;
use crate::rate_limit::{Quota, RateLimitKey};
use restwright_core::Stage;
use std::sync::Arc;

use crate::rate_limit::memory::LimitId;

fn limit(name: &str, quota: Quota) -> PlannedLimit {
    PlannedLimit::new(name.into(), LimitId::new(name), Stage::AddressLimit, Arc::new(Global(quota)))
}

fn charge(limit: &PlannedLimit, quota: Quota, cost: u32) -> Charge<'_> {
    Charge { limit, key: RateLimitKey::whole(), cost, quota }
}
