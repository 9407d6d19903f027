//! The rest of a request's way, as a middleware holds it.

use std::fmt;

use http::header::ALLOW;
use http::{HeaderValue, StatusCode};

use crate::api::Entry;
use crate::http::{HttpRequest, HttpResponse};
use crate::middleware::SharedMiddleware;
use crate::problem::{Problem, Result, catalogue};

/// What is left of the pipeline: the middlewares further in, and the endpoint.
pub struct Next<'a> {
    pub(super) middlewares: &'a [SharedMiddleware],
    pub(super) then: Then<'a>,
    pub(super) type_base: Option<&'a str>,
}

/// What follows the middlewares.
pub(super) enum Then<'a> {
    /// What routing found.
    Route(&'a Entry),
    NotFound,
    MethodNotAllowed(&'a HeaderValue),
    Options(&'a HeaderValue),
    Malformed,
    /// Authentication and authorisation.
    Guard(&'a Entry),
    /// The controller.
    Endpoint(&'a Entry),
}

impl Next<'_> {
    /// Hands the request on and returns the answer; a problem is an answer here already.
    pub async fn run(self, request: &mut HttpRequest) -> HttpResponse {
        let type_base = self.type_base;
        match self.answer(request).await {
            Ok(response) => response,
            Err(problem) => problem.into_response(request.id(), type_base),
        }
    }

    async fn answer(mut self, request: &mut HttpRequest) -> Result<HttpResponse> {
        loop {
            if let Some((first, rest)) = self.middlewares.split_first() {
                self.middlewares = rest;
                return first.handle(request, self).await;
            }
            match self.then {
                Then::Route(entry) => {
                    self.middlewares = &entry.before;
                    self.then = Then::Guard(entry);
                }
                Then::Guard(entry) => {
                    if let Some(guard) = &entry.guard {
                        // Boxed, so that the state of public requests stays small.
                        Box::pin(guard.admit(request)).await?;
                    } else if let Some(guest) = &entry.guest {
                        request.set_guest(guest);
                    }
                    self.middlewares = &entry.after;
                    self.then = Then::Endpoint(entry);
                }
                Then::Endpoint(entry) => {
                    entry.check_acceptable(request)?;
                    return entry.endpoint.call(request).await;
                }
                Then::NotFound => return Err(Problem::not_found("Nothing is at this path.")),
                Then::MethodNotAllowed(allow) => {
                    return Err(Problem::new(catalogue::METHOD_NOT_ALLOWED)
                        .detail("This path does not take this method; `Allow` has those that it takes.")
                        .header(ALLOW, allow.clone()));
                }
                Then::Options(allow) => {
                    return Ok(HttpResponse::new(StatusCode::NO_CONTENT).header(ALLOW, allow.clone()));
                }
                Then::Malformed => {
                    return Err(
                        Problem::new(catalogue::MALFORMED_REQUEST).detail("The path is not valid UTF-8 when decoded.")
                    );
                }
            }
        }
    }
}

impl fmt::Debug for Next<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Next").field("middlewares", &self.middlewares.len()).finish_non_exhaustive()
    }
}
