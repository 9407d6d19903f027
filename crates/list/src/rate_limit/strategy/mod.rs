//! What a limit counts by.

mod api_key;
mod by_header;
mod global;
mod per_identity;
mod per_ip;

use std::borrow::Cow;
use std::net::IpAddr;

use restwright_core::auth::Identity;
use restwright_core::http::HttpRequest;

use super::{Quota, RateLimitKey};
use crate::address::{ClientAddress, TrustedProxies};

pub(super) use api_key::ApiKey;
pub(super) use by_header::ByHeader;
pub(super) use global::Global;
pub(super) use per_identity::PerIdentity;
pub(super) use per_ip::PerIp;

/// Says whose bucket a request is charged to, what it costs, and what the bucket holds.
///
/// ```
/// use restwright_list::rate_limit::{Caller, Quota, RateLimit, RateLimitKey, RateLimitStrategy};
///
/// /// Callers who pay get more; whatever they ask for in bulk costs more.
/// struct ByPlan;
///
/// impl RateLimitStrategy for ByPlan {
///     fn key(&self, caller: &Caller<'_>) -> Option<RateLimitKey> {
///         RateLimitKey::identity(&caller.identity()) // guests are not counted
///     }
///
///     fn cost(&self, caller: &Caller<'_>) -> u32 {
///         if caller.request().path().ends_with("/export") { 10 } else { 1 }
///     }
///
///     fn quota(&self, caller: &Caller<'_>) -> Quota {
///         if caller.identity().has_scope("paid") { Quota::per_minute(600) } else { Quota::per_minute(60) }
///     }
/// }
///
/// let limit = RateLimit::custom("by-plan", ByPlan);
/// ```
pub trait RateLimitStrategy: Send + Sync + 'static {
    /// Whose bucket the request is charged to; `None` when this limit does not count it, which is how callers are exempted.
    fn key(&self, caller: &Caller<'_>) -> Option<RateLimitKey>;

    /// How many requests it counts as; 1 unless said otherwise. 0 is admitted always and reports what is left; more than a
    /// full bucket holds is never admitted.
    fn cost(&self, caller: &Caller<'_>) -> u32 {
        let _ = caller;
        1
    }

    /// What the bucket of this request holds.
    fn quota(&self, caller: &Caller<'_>) -> Quota;

    /// Whether the request is charged before credentials are read, so that every caller is a guest; it is charged when the
    /// caller is known and allowed unless said otherwise.
    fn before_authentication(&self) -> bool {
        false
    }
}

/// A request with what is known of its caller.
#[derive(Debug, Clone, Copy)]
pub struct Caller<'r> {
    request: &'r HttpRequest,
    proxies: Option<&'r TrustedProxies>,
}

impl<'r> Caller<'r> {
    pub(super) fn new(request: &'r HttpRequest, proxies: Option<&'r TrustedProxies>) -> Self {
        Self { request, proxies }
    }

    /// The request; its body has not been read.
    #[must_use]
    pub fn request(&self) -> &'r HttpRequest {
        self.request
    }

    /// Who calls; a guest before authentication.
    #[must_use]
    pub fn identity(&self) -> Cow<'r, Identity> {
        self.request.identity()
    }

    /// The client's address, as [`TrustedProxies`] tell it; `None` on a Unix socket.
    #[must_use]
    pub fn address(&self) -> Option<IpAddr> {
        ClientAddress::of(self.request, self.proxies).0
    }

    /// The bucket of the client's address; clients without one share a bucket.
    #[must_use]
    pub fn address_key(&self) -> RateLimitKey {
        self.address().map_or_else(RateLimitKey::whole, RateLimitKey::address)
    }
}
