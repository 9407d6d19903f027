//! By who calls.

use super::{Caller, RateLimitStrategy};
use crate::rate_limit::{Quota, RateLimitKey};

/// A bucket for each subject of each issuer, or scheme without one; a guest is charged to the address.
pub(crate) struct PerIdentity(pub(crate) Quota);

impl RateLimitStrategy for PerIdentity {
    fn key(&self, caller: &Caller<'_>) -> Option<RateLimitKey> {
        Some(RateLimitKey::identity(&caller.identity()).unwrap_or_else(|| caller.address_key()))
    }

    fn quota(&self, _: &Caller<'_>) -> Quota {
        self.0
    }
}
