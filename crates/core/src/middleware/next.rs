//! The rest of the pipeline, as a middleware holds it.

use std::fmt;

use super::catch_panic::CatchPanic;
use crate::future::LocalBoxFuture;
use crate::http::{HttpRequest, HttpResponse};
use crate::problem::{Problem, Result};

/// The rest of the pipeline: the middlewares further in, and the endpoint.
///
/// A clone runs the rest again, for a request whose body is [set](crate::http::IncomingBody::set_bytes) again.
#[derive(Clone)]
pub struct Next<'a> {
    pipeline: &'a dyn Pipeline,
    /// The number of steps before the rest.
    position: usize,
}

/// The steps of a request, which the runtime implements: middlewares, and at last the endpoint.
pub trait Pipeline {
    /// Runs the step at a position, which runs those after it.
    // Returns the step's boxed future unchanged, so each step costs one box.
    fn step<'a>(&'a self, position: usize, request: &'a mut HttpRequest) -> LocalBoxFuture<'a, Result<HttpResponse>>;

    /// Returns the response of a problem.
    fn respond(&self, problem: Problem, request: &HttpRequest) -> HttpResponse;
}

impl Next<'_> {
    /// Hands the request on and returns the response; a problem and a panic further in are responses here already.
    pub async fn run(self, request: &mut HttpRequest) -> HttpResponse {
        let outcome = match CatchPanic::new(|| self.pipeline.step(self.position, request)) {
            Ok(step) => step.await,
            Err(problem) => Err(problem),
        };
        outcome.unwrap_or_else(|problem| self.pipeline.respond(problem, request))
    }
}

/// For the runtime.
#[doc(hidden)]
impl<'a> Next<'a> {
    pub fn new(pipeline: &'a dyn Pipeline, position: usize) -> Self {
        Self { pipeline, position }
    }
}

impl fmt::Debug for Next<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Next").field("position", &self.position).finish_non_exhaustive()
    }
}
