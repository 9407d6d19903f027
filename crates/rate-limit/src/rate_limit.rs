use std::fmt;
use std::sync::Arc;

use restwright_core::http::{HttpRequest, HttpResponse};
use restwright_core::rate_limit::Quota;
use restwright_core::runtime::{Ipv6Prefix, OwnLimit};
use restwright_core::{
    BuildContext, BuildErrorKind, BuildErrors, Configuration, Middleware, Next, Problem, Result, Stage,
};

use crate::headers;
use crate::key_spec::KeySpec;
use crate::limit_spec::LimitSpec;
use crate::planned_limits::{PlannedLimit, PlannedLimits};
use crate::registry::LimitRegistry;
use crate::strategy::RateLimitStrategy;
use crate::verdict::LimitProgress;

/// A middleware that limits how many requests a client may send in a period of time. Add it to a route, a group, or the
/// whole Api.
///
/// Every response contains the state of the route's tightest limit in `X-RateLimit-Limit`, `X-RateLimit-Remaining` and
/// `X-RateLimit-Reset`. [`RateLimitFields`](crate::RateLimitFields) selects other headers. A controller reads the state
/// as a [`TightestLimit`](crate::TightestLimit) part.
///
/// A request beyond the limit fails with 429 and `Retry-After`. A request that costs more than a full bucket holds is
/// never admitted, and its 429 has no `Retry-After`.
///
/// Several limits are charged in the order of declaration, limits by address before limits by identity. Charging stops
/// at the first limit that rejects the request. The earlier limits stay charged, except on a Redis Cluster.
///
/// A limit counts only requests that have a route. A 404 or 405 is not counted, even by a limit on the Api. The first
/// limit of a stage also charges the later limits of the stage. A middleware that skips one of them therefore exempts
/// no caller. To exempt a caller, return `None` from [`RateLimitStrategy::key`].
///
/// Limits with the same name share their buckets on all routes. Building the Api fails if their fixed keys or quotas
/// differ. A custom [strategy](RateLimitStrategy) is not compared.
///
#[cfg_attr(not(doctest), doc = include_str!("doc_examples/rate_limit.md"))]
#[derive(Clone)]
pub struct RateLimit {
    name: Arc<str>,
    rule: Rule,
    late: bool,
}

#[derive(Clone)]
enum Rule {
    Spec(LimitSpec),
    Custom(Arc<dyn RateLimitStrategy>),
    /// The error message for a rate limit with invalid settings.
    Invalid(String),
}

impl RateLimit {
    /// Limits the rate of requests per client address, before authentication.
    ///
    /// All IPv6 addresses of a /64 network count as one client.
    /// [`Configuration::ipv6_prefix`](restwright_core::Configuration::ipv6_prefix) sets another prefix length.
    #[must_use]
    pub fn per_ip(name: impl Into<String>, quota: Quota) -> Self {
        Self::spec(name, KeySpec::Address, quota)
    }

    /// Limits the rate of requests per caller, after authorisation. Guests are limited per client address.
    #[must_use]
    pub fn per_identity(name: impl Into<String>, quota: Quota) -> Self {
        Self::spec(name, KeySpec::Identity, quota)
    }

    /// Limits the rate of requests per API key, after authorisation. `scheme` is the name of the authenticator that
    /// accepts the keys. Requests without an accepted key are limited per client address.
    #[must_use]
    pub fn per_api_key(name: impl Into<String>, scheme: impl Into<String>, quota: Quota) -> Self {
        Self::spec(name, KeySpec::ApiKey(scheme.into(), None), quota)
    }

    /// Limits the rate of requests per value of a header, before authentication. Requests without the header are
    /// limited per client address.
    ///
    /// Clients choose the value. Use it for clients that you trust, or after a proxy that sets the header.
    #[must_use]
    pub fn by_header(name: impl Into<String>, header: &str, quota: Quota) -> Self {
        match KeySpec::header(header) {
            Ok(key) => Self::spec(name, key, quota),
            Err(reason) => Self::new(name, Rule::Invalid(reason)),
        }
    }

    /// Limits the rate of all requests together, before authentication.
    #[must_use]
    pub fn global(name: impl Into<String>, quota: Quota) -> Self {
        Self::spec(name, KeySpec::Global, quota)
    }

    /// Limits the rate of requests with a custom strategy, which selects the key, the cost and the quota.
    #[must_use]
    pub fn custom(name: impl Into<String>, strategy: impl RateLimitStrategy) -> Self {
        Self::new(name, Rule::Custom(Arc::new(strategy)))
    }

    /// Applies the limit after authorisation, even if the limit could run before authentication.
    ///
    /// Requests with wrong credentials are then not counted. Redis charges this limit and the limits by identity in one
    /// round trip.
    #[must_use]
    pub fn after_authentication(mut self) -> Self {
        self.late = true;
        self
    }

    fn spec(name: impl Into<String>, key: KeySpec, quota: Quota) -> Self {
        Self::new(name, Rule::Spec(LimitSpec { key, quota }))
    }

    fn new(name: impl Into<String>, rule: Rule) -> Self {
        Self { name: name.into().into(), rule, late: false }
    }

    fn not_planned(&self) -> Problem {
        Problem::internal(format!(
            "the rate limit `{}` was not planned for this route; a middleware around it must forward `plan`",
            self.name
        ))
    }

    /// Returns the stage at which the limit runs. Fails if the limit must run after authorisation, but is inside a
    /// middleware that runs before authentication.
    fn effective_stage(&self, stage: Stage) -> Result<Stage, BuildErrors> {
        let needed = self.stage();
        if needed > Stage::AddressLimit && stage <= Stage::AddressLimit {
            return Err(BuildErrors::one(format!(
                "the rate limit `{}` must be charged after authorisation, but it runs before authentication here; the middleware around it must also forward `stage`",
                self.name
            )));
        }
        Ok(stage)
    }

    fn strategy(&self, configuration: &Configuration) -> Result<Arc<dyn RateLimitStrategy>, BuildErrors> {
        let strategy = match &self.rule {
            Rule::Custom(strategy) => Ok(strategy.clone()),
            Rule::Spec(spec) => spec.resolve(configuration).map(|spec| Arc::new(spec) as Arc<dyn RateLimitStrategy>),
            Rule::Invalid(reason) => Err(BuildErrors::one(reason)),
        };
        strategy.map_err(|errors| errors.at(format!("the rate limit `{}`", self.name)))
    }
}

impl Middleware for RateLimit {
    fn name(&self) -> String {
        format!("rate limit {}", self.name)
    }

    fn stage(&self) -> Stage {
        let early = match &self.rule {
            Rule::Spec(spec) => spec.before_authentication(),
            Rule::Custom(strategy) => strategy.before_authentication(),
            Rule::Invalid(_) => false,
        };
        if early && !self.late { Stage::AddressLimit } else { Stage::IdentityLimit }
    }

    fn plan(&self, context: &mut BuildContext<'_>) -> Result<(), BuildErrors> {
        if context.route().setting::<OwnLimit>().is_some() {
            *context.kept() = OwnLimit;
            return Ok(());
        }
        let mut errors = BuildErrors::new();
        let store = LimitRegistry::store(context, &mut errors);
        let strategy = errors.take(self.strategy(context.configuration()));
        let prefix = errors.take(Ipv6Prefix::from_configuration(context.configuration()));
        let stage = errors.take(self.effective_stage(context.stage()));
        errors.take(headers::plan(&self.name, context));
        if let Rule::Spec(spec) = &self.rule {
            errors.take(LimitRegistry::add(context, &self.name, spec));
        }
        let mut errors = LimitRegistry::unreported(context, &errors);
        if let (Some(strategy), Some(stage), Some(prefix)) = (strategy, stage, prefix) {
            let counts = LimitRegistry::counts(context, &self.name);
            let limit = PlannedLimit::new(self.name.clone(), stage, strategy, counts);
            errors.take(PlannedLimits::add(limit, context, store, prefix));
        }
        errors.or_kind(BuildErrorKind::RateLimit).finish(Some(()))
    }

    async fn handle(&self, request: &mut HttpRequest, next: Next<'_>) -> Result<HttpResponse> {
        // Without a route, the response is a 404 or 405.
        if request.route().is_some_and(|route| route.kept::<OwnLimit>().is_none()) {
            let LimitProgress { charged, tightest } = LimitProgress::from_request(request);
            let planned = PlannedLimits::from_request(request).ok_or_else(|| self.not_planned())?;
            let due = planned.due(&self.name, charged).ok_or_else(|| self.not_planned())?;
            if !due.is_empty() {
                let charged = planned.keep_progress().then_some(due.end);
                planned.charge(due, tightest, request).await?.report(request, charged)?;
            }
        }
        Ok(next.run(request).await)
    }
}

impl fmt::Debug for RateLimit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("RateLimit").field("name", &self.name).field("stage", &self.stage()).finish()
    }
}
