//! The worker of one thread.

use std::cell::Cell;
use std::fmt;

use http::Method;
use restwright_core::Next;
use restwright_core::http::{HttpRequest, HttpResponse};
use restwright_core::problem::{Problem, catalogue};
use tracing::Instrument;
use tracing::level_filters::LevelFilter;

use super::routing::Found;
use crate::api::Api;

/// Handles requests on one thread; a host makes one per worker thread with [`Api::worker`].
pub struct Worker {
    api: Api,
    in_flight: Cell<usize>,
}

impl Worker {
    pub(crate) fn new(api: Api) -> Self {
        Self { api, in_flight: Cell::new(0) }
    }

    /// Returns the Api.
    #[must_use]
    pub fn api(&self) -> &Api {
        &self.api
    }

    /// Handles a request. Every failure becomes a response, panics included.
    ///
    /// The response has `X-Request-Id`, and the headers that were [set on the request](HttpRequest::set_response_header), which
    /// replace its own.
    pub async fn handle(&self, request: &mut HttpRequest) -> HttpResponse {
        let mut response = self.run(request).await;
        if request.method() == Method::HEAD {
            let payload = response.take_payload().omit();
            response.set_payload(payload);
        }
        for (name, value) in request.take_response_headers() {
            response.headers_mut().insert(name, value);
        }
        response.set_request_id(request.id());
        response
    }

    async fn run(&self, request: &mut HttpRequest) -> HttpResponse {
        let configuration = self.api.configuration();
        let type_base = configuration.problem_base_text();
        let Some(_slot) = Slot::take(&self.in_flight, configuration.concurrency_limit()) else {
            let problem = Problem::new(catalogue::OVERLOADED).detail("The server handles as many requests as it can.");
            return problem.retry_after(1).into_response(request.id(), type_base);
        };
        let found = Found::find(&self.api, request);
        let next = Next::new(self.api.middlewares(), &found, type_base);
        if LevelFilter::current() < LevelFilter::INFO {
            return next.run(request).await;
        }
        let span = tracing::info_span!(
            "request",
            method = request.method().as_str(),
            route = request.route().map(|route| route.template().as_str()),
            request_id = request.id().as_str(),
            status = tracing::field::Empty,
        );
        let response = next.run(request).instrument(span.clone()).await;
        span.record("status", response.status().as_u16());
        response
    }
}

impl fmt::Debug for Worker {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Worker").field("in_flight", &self.in_flight.get()).finish_non_exhaustive()
    }
}

/// A place among the requests in flight; given back when the request is handled, or its connection is gone.
struct Slot<'a>(&'a Cell<usize>);

impl<'a> Slot<'a> {
    fn take(in_flight: &'a Cell<usize>, limit: usize) -> Option<Self> {
        if in_flight.get() >= limit {
            return None;
        }
        in_flight.set(in_flight.get() + 1);
        Some(Self(in_flight))
    }
}

impl Drop for Slot<'_> {
    fn drop(&mut self) {
        self.0.set(self.0.get().saturating_sub(1));
    }
}
