//! Defines the endpoint `GET /readyz`.

use std::sync::{Arc, OnceLock};

use http::header::CACHE_CONTROL;
use restwright_runtime::Readiness;
use restwright_runtime::core::auth::{AuthorizationContext, Decision, Policy};
use restwright_runtime::core::operation::{Operation, ParameterLocation};
use restwright_runtime::core::part::ParameterPlan;
use restwright_runtime::core::problem::catalogue;
use restwright_runtime::core::schema::enumeration;
use restwright_runtime::core::{BuildContext, BuildErrors, Controller, Problem, Reader, Request, Result, Route};

use super::status::{HealthStatus, component};
use crate::no_store::NO_STORE;

const VERBOSE: &str = "verbose";

/// A route setting that allows the query parameter `verbose`.
#[derive(Clone, Copy)]
pub(super) struct Verbose;

/// A policy that allows `/readyz?verbose` only for callers with these scopes. Anyone may read the status without
/// `verbose`.
pub(super) struct SeesDetails {
    pub(super) scopes: Vec<String>,
}

impl Policy for SeesDetails {
    async fn decide(&self, authorization: &AuthorizationContext<'_>) -> Result<Decision> {
        let identity = authorization.identity();
        let asks = authorization.request().parsed_query()?.values(VERBOSE).next().is_some();
        let may = !identity.is_guest() && self.scopes.iter().all(|scope| identity.has_scope(scope));
        Ok(if may || !asks {
            Decision::Allow
        } else {
            Decision::deny("the caller lacks the permission to see the components")
        })
    }
}

pub(super) struct Ready {
    route: Route,
    readiness: Arc<OnceLock<Readiness>>,
}

impl Ready {
    pub(super) fn new(route: Route, readiness: Arc<OnceLock<Readiness>>) -> Self {
        let route = route.problem(catalogue::UNAVAILABLE);
        Self { route, readiness }
    }
}

impl Controller for Ready {
    type Request = ReadyRequest;
    type Response = HealthStatus;

    fn route(&self) -> Route {
        self.route.clone()
    }

    async fn handle(&self, ReadyRequest { verbose }: ReadyRequest) -> Result<HealthStatus> {
        let readiness = self.readiness.get().ok_or_else(|| Problem::internal("the Api is not built yet"))?;
        let states = readiness.states().await;
        let components = || states.components().iter().map(component).collect::<Vec<_>>();
        if states.is_ready() {
            let status = HealthStatus::new("ready");
            return Ok(if verbose { status.with(components()) } else { status });
        }
        let problem = Problem::new(catalogue::UNAVAILABLE)
            .detail("The service is not ready.")
            .detail_key("unavailable.not_ready")
            .header(CACHE_CONTROL, NO_STORE)
            .retry_after(1);
        Err(if verbose { problem.member("components", components()) } else { problem })
    }
}

/// The parsed request of `GET /readyz`.
pub(super) struct ReadyRequest {
    /// `true` if the request has the parameter `verbose`.
    verbose: bool,
}

impl Request for ReadyRequest {
    type Plan = Option<ParameterPlan<Option<String>>>;

    fn plan(context: &mut BuildContext<'_>) -> Result<Self::Plan, BuildErrors> {
        let Some(Verbose) = context.route().setting() else { return Ok(None) };
        let verbose = enumeration(VERBOSE, ["", "true"])
            .description("Lists the components with their states. Requires credentials.")
            .optional();
        context.parameter(ParameterLocation::Query, verbose).map(Some)
    }

    fn describe(plan: &Self::Plan, operation: &mut Operation) {
        if let Some(verbose) = plan {
            verbose.describe(operation);
        }
    }

    async fn read(plan: &Self::Plan, reader: &mut Reader<'_>) -> Result<Option<Self>> {
        let Some(verbose) = plan else { return Ok(Some(Self { verbose: false })) };
        Ok(reader.parameter(verbose).map(|verbose| Self { verbose: verbose.is_some() }))
    }
}
