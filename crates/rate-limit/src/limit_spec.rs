//! Defines [`LimitSpec`], the settings of a rate limit with a fixed key and quota.

use std::fmt;

use restwright_core::rate_limit::{Quota, RateLimitKey};
use restwright_core::{BuildErrors, Configuration};

use crate::key_spec::KeySpec;
use crate::strategy::{LimitedRequest, RateLimitStrategy};

/// The key and quota of a rate limit, which are the same for all requests. A custom strategy chooses both for each
/// request instead.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct LimitSpec {
    pub(super) key: KeySpec,
    pub(super) quota: Quota,
}

impl LimitSpec {
    /// Adds the request parameter that contains the API key, if the limit counts requests per API key. Other settings
    /// are returned unchanged. The parameter comes from the configuration.
    pub(super) fn resolve(&self, configuration: &Configuration) -> Result<Self, BuildErrors> {
        Ok(Self { key: self.key.resolve(configuration)?, quota: self.quota })
    }
}

impl RateLimitStrategy for LimitSpec {
    fn key(&self, caller: &LimitedRequest<'_>) -> Option<RateLimitKey> {
        Some(self.key.read(caller))
    }

    fn quota(&self, _: &LimitedRequest<'_>) -> Quota {
        self.quota
    }

    fn before_authentication(&self) -> bool {
        self.key.before_authentication()
    }
}

impl fmt::Display for LimitSpec {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { key, quota } = self;
        write!(formatter, "{} requests {key}, one more every {:?},", quota.limit(), quota.interval())
    }
}
