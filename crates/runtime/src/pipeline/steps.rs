//! Defines [`RequestSteps`], which runs the middlewares, the guard and the endpoint for one request.

use std::future::ready;

use restwright_core::http::{HttpRequest, HttpResponse};
use restwright_core::runtime::{LocalBoxFuture, Pipeline};
use restwright_core::{Next, Problem, Result};

use super::{FoundRoute, Routes};

/// The steps that handle one request. They are the Api's middlewares, the route's middlewares before authentication,
/// the guard, the route's middlewares after authentication, and the endpoint.
pub(crate) struct RequestSteps<'a> {
    pub(crate) routes: &'a Routes,
    pub(crate) found: FoundRoute<'a>,
}

impl Pipeline for RequestSteps<'_> {
    fn step<'a>(&'a self, position: usize, request: &'a mut HttpRequest) -> LocalBoxFuture<'a, Result<HttpResponse>> {
        let outer = &self.routes.middlewares;
        if let Some(middleware) = outer.get(position) {
            return middleware.handle(request, Next::new(self, position + 1));
        }
        let FoundRoute::Route(entry) = &self.found else { return Box::pin(ready(self.found.respond(request))) };
        let guard_position = outer.len() + entry.before.len();
        if let Some(middleware) = entry.before.get(position - outer.len()) {
            return middleware.handle(request, Next::new(self, position + 1));
        }
        // A public route also has the guard step, which continues with the next step.
        let position = match &entry.guard {
            Some(guard) if position == guard_position => {
                return Box::pin(async move {
                    guard.admit(request).await?;
                    self.step(position + 1, request).await
                });
            }
            None if position == guard_position => {
                if let Some(guest) = &entry.guest {
                    request.set_guest(guest);
                }
                position + 1
            }
            _ => position,
        };
        if let Some(middleware) = entry.after.get(position - guard_position - 1) {
            return middleware.handle(request, Next::new(self, position + 1));
        }
        match entry.check(request) {
            Ok(()) => entry.endpoint.call(request),
            Err(problem) => Box::pin(ready(Err(problem))),
        }
    }

    fn respond(&self, problem: Problem, request: &HttpRequest) -> HttpResponse {
        self.routes.problems.respond(problem, request)
    }
}
