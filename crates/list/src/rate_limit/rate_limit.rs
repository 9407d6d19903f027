//! The middleware.

use std::fmt;
use std::sync::Arc;

use restwright_core::http::{HeaderName, HttpRequest, HttpResponse};
use restwright_core::operation::Operation;
use restwright_core::{BuildErrors, Configuration, Middleware, Next, Problem, Result, Stage};

use super::declared::Declared;
use super::dedup_errors;
use super::headers;
use super::memory::LimitId;
use super::planned::{Charging, PlannedLimit, PlannedLimits};
use super::settings::Settings;
use super::strategy::{ApiKey, ByHeader, Global, PerIdentity, PerIp};
use super::verdict::Progress;
use super::{Quota, RateLimitStrategy};

/// A limit on how often a client may call: a middleware of a route, a group, or the whole Api.
///
/// Every answer says in `X-RateLimit-Limit`, `X-RateLimit-Remaining` and `X-RateLimit-Reset` how the client stands with the
/// tightest limit of the route; a request too many is answered 429 with `Retry-After`. Several limits are charged in their order
/// of declaration, those by address before those by identity, and the first refusal ends it: what was charged before stays
/// charged. A request that counts as more than a full bucket holds is never admitted, and its 429 has no `Retry-After`.
///
/// A limit counts what is routed: a path at which nothing is (404) and a method that none takes (405) are not counted, also
/// by a limit on the Api. The first limit of a stage to which a request comes charges those behind it too, so that a middleware
/// around one of them is no way to exempt callers: answer `None` as the [key](RateLimitStrategy::key) of a strategy.
///
/// Limits of one name share their buckets, on all routes; an Api in which they count otherwise or have another quota is
/// not built, as far as that shows before a request: what a [strategy](RateLimitStrategy) of one's own says does not.
///
/// ```
/// use restwright_core::{Api, Configuration, Group};
/// use restwright_list::rate_limit::{Quota, RateLimit};
///
/// let api = Api::builder(Configuration::new("shop", "1.0.0"))
///     .middleware(RateLimit::per_ip("clients", Quota::per_minute(600)))
///     .group(Group::new("/search").middleware(RateLimit::global("search", Quota::per_second(20).burst(5))))
///     .build()?;
/// # Ok::<(), restwright_core::BuildErrors>(())
/// ```
#[derive(Clone)]
pub struct RateLimit {
    name: Arc<str>,
    id: LimitId,
    by: By,
    declared: Option<Declared>,
    late: bool,
}

#[derive(Clone)]
enum By {
    Strategy(Arc<dyn RateLimitStrategy>),
    /// The place of the keys is known when the configuration is.
    ApiKey(String, Quota),
    /// Not the name of a header.
    Mistake(String),
}

impl RateLimit {
    /// A bucket for each client address, before credentials are read. IPv6 counts by /64.
    #[must_use]
    pub fn per_ip(name: impl Into<String>, quota: Quota) -> Self {
        Self::custom(name, PerIp(quota)).declared("by address", quota)
    }

    /// A bucket for each caller, when they are known and allowed. Guests count by address.
    #[must_use]
    pub fn per_identity(name: impl Into<String>, quota: Quota) -> Self {
        Self::custom(name, PerIdentity(quota)).declared("by identity", quota)
    }

    /// A bucket for each API key that the authenticator registered as `scheme` accepted, read where that says. Callers whom
    /// something else let in count by address.
    #[must_use]
    pub fn per_api_key(name: impl Into<String>, scheme: impl Into<String>, quota: Quota) -> Self {
        let scheme = scheme.into();
        let by = format!("by key of `{scheme}`");
        Self::new(name, By::ApiKey(scheme, quota)).declared(by, quota)
    }

    /// A bucket for each value of a header, before credentials are read. Requests without it count by address. Clients choose
    /// what they send: this limits those who have no reason to lie, or stands behind a proxy that sets the header.
    #[must_use]
    pub fn by_header(name: impl Into<String>, header: &str, quota: Quota) -> Self {
        match HeaderName::from_bytes(header.as_bytes()) {
            Ok(header) => {
                let by = format!("by the header `{header}`");
                Self::custom(name, ByHeader { header, quota }).declared(by, quota)
            }
            Err(_) => Self::new(name, By::Mistake(format!("`{header}` cannot be the name of a header"))),
        }
    }

    /// One bucket for everybody, before credentials are read.
    #[must_use]
    pub fn global(name: impl Into<String>, quota: Quota) -> Self {
        Self::custom(name, Global(quota)).declared("together", quota)
    }

    /// Buckets as a strategy says.
    #[must_use]
    pub fn custom(name: impl Into<String>, strategy: impl RateLimitStrategy) -> Self {
        Self::new(name, By::Strategy(Arc::new(strategy)))
    }

    /// Charges only when the caller is known and allowed, whatever it counts by: requests with wrong credentials are not
    /// counted then, and on Redis it is charged in one round trip with the limits by identity.
    #[must_use]
    pub fn after_authentication(mut self) -> Self {
        self.late = true;
        self
    }

    fn new(name: impl Into<String>, by: By) -> Self {
        let name: Arc<str> = name.into().into();
        Self { id: LimitId::new(&name), name, by, declared: None, late: false }
    }

    fn declared(mut self, by: impl Into<String>, quota: Quota) -> Self {
        self.declared = Some(Declared::new(by, quota));
        self
    }

    fn not_planned(&self) -> Problem {
        Problem::internal(format!(
            "the rate limit `{}` was not planned for this route; a middleware around it has to hand on `plan`",
            self.name
        ))
    }

    /// Where it runs, which a middleware around it may have changed.
    fn runs_at(&self, operation: &Operation) -> Result<Stage, BuildErrors> {
        let (needed, stage) = (self.stage(), operation.attachments.get().copied().unwrap_or(self.stage()));
        if needed > Stage::AddressLimit && stage <= Stage::AddressLimit {
            return Err(BuildErrors::one(format!(
                "the rate limit `{}` is charged when the caller is known, and runs before authentication here; the middleware around it has to hand on `stage` too",
                self.name
            )));
        }
        Ok(stage)
    }

    fn strategy(&self, configuration: &Configuration) -> Result<Arc<dyn RateLimitStrategy>, BuildErrors> {
        match &self.by {
            By::Strategy(strategy) => Ok(strategy.clone()),
            By::ApiKey(scheme, quota) => match ApiKey::new(scheme, *quota, configuration) {
                Ok(strategy) => Ok(Arc::new(strategy)),
                Err(errors) => Err(errors.at(format!("the rate limit `{}`", self.name))),
            },
            By::Mistake(mistake) => Err(BuildErrors::one(format!("the rate limit `{}`: {mistake}", self.name))),
        }
    }
}

impl Middleware for RateLimit {
    fn name(&self) -> String {
        format!("rate limit {}", self.name)
    }

    fn stage(&self) -> Stage {
        match &self.by {
            By::Strategy(strategy) if strategy.before_authentication() && !self.late => Stage::AddressLimit,
            _ => Stage::IdentityLimit,
        }
    }

    fn plan(&self, operation: &mut Operation, configuration: &mut Configuration) -> Result<(), BuildErrors> {
        let mut errors = BuildErrors::new();
        let settings = Settings::of(configuration, &mut errors);
        let strategy = errors.take(self.strategy(configuration));
        let stage = errors.take(self.runs_at(operation));
        if let Some(declared) = &self.declared {
            errors.take(declared.check(&self.name, operation, configuration));
        }
        let mut errors = dedup_errors::once(errors, configuration);
        if let (Some(strategy), Some(stage)) = (strategy, stage) {
            let limit = PlannedLimit::new(self.name.clone(), self.id, stage, strategy);
            errors.take(PlannedLimits::add(limit, operation, settings));
        }
        errors.finish(Some(()))
    }

    fn describe(&self, operation: &mut Operation) {
        headers::describe(operation);
    }

    async fn handle(&self, request: &mut HttpRequest, next: Next<'_>) -> Result<HttpResponse> {
        // Without a route nothing is at this path, or nothing takes this method.
        if request.route().is_some() {
            let Progress { charged, tightest } = Progress::of(request);
            let planned = PlannedLimits::of(request).ok_or_else(|| self.not_planned())?;
            let due = planned.due(self.id, charged).ok_or_else(|| self.not_planned())?;
            if !due.is_empty() {
                let charged = planned.are_several().then_some(due.end);
                let verdict = match planned.charge(due, tightest, request) {
                    Charging::Done(verdict) => verdict,
                    Charging::Asking(asking) => asking.await?,
                };
                verdict.report(request, charged)?;
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
