//! By what a header says.

use restwright_core::http::HeaderName;

use super::{Caller, RateLimitStrategy};
use crate::rate_limit::{Quota, RateLimitKey};

/// A bucket for each value of a header; a request without it is charged to its address.
pub(crate) struct ByHeader {
    pub(crate) header: HeaderName,
    pub(crate) quota: Quota,
}

impl RateLimitStrategy for ByHeader {
    fn key(&self, caller: &Caller<'_>) -> Option<RateLimitKey> {
        let value = caller.request().header_bytes(&self.header).map(String::from_utf8_lossy);
        Some(value.map_or_else(|| caller.address_key(), RateLimitKey::text))
    }

    fn quota(&self, _: &Caller<'_>) -> Quota {
        self.quota
    }

    fn before_authentication(&self) -> bool {
        true
    }
}
