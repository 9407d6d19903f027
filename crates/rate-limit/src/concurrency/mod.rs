//! Defines [`ConcurrencyLimit`], which limits the number of requests in progress per caller.

mod places;
mod registry;
mod reported;

use std::fmt;
use std::sync::Arc;

use restwright_core::client_address::TrustedProxies;
use restwright_core::http::{HttpRequest, HttpResponse};
use restwright_core::problem::catalogue;
use restwright_core::rate_limit::RateLimitKey;
use restwright_core::runtime::{Ipv6Prefix, OwnLimit};
use restwright_core::{BuildContext, BuildErrorKind, BuildErrors, Middleware, Next, Problem, Result, Stage};

use super::LimitedRequest;
use super::key_spec::KeySpec;
use super::registry::LimitRegistry;
use places::{RequestPlace, RequestPlaces};
use registry::ConcurrencyRegistry;

/// A middleware that limits the number of concurrent requests per caller. Add it to a route, a group, or the whole Api.
///
/// A request beyond the limit fails immediately with 429, the code `concurrency_limited` and `Retry-After: 1`. Nothing
/// is queued.
///
/// An admitted request holds one place until its response is complete. A streamed response is complete after its last
/// piece. Any other response is complete when the controller and the inner middlewares have returned it. A panic or a
/// deadline also releases the place. If a client disconnects during a stream, the next piece releases the place. If it
/// disconnects earlier, the place is released by the deadline at the latest: a client may close its side and still wait
/// for the response. Waiting for the rest of a body counts, so a slow upload holds a place.
///
/// The limit counts per process, across all workers. Several processes admit as many requests each. A caller without
/// requests uses no memory, so there are never more keys than requests in progress. Keys are stored as 64-bit hashes
/// with a random seed.
///
/// A request without a route (404, 405) needs no place. Limits with the same name share their places on all routes.
/// Building the Api fails if they differ in key or number. Rate limits that run earlier also charge the requests that
/// this limit rejects.
///
#[cfg_attr(not(doctest), doc = include_str!("../doc_examples/concurrency_limit.md"))]
#[derive(Clone)]
pub struct ConcurrencyLimit {
    name: Arc<str>,
    key: Result<LimitKey, String>,
    requests: u32,
    late: bool,
}

/// The key by which a concurrency limit counts requests.
#[derive(Clone)]
enum LimitKey {
    Spec(KeySpec),
    Custom(Arc<ReadKey>),
}

type ReadKey = dyn Fn(&LimitedRequest<'_>) -> Option<RateLimitKey> + Send + Sync;

impl ConcurrencyLimit {
    /// Limits concurrent requests per client address, before authentication.
    ///
    /// All IPv6 addresses of a /64 network count as one client.
    /// [`Configuration::ipv6_prefix`](restwright_core::Configuration::ipv6_prefix) sets another prefix length.
    #[must_use]
    pub fn per_ip(name: impl Into<String>, requests: u32) -> Self {
        Self::new(name, Ok(LimitKey::Spec(KeySpec::Address)), requests)
    }

    /// Limits concurrent requests per caller, after authorisation. Guests are limited per client address.
    #[must_use]
    pub fn per_identity(name: impl Into<String>, requests: u32) -> Self {
        Self::new(name, Ok(LimitKey::Spec(KeySpec::Identity)), requests)
    }

    /// Limits concurrent requests per API key, after authorisation. `scheme` is the name of the authenticator that
    /// accepts the keys. Requests without an accepted key are limited per client address.
    #[must_use]
    pub fn per_api_key(name: impl Into<String>, scheme: impl Into<String>, requests: u32) -> Self {
        Self::new(name, Ok(LimitKey::Spec(KeySpec::ApiKey(scheme.into(), None))), requests)
    }

    /// Limits concurrent requests per value of a header, before authentication. Requests without the header are limited
    /// per client address.
    ///
    /// Clients choose the value. Use it for clients that you trust, or after a proxy that sets the header.
    #[must_use]
    pub fn by_header(name: impl Into<String>, header: &str, requests: u32) -> Self {
        Self::new(name, KeySpec::header(header).map(LimitKey::Spec), requests)
    }

    /// Limits the total number of concurrent requests, before authentication.
    #[must_use]
    pub fn global(name: impl Into<String>, requests: u32) -> Self {
        Self::new(name, Ok(LimitKey::Spec(KeySpec::Global)), requests)
    }

    /// Limits concurrent requests per key, after authorisation. The function `key` returns the key of a request, or
    /// `None` to exempt the request from the limit.
    ///
    /// ```
    /// use restwright_rate_limit::{ConcurrencyLimit, RateLimitKey};
    ///
    /// let limit = ConcurrencyLimit::custom("tenants", 10, |caller| {
    ///     let identity = caller.identity();
    ///     identity.claims().get("tenant")?.as_str().map(RateLimitKey::text)
    /// });
    /// ```
    #[must_use]
    pub fn custom(
        name: impl Into<String>,
        requests: u32,
        key: impl Fn(&LimitedRequest<'_>) -> Option<RateLimitKey> + Send + Sync + 'static,
    ) -> Self {
        Self::new(name, Ok(LimitKey::Custom(Arc::new(key))), requests)
    }

    /// Applies the limit after authorisation, even if the limit could run before authentication. Requests with wrong
    /// credentials are then not counted.
    #[must_use]
    pub fn after_authentication(mut self) -> Self {
        self.late = true;
        self
    }

    fn new(name: impl Into<String>, key: Result<LimitKey, String>, requests: u32) -> Self {
        Self { name: name.into().into(), key, requests, late: false }
    }

    fn not_planned(&self) -> Problem {
        Problem::internal(format!(
            "the concurrency limit `{}` was not planned for this route; a middleware around it must forward `plan`",
            self.name
        ))
    }

    /// Counts a request as in progress until the returned [`RequestPlace`] is dropped. Returns `None` if the limit does
    /// not count the request, for example because it has no route.
    fn enter(&self, request: &HttpRequest) -> Result<Option<RequestPlace>> {
        let Some(route) = request.route().filter(|route| route.kept::<OwnLimit>().is_none()) else { return Ok(None) };
        let planned = route.kept::<PlannedConcurrency>().and_then(|planned| planned.get(&self.name));
        let (planned, limit) = planned.ok_or_else(|| self.not_planned())?;
        let caller = LimitedRequest::new(request, planned.proxies.as_ref(), planned.ipv6_prefix);
        let Some(key) = limit.key.read(&caller) else { return Ok(None) };
        let refused = || {
            Problem::new(catalogue::CONCURRENCY_LIMITED)
                .detail(format!("The limit `{}` allows {} concurrent requests.", self.name, self.requests))
                .detail_key("concurrency_limited.places")
                .detail_param("limit", &*self.name)
                .detail_param("requests", self.requests)
                .retry_after(1)
        };
        limit.places.enter(&key).map(Some).ok_or_else(refused)
    }

    fn plan_key(&self, context: &BuildContext<'_>) -> Result<LimitKey, BuildErrors> {
        let key = match &self.key {
            Ok(LimitKey::Spec(key)) => key.resolve(context.configuration()).map(LimitKey::Spec),
            Ok(LimitKey::Custom(key)) => Ok(LimitKey::Custom(key.clone())),
            Err(reason) => Err(BuildErrors::one(reason)),
        };
        key.map_err(|errors| errors.at(format!("the concurrency limit `{}`", self.name)))
    }

    /// Returns an error if the limit must run after authorisation, but is inside a middleware that runs before
    /// authentication.
    fn check_stage(&self, stage: Stage) -> Result<(), BuildErrors> {
        if self.stage() > Stage::AddressLimit && stage <= Stage::AddressLimit {
            return Err(BuildErrors::one(format!(
                "the concurrency limit `{}` must count after authorisation, but it runs before authentication here; the middleware around it must also forward `stage`",
                self.name
            )));
        }
        Ok(())
    }
}

impl LimitKey {
    fn read(&self, caller: &LimitedRequest<'_>) -> Option<RateLimitKey> {
        match self {
            Self::Spec(key) => Some(key.read(caller)),
            Self::Custom(read) => read(caller),
        }
    }
}

/// The concurrency limits of one operation.
#[derive(Default)]
struct PlannedConcurrency {
    proxies: Option<TrustedProxies>,
    ipv6_prefix: Ipv6Prefix,
    limits: Vec<PlannedConcurrencyLimit>,
}

struct PlannedConcurrencyLimit {
    name: Arc<str>,
    key: LimitKey,
    places: Arc<RequestPlaces>,
}

impl PlannedConcurrency {
    fn get(&self, name: &str) -> Option<(&Self, &PlannedConcurrencyLimit)> {
        Some((self, self.limits.iter().find(|limit| *limit.name == *name)?))
    }
}

impl Middleware for ConcurrencyLimit {
    fn name(&self) -> String {
        format!("concurrency limit {}", self.name)
    }

    fn stage(&self) -> Stage {
        let early = matches!(&self.key, Ok(LimitKey::Spec(key)) if key.before_authentication());
        if early && !self.late { Stage::AddressLimit } else { Stage::IdentityLimit }
    }

    fn plan(&self, context: &mut BuildContext<'_>) -> Result<(), BuildErrors> {
        if context.route().setting::<OwnLimit>().is_some() {
            *context.kept() = OwnLimit;
            return Ok(());
        }
        let mut errors = BuildErrors::new();
        let key = errors.take(self.plan_key(context));
        let prefix = errors.take(Ipv6Prefix::from_configuration(context.configuration()));
        errors.take(self.check_stage(context.stage()));
        let places = errors.take(ConcurrencyRegistry::places(self, context));
        context.operation().add_problem(catalogue::CONCURRENCY_LIMITED);
        let mut errors = LimitRegistry::unreported(context, &errors);
        if let (Some(key), Some(ipv6_prefix), Some(places)) = (key, prefix, places) {
            let proxies = context.configuration().get().cloned();
            let planned = context.kept::<PlannedConcurrency>();
            (planned.proxies, planned.ipv6_prefix) = (proxies, ipv6_prefix);
            if planned.get(&self.name).is_some() {
                errors.push(format!(
                    "the concurrency limit `{}` is on this route twice; rename or remove one of them",
                    self.name
                ));
            }
            planned.limits.push(PlannedConcurrencyLimit { name: self.name.clone(), key, places });
        }
        errors.or_kind(BuildErrorKind::RateLimit).finish(Some(()))
    }

    async fn handle(&self, request: &mut HttpRequest, next: Next<'_>) -> Result<HttpResponse> {
        let place = self.enter(request)?;
        let mut response = next.run(request).await;
        if let Some(place) = place {
            let payload = response.take_payload().hold(place);
            response.set_payload(payload);
        }
        Ok(response)
    }
}

impl fmt::Debug for ConcurrencyLimit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("ConcurrencyLimit")
            .field("name", &self.name)
            .field("requests", &self.requests)
            .field("stage", &self.stage())
            .finish()
    }
}
