//! Defines [`Next`], the rest of the pipeline, which a middleware runs.

use std::fmt;

use super::catch_panic::CatchPanic;
use crate::future::LocalBoxFuture;
use crate::http::{HttpRequest, HttpResponse};
use crate::problem::{Problem, Result};

/// The rest of the pipeline, which consists of the inner middlewares and the endpoint.
///
/// Clone it to run the rest of the pipeline a second time. [Set](crate::http::IncomingBody::set_bytes) the body of the
/// request again before the second run.
#[derive(Clone)]
pub struct Next<'a> {
    pipeline: &'a dyn Pipeline,
    /// The index of the next middleware or endpoint in the pipeline.
    position: usize,
}

/// The middlewares of a request in order, followed by the endpoint. The runtime implements this trait.
pub trait Pipeline {
    /// Runs the middleware or endpoint at the index `position`. A middleware runs the rest of the pipeline itself.
    // Returns the boxed future of the step unchanged, so each step costs one box.
    fn step<'a>(&'a self, position: usize, request: &'a mut HttpRequest) -> LocalBoxFuture<'a, Result<HttpResponse>>;

    /// Converts a problem to a response.
    fn respond(&self, problem: Problem, request: &HttpRequest) -> HttpResponse;
}

impl Next<'_> {
    /// Runs the rest of the pipeline and returns the response. Problems and panics are already converted to responses.
    pub async fn run(self, request: &mut HttpRequest) -> HttpResponse {
        let outcome = match CatchPanic::new(|| self.pipeline.step(self.position, request)) {
            Ok(step) => step.await,
            Err(problem) => Err(problem),
        };
        outcome.unwrap_or_else(|problem| self.pipeline.respond(problem, request))
    }
}

/// Contains methods that only the runtime calls.
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
