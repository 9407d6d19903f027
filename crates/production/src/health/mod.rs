//! Endpoints that say whether the service lives and is ready.

mod limit;
mod ready;
mod status;

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use restwright_runtime::core::auth::Access;
use restwright_runtime::core::runtime::OwnLimit;
use restwright_runtime::core::{Result, Route};
use restwright_runtime::{ApiBuilder, Group, Module};

use crate::unwatched::Unwatched;
use limit::HealthLimit;
use ready::{Ready, SeesDetails};
use status::Status;

/// The module of `/livez` and `/readyz`, which say whether the service lives, and whether it is ready for requests.
///
/// Both are public and say a status alone, 200 or for `/readyz` also 503, so that whoever restarts and balances servers can ask. The
/// Api is ready while each required [component](restwright_runtime::core::Component) is and the server is neither draining nor stopping. Components
/// are asked at most once a second, however many ask here; one that says nothing for 5 seconds is not ready, and until then others learn
/// the state before. A component whose state changes is logged, with the reason.
///
/// Rate limits and concurrency limits of the Api count none of these requests, so clients that exhaust a limit make no probe fail. Instead each address
/// has 10 requests a second; further ones are a 429.
///
/// `/readyz?verbose` lists the components with their states for callers who are [let in](Self::details); without that it is not there.
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
#[must_use = "it does nothing until it is registered with `.module(..)`"]
pub struct Health {
    details: Option<Details>,
}

/// Longer than components are waited for, whatever deadline the configuration has.
const DEADLINE: Duration = Duration::from_secs(10);

/// The callers who see the states of components.
#[derive(Debug, Clone)]
struct Details {
    scheme: String,
    scopes: Vec<String>,
}

impl Health {
    /// Creates the module; nobody sees details.
    pub fn new() -> Self {
        Self::default()
    }

    /// Shows the components at `/readyz?verbose` to callers who prove by `scheme` who they are and hold each of `scopes`: their names,
    /// whether they are ready, and since when.
    pub fn details<S: Into<String>>(mut self, scheme: impl Into<String>, scopes: impl IntoIterator<Item = S>) -> Self {
        let scopes = scopes.into_iter().map(Into::into).collect();
        self.details = Some(Details { scheme: scheme.into(), scopes });
        self
    }
}

impl Module for Health {
    fn register(&self, api: ApiBuilder) -> ApiBuilder {
        let readiness = Arc::new(OnceLock::new());
        let ready =
            Route::get("/readyz").id("readyz").summary("Readiness").tag("Health").with(Unwatched).deadline(DEADLINE);
        let ready = match &self.details {
            None => ready.public(),
            Some(Details { scheme, scopes }) => {
                let policy = SeesDetails { scopes: scopes.clone() };
                ready.access(Access::optional(scheme.clone()).policy(policy)).with(ready::Verbose)
            }
        };
        let live = Route::get("/livez").id("livez").summary("Liveness").tag("Health").with(Unwatched).public();
        let group = Group::new("")
            .with(OwnLimit)
            .middleware(HealthLimit::new())
            .controller(live.handler(async |()| -> Result<Status> { Ok(Status::new("live")) }))
            .controller(Ready::new(ready, readiness.clone()));
        api.group(group).when_built(move |api| {
            // An Api is built once.
            let _ = readiness.set(api.readiness());
        })
    }
}
