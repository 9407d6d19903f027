//! Limits the rate of requests to the health checks.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use restwright_runtime::core::client_address::{ClientAddress, TrustedProxies};
use restwright_runtime::core::http::{HttpRequest, HttpResponse};
use restwright_runtime::core::problem::catalogue;
use restwright_runtime::core::rate_limit::RateLimitKey;
use restwright_runtime::core::runtime::Ipv6Prefix;
use restwright_runtime::core::{BuildContext, BuildErrors, Middleware, Next, Problem, Result};

/// The maximum number of requests per second and client address.
pub(super) const REQUESTS: u32 = 10;

/// The maximum number of client addresses that are counted separately in one second. Further addresses share one count.
const ADDRESSES: usize = 10_000;

/// A rate limit of ten requests per second and client address. Probes need far fewer requests.
pub(super) struct HealthLimit(Mutex<RequestCounts>);

/// The number of requests of each client in the current second.
struct RequestCounts {
    begun: Instant,
    counts: HashMap<RateLimitKey, u32>,
}

/// The settings that determine a client's address.
#[derive(Default)]
struct AddressSettings {
    proxies: Option<TrustedProxies>,
    prefix: Ipv6Prefix,
}

impl HealthLimit {
    pub(super) fn new() -> Self {
        Self(Mutex::new(RequestCounts { begun: Instant::now(), counts: HashMap::new() }))
    }
}

impl RequestCounts {
    /// Counts a request, and returns `true` if the request is within the limit.
    fn admit(&mut self, key: RateLimitKey, now: Instant) -> bool {
        if now.duration_since(self.begun) >= Duration::from_secs(1) {
            *self = Self { begun: now, counts: HashMap::new() };
        }
        let is_known = self.counts.contains_key(&key);
        let key = if is_known || self.counts.len() < ADDRESSES { key } else { RateLimitKey::global() };
        let count = self.counts.entry(key).or_default();
        *count = count.saturating_add(1);
        *count <= REQUESTS
    }
}

impl Middleware for HealthLimit {
    fn name(&self) -> String {
        "limit of health checks".to_owned()
    }

    fn plan(&self, context: &mut BuildContext<'_>) -> Result<(), BuildErrors> {
        let prefix = Ipv6Prefix::from_configuration(context.configuration())?;
        let proxies = context.configuration().get::<TrustedProxies>().cloned();
        *context.kept() = AddressSettings { proxies, prefix };
        context.operation().add_problem(catalogue::RATE_LIMITED);
        Ok(())
    }

    async fn handle(&self, request: &mut HttpRequest, next: Next<'_>) -> Result<HttpResponse> {
        let addresses = request.route().and_then(|route| route.kept::<AddressSettings>());
        let address = addresses.and_then(|known| {
            let ClientAddress(address) = ClientAddress::from_request(request, known.proxies.as_ref());
            Some(RateLimitKey::network(address?, known.prefix.bits()))
        });
        let key = address.unwrap_or_else(RateLimitKey::global);
        let is_admitted = self.0.lock().unwrap_or_else(PoisonError::into_inner).admit(key, Instant::now());
        if is_admitted {
            return Ok(next.run(request).await);
        }
        Err(Problem::new(catalogue::RATE_LIMITED)
            .detail("The limit `health` is exceeded.")
            .detail_key("rate_limited.wait")
            .detail_param("limit", "health")
            .retry_after(1))
    }
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};

    use super::*;

    fn key(address: u32) -> RateLimitKey {
        RateLimitKey::address(IpAddr::V4(Ipv4Addr::from_bits(address)))
    }

    #[test]
    fn each_address_has_ten_requests_in_a_second() {
        let begun = Instant::now();
        let mut window = RequestCounts { begun, counts: HashMap::new() };
        for (after, address, requests, expected) in [(0, 1, 12, 10), (900, 1, 1, 0), (900, 2, 3, 3), (1_000, 1, 11, 10)]
        {
            let now = begun + Duration::from_millis(after);
            let admitted = (0..requests).filter(|_| window.admit(key(address), now)).count();
            assert_eq!(admitted, expected, "{requests} of {address} after {after} ms");
        }
    }

    #[test]
    fn addresses_beyond_the_bound_share_a_count() {
        let begun = Instant::now();
        let mut window = RequestCounts { begun, counts: HashMap::new() };
        let admitted = (0..20_000).filter(|address| window.admit(key(*address), begun)).count();
        assert_eq!((admitted, window.counts.len()), (ADDRESSES + REQUESTS as usize, ADDRESSES + 1));
    }
}
