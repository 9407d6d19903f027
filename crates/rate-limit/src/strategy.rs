//! Defines [`RateLimitStrategy`], the trait for rate limits with custom keys, costs or quotas.

use std::borrow::Cow;
use std::net::IpAddr;

use restwright_core::auth::Identity;
use restwright_core::client_address::{ClientAddress, TrustedProxies};
use restwright_core::http::HttpRequest;
use restwright_core::rate_limit::{Quota, RateLimitKey};
use restwright_core::runtime::Ipv6Prefix;

/// A strategy for custom rate limits, which selects the bucket, the cost and the quota of each request.
///
/// ```
/// use restwright_rate_limit::{LimitedRequest, Quota, RateLimit, RateLimitKey, RateLimitStrategy};
///
/// /// Callers who pay get more, and exports cost more.
/// struct ByPlan;
///
/// impl RateLimitStrategy for ByPlan {
///     fn key(&self, caller: &LimitedRequest<'_>) -> Option<RateLimitKey> {
///         RateLimitKey::identity(&caller.identity()) // guests are not counted
///     }
///
///     fn cost(&self, caller: &LimitedRequest<'_>) -> u32 {
///         if caller.request().path().ends_with("/export") { 10 } else { 1 }
///     }
///
///     fn quota(&self, caller: &LimitedRequest<'_>) -> Quota {
///         if caller.identity().has_scope("paid") { Quota::per_minute(600) } else { Quota::per_minute(60) }
///     }
/// }
///
/// let limit = RateLimit::custom("by-plan", ByPlan);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a rate limit strategy",
    note = "implement `RateLimitStrategy` for it"
)]
pub trait RateLimitStrategy: Send + Sync + 'static {
    /// Returns the key of the bucket for a request, or `None` if this limit does not count the request.
    fn key(&self, caller: &LimitedRequest<'_>) -> Option<RateLimitKey>;

    /// Returns the cost of a request, 1 by default.
    ///
    /// A cost of 0 is always admitted and reports the remaining requests. A cost above the size of a full bucket is
    /// never admitted.
    fn cost(&self, caller: &LimitedRequest<'_>) -> u32 {
        let _ = caller;
        1
    }

    /// Returns the quota of the bucket for a request.
    fn quota(&self, caller: &LimitedRequest<'_>) -> Quota;

    /// Returns `true` if the limit counts requests before authentication, when every caller is still a guest. By
    /// default, requests are counted after authorisation.
    fn before_authentication(&self) -> bool {
        false
    }
}

/// The request and its caller, which a [`RateLimitStrategy`] receives as input.
#[derive(Debug, Clone, Copy)]
pub struct LimitedRequest<'r> {
    request: &'r HttpRequest,
    proxies: Option<&'r TrustedProxies>,
    ipv6_prefix: Ipv6Prefix,
}

impl<'r> LimitedRequest<'r> {
    pub(super) fn new(request: &'r HttpRequest, proxies: Option<&'r TrustedProxies>, ipv6_prefix: Ipv6Prefix) -> Self {
        Self { request, proxies, ipv6_prefix }
    }

    /// Returns the request to count. Its body has not been read.
    #[must_use]
    pub fn request(&self) -> &'r HttpRequest {
        self.request
    }

    /// Returns the identity of the caller. Before authentication, it is a guest.
    #[must_use]
    pub fn identity(&self) -> Cow<'r, Identity> {
        self.request.identity()
    }

    /// Returns the [address](ClientAddress) of the client, or `None` on a Unix socket.
    #[must_use]
    pub fn address(&self) -> Option<IpAddr> {
        ClientAddress::from_request(self.request, self.proxies).0
    }

    /// Returns the rate limit key for the client's address. IPv6 addresses are reduced to the network that
    /// [`ipv6_prefix`](restwright_core::Configuration::ipv6_prefix) sets. All clients without an address share one key.
    #[must_use]
    pub fn address_key(&self) -> RateLimitKey {
        let key = |address| RateLimitKey::network(address, self.ipv6_prefix.bits());
        self.address().map_or_else(RateLimitKey::global, key)
    }
}
