//! Defines [`KeySpec`], the built-in keys by which limits count requests, such as the client address.

use std::fmt;

use restwright_core::http::HeaderName;
use restwright_core::rate_limit::RateLimitKey;
use restwright_core::runtime::ApiKeyParameter;
use restwright_core::{BuildErrors, Configuration};

use crate::strategy::LimitedRequest;

/// A built-in key by which a limit counts requests.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum KeySpec {
    Global,
    Address,
    /// The value of a header. If the header is missing, the key is the client address.
    Header(HeaderName),
    /// The subject of the caller. For a guest, the key is the client address.
    Identity,
    /// The API key that the authenticator with this name accepted. If the request has no accepted key, the key is the
    /// client address. Building the Api sets the request parameter that contains the API key.
    ApiKey(String, Option<ApiKeyParameter>),
}

impl KeySpec {
    /// Creates a key that is the value of the header `name`. Returns the reason if the name is invalid.
    pub(super) fn header(name: &str) -> Result<Self, String> {
        match HeaderName::from_bytes(name.as_bytes()) {
            Ok(header) => Ok(Self::Header(header)),
            Err(_) => Err(format!("`{name}` cannot be the name of a header")),
        }
    }

    /// Adds the request parameter that contains the API key, if the limit counts requests per API key. Other keys are
    /// returned unchanged. The parameter comes from the security scheme of the authenticator.
    pub(super) fn resolve(&self, configuration: &Configuration) -> Result<Self, BuildErrors> {
        let Self::ApiKey(scheme, _) = self else { return Ok(self.clone()) };
        let place = match configuration.security_scheme(scheme) {
            Some(described) => ApiKeyParameter::from_scheme(&described).ok_or_else(|| {
                format!("the scheme `{scheme}` does not use API keys; use `per_identity` to count by caller")
            }),
            None => Err(format!(
                "the scheme `{scheme}` is not registered; add `.authenticator(\"{scheme}\", ..)` to the configuration"
            )),
        };
        Ok(Self::ApiKey(scheme.clone(), Some(place.map_err(BuildErrors::one)?)))
    }

    /// Returns the key by which the limit counts a request.
    pub(super) fn read(&self, caller: &LimitedRequest<'_>) -> RateLimitKey {
        let key = match self {
            Self::Global => Some(RateLimitKey::global()),
            Self::Address => None,
            Self::Header(name) => {
                caller.request().header_bytes(name).map(|value| RateLimitKey::text(String::from_utf8_lossy(value)))
            }
            Self::Identity => RateLimitKey::identity(&caller.identity()),
            Self::ApiKey(scheme, place) => {
                // If another scheme accepted the caller, the key is unchecked. A client could then invent keys, and
                // each would have a full bucket.
                let accepted = caller.identity().of_scheme(scheme).is_some();
                let place = place.as_ref().filter(|_| accepted);
                place.and_then(|place| place.read(caller.request()).ok()?).map(RateLimitKey::credential)
            }
        };
        key.unwrap_or_else(|| caller.address_key())
    }

    /// Returns whether the key can be read before authentication.
    pub(super) fn before_authentication(&self) -> bool {
        matches!(self, Self::Global | Self::Address | Self::Header(_))
    }
}

impl fmt::Display for KeySpec {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Global => formatter.write_str("together"),
            Self::Address => formatter.write_str("by address"),
            Self::Header(name) => write!(formatter, "by the header `{name}`"),
            Self::Identity => formatter.write_str("by identity"),
            Self::ApiKey(scheme, _) => write!(formatter, "by key of `{scheme}`"),
        }
    }
}
