use std::fmt;
use std::sync::Arc;

use restwright_core::http::{HttpRequest, HttpResponse};
use restwright_core::runtime::{Ipv6Prefix, OwnLimit};
use restwright_core::{
    BuildContext, BuildErrorKind, BuildErrors, Configuration, Middleware, Next, Problem, Result, Stage,
};

use crate::key_spec::KeySpec;
use crate::limit_spec::LimitSpec;
use crate::planned_limits::{PlannedLimit, PlannedLimits};
use crate::registry::LimitRegistry;
use crate::verdict::Progress;
use crate::{Quota, RateLimitStrategy, headers};

/// A limit on how often a client may call: a middleware of a route, a group, or the whole Api.
///
/// Every response reports the state of the route's tightest limit in `X-RateLimit-Limit`, `X-RateLimit-Remaining` and
/// `X-RateLimit-Reset`, or as [`RateLimitFields`](crate::RateLimitFields) says; a controller has it as a [`TightestLimit`](crate::TightestLimit). A request beyond the limit is refused
/// with 429 and `Retry-After`. Several limits are charged in order of declaration, those by address before those by identity, up to the
/// first that refuses: what was charged before stays charged, but on a Redis Cluster. A request that costs more than a full bucket holds
/// is never admitted, and its 429 has no `Retry-After`.
///
/// A limit counts requests that have a route. A path without a route (404) and a method that no route takes (405) are not
/// counted, even by a limit on the Api. The first limit of a stage that a request reaches charges those after it too, so skipping
/// a limit by a middleware around it exempts no caller; return `None` as the [key](RateLimitStrategy::key) instead.
///
/// Limits that share a name share their buckets, on all routes. Building the Api fails if they differ in key or quota, as far as
/// these are known before a request: those of a [strategy](RateLimitStrategy) are not.
///
/// ```
/// use restwright::{Api, Configuration, Group};
/// use restwright_rate_limit::{Quota, RateLimit};
///
/// let api = Api::builder(Configuration::new("shop", "1.0.0"))
///     .middleware(RateLimit::per_ip("clients", Quota::per_minute(600)))
///     .group(Group::new("/search").middleware(RateLimit::global("search", Quota::per_second(20).burst(5))))
///     .build()?;
/// # Ok::<(), restwright::BuildErrors>(())
/// ```
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
    /// The declaration is wrong, for this reason.
    Invalid(String),
}

impl RateLimit {
    /// Counts by client address, before authentication. IPv6 counts by /64, or by the configuration's
    /// [`ipv6_prefix`](restwright_core::Configuration::ipv6_prefix).
    #[must_use]
    pub fn per_ip(name: impl Into<String>, quota: Quota) -> Self {
        Self::spec(name, KeySpec::Address, quota)
    }

    /// Counts by caller, after authorisation. Guests count by address.
    #[must_use]
    pub fn per_identity(name: impl Into<String>, quota: Quota) -> Self {
        Self::spec(name, KeySpec::Identity, quota)
    }

    /// Counts by API key, after authorisation, for keys that the authenticator registered as `scheme` accepted. Callers that
    /// another scheme admitted count by address.
    #[must_use]
    pub fn per_api_key(name: impl Into<String>, scheme: impl Into<String>, quota: Quota) -> Self {
        Self::spec(name, KeySpec::ApiKey(scheme.into(), None), quota)
    }

    /// Counts by the value of a header, before authentication. Requests without the header count by address.
    ///
    /// Clients choose what they send: use it for clients that have no reason to lie, or behind a proxy that sets the header.
    #[must_use]
    pub fn by_header(name: impl Into<String>, header: &str, quota: Quota) -> Self {
        match KeySpec::header(header) {
            Ok(key) => Self::spec(name, key, quota),
            Err(reason) => Self::new(name, Rule::Invalid(reason)),
        }
    }

    /// Counts all requests together, before authentication.
    #[must_use]
    pub fn global(name: impl Into<String>, quota: Quota) -> Self {
        Self::spec(name, KeySpec::Global, quota)
    }

    /// Counts as a strategy decides.
    #[must_use]
    pub fn custom(name: impl Into<String>, strategy: impl RateLimitStrategy) -> Self {
        Self::new(name, Rule::Custom(Arc::new(strategy)))
    }

    /// Charges after authorisation, whatever the limit counts by.
    ///
    /// Requests with wrong credentials are not counted then, and Redis charges the limit in one round trip with those by
    /// identity.
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

    /// Checks the stage at which it runs, which a middleware around it may have changed.
    fn effective_stage(&self, stage: Stage) -> Result<Stage, BuildErrors> {
        let needed = self.stage();
        if needed > Stage::AddressLimit && stage <= Stage::AddressLimit {
            return Err(BuildErrors::one(format!(
                "the rate limit `{}` is charged after authorisation, and runs before authentication here; the middleware around it must forward `stage` too",
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
        // Without a route the response is a 404 or 405.
        if request.route().is_some_and(|route| route.kept::<OwnLimit>().is_none()) {
            let Progress { charged, tightest } = Progress::from_request(request);
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
