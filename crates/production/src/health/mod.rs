//! Defines the health checks for liveness and readiness.

mod limit;
mod ready;
mod status;

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use restwright_runtime::core::auth::Access;
use restwright_runtime::core::operation::TagObject;
use restwright_runtime::core::runtime::OwnLimit;
use restwright_runtime::core::runtime::Unwatched;
use restwright_runtime::core::{Result, Route};
use restwright_runtime::{ApiBuilder, Group, Module};

use limit::HealthLimit;
use ready::{Ready, SeesDetails};
use status::HealthStatus;

/// A module with the health checks `/livez` (liveness) and `/readyz` (readiness).
///
/// Both are public, so process supervisors and load balancers can call them. They return only a status: 200, or 503
/// from `/readyz`. The Api is ready if every required [component](restwright_runtime::core::Component) is ready and the
/// server is neither draining nor stopping.
///
/// Components are checked at most once per second, regardless of the number of requests. A component that does not
/// respond within 5 seconds is not ready. Requests during a check receive the previous state. Each change of a
/// component's state is logged with its reason.
///
/// Rate limits and concurrency limits of the Api do not count these requests. A client that exhausts a limit therefore
/// cannot make a probe fail. Instead, each address may send 10 requests per second. Further requests receive 429.
///
/// `/readyz?verbose` lists the components with their states, for callers that [`details`](Self::details) allows.
/// Without `details`, the parameter does not exist.
///
/// ```
/// use restwright_production::Health;
/// use restwright_runtime::Api;
/// use restwright_runtime::core::Configuration;
///
/// let api = Api::builder(Configuration::new("shop", "1.0.0")).module(&Health::new()).build()?;
/// # Ok::<(), restwright_runtime::core::BuildErrors>(())
/// ```
#[derive(Debug, Clone, Default)]
#[must_use = "it has no effect until it is registered with `.module(..)`"]
pub struct Health {
    details: Option<Details>,
}

/// The time limit for handling a health check request. It is longer than the 5 seconds for checking components. It
/// replaces the deadline of the configuration.
const DEADLINE: Duration = Duration::from_secs(10);

/// The callers that may see the states of components.
#[derive(Debug, Clone)]
struct Details {
    scheme: String,
    scopes: Vec<String>,
}

impl Health {
    /// Creates the module, without `/readyz?verbose`.
    pub fn new() -> Self {
        Self::default()
    }

    /// Allows `/readyz?verbose` for callers who authenticate with `scheme` and have all `scopes`. The response lists
    /// each component with its state and the time of its last change.
    pub fn details<S: Into<String>>(mut self, scheme: impl Into<String>, scopes: impl IntoIterator<Item = S>) -> Self {
        let scopes = scopes.into_iter().map(Into::into).collect();
        self.details = Some(Details { scheme: scheme.into(), scopes });
        self
    }
}

impl Module for Health {
    fn register(&self, api: ApiBuilder) -> ApiBuilder {
        let readiness = Arc::new(OnceLock::new());
        let ready = Route::get("/readyz")
            .id("readyz")
            .summary("Readiness")
            .description("Returns 200 while every required component is ready, and 503 otherwise.")
            .tag(TagObject::new("Health").description("Health checks for load balancers."))
            .with(Unwatched)
            .deadline(DEADLINE);
        let ready = match &self.details {
            None => ready.public(),
            Some(Details { scheme, scopes }) => {
                let policy = SeesDetails { scopes: scopes.clone() };
                ready.access(Access::optional(scheme.clone()).policy(policy)).with(ready::Verbose)
            }
        };
        let live = Route::get("/livez")
            .id("livez")
            .summary("Liveness")
            .description("Returns 200 while the process is running.")
            .tag(TagObject::new("Health").description("Health checks for load balancers."))
            .with(Unwatched)
            .public();
        let group = Group::new("")
            .with(OwnLimit)
            .middleware(HealthLimit::new())
            .controller(live.handler(async |()| -> Result<HealthStatus> { Ok(HealthStatus::new("live")) }))
            .controller(Ready::new(ready, readiness.clone()));
        api.group(group).when_built(move |api| {
            // An Api is built only once.
            let _ = readiness.set(api.readiness());
        })
    }
}
