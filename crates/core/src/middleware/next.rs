//! The rest of the pipeline, as a middleware holds it.

use std::fmt;

use super::SharedMiddleware;
use super::catch_panic::CatchPanic;
use crate::future::LocalBoxFuture;
use crate::http::{HttpRequest, HttpResponse, ProblemResponses};
use crate::problem::Result;

/// The rest of the pipeline: the middlewares further in, and the endpoint.
///
/// A clone runs the rest again, for a request whose body is [set](crate::http::IncomingBody::set_bytes) again.
#[derive(Clone)]
pub struct Next<'a> {
    middlewares: &'a [SharedMiddleware],
    then: &'a dyn Continuation,
    problems: &'a ProblemResponses,
}

/// The step of the pipeline that follows some middlewares.
pub trait Continuation {
    /// Handles a request after the middlewares before.
    fn call<'a>(
        &'a self,
        request: &'a mut HttpRequest,
        problems: &'a ProblemResponses,
    ) -> LocalBoxFuture<'a, Result<HttpResponse>>;
}

impl Next<'_> {
    /// Hands the request on and returns the response; a problem and a panic further in are responses here already.
    pub async fn run(self, request: &mut HttpRequest) -> HttpResponse {
        let problems = self.problems;
        let outcome = match CatchPanic::new(|| self.call(request)) {
            Ok(call) => call.await,
            Err(problem) => Err(problem),
        };
        outcome.unwrap_or_else(|problem| problems.respond(problem, request))
    }
}

/// For the runtime.
#[doc(hidden)]
impl<'a> Next<'a> {
    pub fn new(
        middlewares: &'a [SharedMiddleware],
        then: &'a dyn Continuation,
        problems: &'a ProblemResponses,
    ) -> Self {
        Self { middlewares, then, problems }
    }

    // The future of the next middleware or step itself, so that handing on costs no box of its own.
    pub fn call(mut self, request: &'a mut HttpRequest) -> LocalBoxFuture<'a, Result<HttpResponse>> {
        match self.middlewares.split_first() {
            Some((first, rest)) => {
                self.middlewares = rest;
                first.handle(request, self)
            }
            None => self.then.call(request, self.problems),
        }
    }
}

impl fmt::Debug for Next<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Next").field("middlewares", &self.middlewares.len()).finish_non_exhaustive()
    }
}
