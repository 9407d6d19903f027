//! Limits whose key and quota are declared.

use std::fmt;

use restwright_core::auth::ApiKeyPlace;
use restwright_core::http::HeaderName;
use restwright_core::rate_limit::{Quota, RateLimitKey};
use restwright_core::{BuildErrors, Configuration};

use super::{LimitedRequest, RateLimitStrategy};

/// The key and the quota of a limit that are known before any request. A strategy of the application decides both for each
/// request.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct LimitSpec {
    pub(super) key: KeySpec,
    pub(super) quota: Quota,
}

/// The key by which requests are counted.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum KeySpec {
    Global,
    Address,
    /// The value of a header; the address without it.
    Header(HeaderName),
    /// The subject of the caller; the address of a guest.
    Identity,
    /// The accepted API key of a scheme; the address without one. The place is known when the Api is built.
    ApiKey(String, Option<ApiKeyPlace>),
}

impl LimitSpec {
    /// Returns the strategy of this limit, with the place of API keys that its scheme describes.
    pub(super) fn resolve(&self, configuration: &Configuration) -> Result<Self, BuildErrors> {
        let KeySpec::ApiKey(scheme, _) = &self.key else { return Ok(self.clone()) };
        let place = match configuration.security_scheme(scheme) {
            Some(described) => ApiKeyPlace::from_scheme(&described).ok_or_else(|| {
                format!("the scheme `{scheme}` has no API keys; use `RateLimit::per_identity` to count by caller")
            }),
            None => Err(format!(
                "the scheme `{scheme}` is not registered; add `.authenticator(\"{scheme}\", ..)` to the configuration"
            )),
        };
        let place = place.map_err(BuildErrors::one)?;
        Ok(Self { key: KeySpec::ApiKey(scheme.clone(), Some(place)), quota: self.quota })
    }
}

impl RateLimitStrategy for LimitSpec {
    fn key(&self, caller: &LimitedRequest<'_>) -> Option<RateLimitKey> {
        let key = match &self.key {
            KeySpec::Global => Some(RateLimitKey::global()),
            KeySpec::Address => None,
            KeySpec::Header(name) => {
                caller.request().header_bytes(name).map(|value| RateLimitKey::text(String::from_utf8_lossy(value)))
            }
            KeySpec::Identity => RateLimitKey::identity(&caller.identity()),
            KeySpec::ApiKey(scheme, place) => {
                // If another scheme admitted the caller, the key was not checked: each made-up one would have a full bucket.
                let accepted = caller.identity().of_scheme(scheme).is_some();
                let place = place.as_ref().filter(|_| accepted);
                place.and_then(|place| place.read(caller.request()).ok()?).map(RateLimitKey::credential)
            }
        };
        Some(key.unwrap_or_else(|| caller.address_key()))
    }

    fn quota(&self, _: &LimitedRequest<'_>) -> Quota {
        self.quota
    }

    fn before_authentication(&self) -> bool {
        matches!(self.key, KeySpec::Global | KeySpec::Address | KeySpec::Header(_))
    }
}

impl fmt::Display for LimitSpec {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { key, quota } = self;
        write!(formatter, "{} requests ", quota.limit())?;
        match key {
            KeySpec::Global => formatter.write_str("together"),
            KeySpec::Address => formatter.write_str("by address"),
            KeySpec::Header(name) => write!(formatter, "by the header `{name}`"),
            KeySpec::Identity => formatter.write_str("by identity"),
            KeySpec::ApiKey(scheme, _) => write!(formatter, "by key of `{scheme}`"),
        }?;
        write!(formatter, ", one more every {:?},", quota.interval())
    }
}
