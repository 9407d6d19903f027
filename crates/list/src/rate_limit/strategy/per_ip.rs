//! By the client's address.

use super::{Caller, RateLimitStrategy};
use crate::rate_limit::{Quota, RateLimitKey};

/// A bucket for each client address.
pub(crate) struct PerIp(pub(crate) Quota);

impl RateLimitStrategy for PerIp {
    fn key(&self, caller: &Caller<'_>) -> Option<RateLimitKey> {
        Some(caller.address_key())
    }

    fn quota(&self, _: &Caller<'_>) -> Quota {
        self.0
    }

    fn before_authentication(&self) -> bool {
        true
    }
}
