//! Contains the pipeline that handles a request, with routing, middlewares, the guard and the controller.

mod challenge;
mod deadline;
mod endpoint;
mod entry;
mod guard;
mod routing;
mod steps;

pub(crate) use challenge::is_challenge;
pub(crate) use endpoint::{CallSettings, DeclaredController, UnplannedController};
pub(crate) use entry::{RouteEntry, replaces_whole};
pub(crate) use guard::AccessGuard;
pub(crate) use routing::FoundRoute;
pub(crate) use steps::RequestSteps;

use restwright_core::runtime::SharedMiddleware;

use crate::problem_responses::ProblemResponses;
use crate::router::Router;

/// The routes of a finished application, with the middlewares, the router and the problem responses that all requests
/// share.
pub(crate) struct Routes {
    pub(crate) middlewares: Vec<SharedMiddleware>,
    pub(crate) router: Router,
    pub(crate) entries: Vec<RouteEntry>,
    pub(crate) problems: ProblemResponses,
}
