//! Everybody together.

use super::{Caller, RateLimitStrategy};
use crate::rate_limit::{Quota, RateLimitKey};

/// One bucket.
pub(crate) struct Global(pub(crate) Quota);

impl RateLimitStrategy for Global {
    fn key(&self, _: &Caller<'_>) -> Option<RateLimitKey> {
        Some(RateLimitKey::whole())
    }

    fn quota(&self, _: &Caller<'_>) -> Quota {
        self.0
    }

    fn before_authentication(&self) -> bool {
        true
    }
}
