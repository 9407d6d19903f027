//! By who calls.

use super::{Caller, RateLimitStrategy};
use crate::rate_limit::{Quota, RateLimitKey};

/// A bucket for each subject of each issuer; a guest is charged to the address.
pub(crate) struct PerIdentity(pub(crate) Quota);

impl RateLimitStrategy for PerIdentity {
    fn key(&self, caller: &Caller<'_>) -> Option<RateLimitKey> {
        let identity = caller.identity();
        let Some(subject) = identity.subject() else { return Some(caller.address_key()) };
        let issuer = identity.issuer().unwrap_or_default();
        // With the length in front, two pairs are never one text.
        Some(RateLimitKey::text(format!("{}:{issuer}{subject}", issuer.len())))
    }

    fn quota(&self, _: &Caller<'_>) -> Quota {
        self.0
    }
}
