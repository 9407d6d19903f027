//! Defines [`Worker`], which handles requests on one thread.

use std::fmt;
use std::rc::Rc;

use http::Method;
use restwright_core::Next;
use restwright_core::http::{BodyError, HttpRequest, HttpResponse};
use restwright_core::runtime::{InFlight, MemoryAccount, Unwatched};
use tracing::Instrument;
use tracing::level_filters::LevelFilter;

use super::Api;
use crate::language::add_headers;
use crate::pipeline::{Found, Steps};

/// Handles requests on one thread. A host creates one worker per thread with [`Api::worker`].
pub struct Worker {
    api: Api,
    in_flight: Rc<InFlight>,
    memory: Rc<MemoryAccount>,
}

impl Worker {
    pub(super) fn new(api: Api) -> Self {
        let configuration = api.configuration();
        let memory = MemoryAccount::new(configuration.values().body_memory);
        api.add_memory_account(&memory);
        let in_flight = InFlight::new(configuration.values().max_concurrent, memory.clone());
        Self { api, in_flight, memory }
    }

    /// Returns the memory account, which limits the memory that the worker uses for its clients. The host adds its
    /// buffers to the account.
    #[must_use]
    pub fn memory(&self) -> &Rc<MemoryAccount> {
        &self.memory
    }

    /// Returns the Api that the worker serves.
    #[must_use]
    pub fn api(&self) -> &Api {
        &self.api
    }

    /// Handles a request and returns its response. Every failure becomes a response, including panics.
    ///
    /// The response includes `X-Request-Id` and the headers [set on the request](HttpRequest::set_response_header), which replace
    /// the response's own headers.
    pub async fn handle(&self, request: &mut HttpRequest) -> HttpResponse {
        let response = self.run(request).await;
        self.finish(request, response)
    }

    /// Prepares a response for sending. Removes the body for `HEAD`, and adds the headers that every response includes.
    #[inline]
    pub(super) fn finish(&self, request: &mut HttpRequest, mut response: HttpResponse) -> HttpResponse {
        if request.method() == Method::HEAD {
            let payload = response.take_payload().omit();
            response.set_payload(payload);
        }
        for (name, value) in request.take_response_headers() {
            response.insert_header(name, value);
        }
        if let Some(languages) = self.api.0.routes.problems.languages() {
            add_headers(languages, request, &mut response);
        }
        response.set_request_id(request.id());
        response
    }

    async fn run(&self, request: &mut HttpRequest) -> HttpResponse {
        let routes = &self.api.0.routes;
        routes.problems.log_ended();
        let mut place = self.in_flight.enter();
        let steps = Steps { routes, found: Found::find(routes, request) };
        match &mut place {
            Some(place) => place.lend(request.body_mut()),
            // A health check that failed under load would restart the process, and lose its requests.
            None if request.route().is_some_and(|route| route.kept::<Unwatched>().is_some()) => {}
            None => {
                self.api.0.readiness.count_refused();
                return routes.problems.respond(BodyError::Overloaded.into(), request);
            }
        }
        let next = Next::new(&steps, 0);
        if LevelFilter::current() < LevelFilter::INFO {
            return next.run(request).await;
        }
        let span = tracing::info_span!(
            "request",
            method = request.method().as_str(),
            route = request.route().map(|route| route.template().as_str()),
            request_id = request.id().as_str(),
            status = tracing::field::Empty,
            trace_id = tracing::field::Empty,
            span_id = tracing::field::Empty,
        );
        let response = next.run(request).instrument(span.clone()).await;
        span.record("status", response.status().as_u16());
        response
    }
}

impl fmt::Debug for Worker {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Worker").field("in_flight", &self.in_flight).finish_non_exhaustive()
    }
}
