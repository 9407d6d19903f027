//! One worker thread's view of an Api.

use std::cell::Cell;
use std::fmt;
use std::pin::pin;

use http::Method;
use tracing::Instrument;
use tracing::level_filters::LevelFilter;

use super::next::{Next, Then};
use super::panic::catching;
use crate::api::Api;
use crate::http::{HttpRequest, HttpResponse, RequestId};
use crate::problem::{Problem, catalogue};
use crate::route::{Matched, normalise};

/// Answers requests on one thread; a host makes one per worker with [`Api::worker`].
pub struct Worker {
    api: Api,
    in_flight: Cell<usize>,
}

impl Worker {
    pub(crate) fn new(api: Api) -> Self {
        Self { api, in_flight: Cell::new(0) }
    }

    /// The Api.
    #[must_use]
    pub fn api(&self) -> &Api {
        &self.api
    }

    /// Answers a request. Every failure is an answer, panics included.
    pub async fn handle(&self, mut request: HttpRequest) -> HttpResponse {
        let mut response = self.answer(&mut request).await;
        for (name, value) in request.answer_headers() {
            response.headers_mut().insert(name, value.clone());
        }
        response.headers_mut().insert(RequestId::HEADER, request.id().to_header_value());
        response
    }

    /// As [`handle`](Self::handle), and leaves `X-Request-Id` and the headers that were
    /// [set on the request](HttpRequest::answer_headers) to a host that writes headers in a form of its own. They replace
    /// those of the answer.
    pub async fn answer(&self, request: &mut HttpRequest) -> HttpResponse {
        let mut response = self.respond(request).await;
        if request.method() == Method::HEAD {
            let payload = response.take_payload().omit();
            response.set_payload(payload);
        }
        response
    }

    async fn respond(&self, request: &mut HttpRequest) -> HttpResponse {
        let configuration = self.api.configuration();
        let type_base = configuration.problem_base_text();
        let Some(_slot) = Slot::take(&self.in_flight, configuration.concurrency_limit()) else {
            let problem = Problem::new(catalogue::OVERLOADED).detail("The server handles as many requests as it can.");
            return problem.retry_after(1).into_response(request.id(), type_base);
        };
        let next = Next { middlewares: self.api.middlewares(), then: self.find(request), type_base };
        if LevelFilter::current() < LevelFilter::INFO {
            let outcome = catching(pin!(next.run(request))).await;
            return outcome.unwrap_or_else(|problem| problem.into_response(request.id(), type_base));
        }
        let span = tracing::info_span!(
            "request",
            method = request.method().as_str(),
            route = request.route().map(|route| route.template().as_str()),
            request_id = request.id().as_str(),
            status = tracing::field::Empty,
        );
        let outcome = catching(pin!(next.run(request).instrument(span.clone()))).await;
        let response =
            outcome.unwrap_or_else(|problem| span.in_scope(|| problem.into_response(request.id(), type_base)));
        span.record("status", response.status().as_u16());
        response
    }

    /// Routes the request, before any middleware sees it.
    fn find<'a>(&'a self, request: &mut HttpRequest) -> Then<'a> {
        if let std::borrow::Cow::Owned(path) = normalise(request.path()) {
            if percent_encoding::percent_decode_str(&path).decode_utf8().is_err() {
                return Then::Malformed;
            }
            request.set_normal_path(path);
        }
        match self.api.router().find(request.method(), request.path()) {
            Matched::Nothing => Then::NotFound,
            Matched::MethodNotAllowed(allow) => Then::MethodNotAllowed(allow),
            Matched::Options(allow) => Then::Options(allow),
            Matched::Route(number) => match self.api.entry(number) {
                Some(entry) => {
                    request.set_route(entry.info.clone());
                    request.body_mut().set_limit(entry.body_limit);
                    Then::Route(entry)
                }
                None => Then::NotFound,
            },
        }
    }
}

impl fmt::Debug for Worker {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Worker").field("in_flight", &self.in_flight.get()).finish_non_exhaustive()
    }
}

/// A place among the requests in flight; given back when the request is answered, or its connection is gone.
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
