//! By the API key that was accepted.

use restwright_core::http::{HeaderName, Query};
use restwright_core::operation::{ApiKeyLocation, SecurityScheme};
use restwright_core::{BuildErrors, Configuration};

use super::{Caller, RateLimitStrategy};
use crate::rate_limit::{Quota, RateLimitKey};

/// A bucket for each API key, read where its scheme says; a request that its key did not let in is charged to its address.
pub(crate) struct ApiKey {
    scheme: String,
    place: Place,
    quota: Quota,
}

enum Place {
    Header(HeaderName),
    Query(String),
    Cookie(String),
}

impl ApiKey {
    /// Finds out where the keys of the scheme travel.
    pub(crate) fn new(scheme: &str, quota: Quota, configuration: &Configuration) -> Result<Self, BuildErrors> {
        match configuration.security_scheme(scheme) {
            Some(SecurityScheme::ApiKey { location, name, .. }) => match Place::new(location, name) {
                Some(place) => Ok(Self { scheme: scheme.to_owned(), place, quota }),
                None => Err(BuildErrors::one(format!("no API key can travel where the scheme `{scheme}` says"))),
            },
            Some(_) => Err(BuildErrors::one(format!(
                "the scheme `{scheme}` has no API keys; `RateLimit::per_identity` counts by who calls"
            ))),
            None => Err(BuildErrors::one(format!(
                "the scheme `{scheme}` is not registered; add `.authenticator(\"{scheme}\", ..)` to the configuration"
            ))),
        }
    }

    fn read(&self, caller: &Caller<'_>) -> Option<String> {
        let request = caller.request();
        match &self.place {
            Place::Header(name) => request.header(name).map(str::to_owned),
            Place::Query(name) => {
                let query = Query::parse(request.query()).ok()?;
                let mut values = query.values(name);
                values.next().map(|value| value.clone().into_owned())
            }
            Place::Cookie(name) => request.cookie(name).map(str::to_owned),
        }
    }
}

impl Place {
    fn new(location: ApiKeyLocation, name: String) -> Option<Self> {
        match location {
            ApiKeyLocation::Header => HeaderName::from_bytes(name.as_bytes()).ok().map(Self::Header),
            ApiKeyLocation::Query => Some(Self::Query(name)),
            ApiKeyLocation::Cookie => Some(Self::Cookie(name)),
        }
    }
}

impl RateLimitStrategy for ApiKey {
    fn key(&self, caller: &Caller<'_>) -> Option<RateLimitKey> {
        // Where another scheme lets the caller in, nobody has looked at the key: each made-up one would have a full bucket.
        let accepted = caller.identity().of_scheme(&self.scheme).is_some();
        let key = if accepted { self.read(caller) } else { None };
        Some(key.map_or_else(|| caller.address_key(), RateLimitKey::credential))
    }

    fn quota(&self, _: &Caller<'_>) -> Quota {
        self.quota
    }
}
