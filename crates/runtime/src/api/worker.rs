//! Defines [`Worker`], which handles requests on one thread.

use std::fmt;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use http::Method;
use http::header::{CACHE_CONTROL, ETAG, LAST_MODIFIED};
use restwright_core::conditional::{strengthen_if_match, weaken_tag};
use restwright_core::http::{BodyError, HttpRequest, HttpResponse};
use restwright_core::problem::catalogue;
use restwright_core::runtime::{InFlight, LongLived, MemoryAccount, Unwatched};
use restwright_core::{Next, Problem};
use tracing::Instrument;
use tracing::level_filters::LevelFilter;

use super::Api;
use crate::confined::{Confined, NOT_GUESSED, NOT_STORED, REVALIDATED};
use crate::language::add_headers;
use crate::pipeline::{FoundRoute, RequestSteps, Routes};
use crate::router::Matched;

/// The `Retry-After` of responses during a slow start, in seconds.
const STARTING: u64 = 10;

/// Handles requests on one thread. A host creates one worker per thread with [`Api::worker`].
pub struct Worker {
    api: Api,
    in_flight: Rc<InFlight>,
    memory: Rc<MemoryAccount>,
    /// `true` during a slow start.
    is_starting: Arc<AtomicBool>,
}

impl Worker {
    pub(super) fn new(api: Api) -> Self {
        let configuration = api.configuration();
        let memory = MemoryAccount::new(configuration.values().body_memory);
        api.add_memory_account(&memory);
        let long_lived =
            LongLived::new(configuration.configured_clock().clone(), configuration.values().max_stream_age);
        let in_flight = InFlight::new(configuration.values().max_concurrent, memory.clone(), long_lived);
        let is_starting = api.0.readiness.starting();
        Self { api, in_flight, memory, is_starting }
    }

    /// Returns the memory account, which limits the memory that the worker uses for its clients. The host adds its
    /// buffers to the account.
    #[must_use]
    pub fn memory(&self) -> &Rc<MemoryAccount> {
        &self.memory
    }

    /// Sets the maximum number of open event streams, WebSockets and other long-lived responses. Further requests for them get a 503.
    /// It is unlimited by default.
    pub fn set_max_long_lived(&self, limit: usize) {
        self.in_flight.long_lived().set_limit(limit);
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
        if self.api.configuration().values().weak_tags {
            strengthen_if_match(request);
        }
        let (response, confined) = self.run(request).await;
        self.finish(request, response, confined)
    }

    /// Prepares a response for sending. Removes the body for `HEAD`, and adds the headers that every response includes.
    #[inline]
    pub(super) fn finish(
        &self,
        request: &mut HttpRequest,
        mut response: HttpResponse,
        confined: Option<&Confined>,
    ) -> HttpResponse {
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
        // What the application has set is kept, because only it knows for whom a response is.
        let is_failure = response.status().as_u16() >= 400;
        let (mut is_tagged, mut is_timed) = (false, false);
        response.each_header(|name, _| {
            is_tagged |= *name == ETAG;
            is_timed |= *name == LAST_MODIFIED;
        });
        match confined {
            Some(_) if is_tagged && !is_failure => response.insert_absent_header(&CACHE_CONTROL, &REVALIDATED),
            None if is_timed && !is_failure => response.insert_absent_header(&CACHE_CONTROL, &NOT_GUESSED),
            None if !is_failure => {}
            _ => response.insert_absent_header(&CACHE_CONTROL, &NOT_STORED),
        }
        if is_tagged && self.api.configuration().values().weak_tags {
            weaken_tag(&mut response);
        }
        if let Some(base_path) = &self.api.0.base_path {
            base_path.complete(request, &mut response);
        }
        if let Some(Confined { vary: Some(vary) }) = confined {
            response.add_vary(vary);
        }
        response.set_request_id(request.id());
        response
    }

    /// Returns `true` if a health check or metrics are at a path. A host that has no place for a request still serves them.
    #[must_use]
    pub fn is_unwatched(&self, method: &Method, path: &str) -> bool {
        let Routes { router, entries, .. } = &self.api.0.routes;
        let Matched::Route(number, _) = router.find(method, path) else { return false };
        entries.get(number).is_some_and(|entry| entry.info.kept::<Unwatched>().is_some())
    }

    pub(super) fn count_refused(&self) {
        self.api.0.readiness.count_refused();
    }

    /// Runs the pipeline. Also returns the mark of the route if its responses belong to the caller.
    async fn run(&self, request: &mut HttpRequest) -> (HttpResponse, Option<&Confined>) {
        let routes = &self.api.0.routes;
        routes.problems.log_ended();
        let mut place = self.in_flight.enter();
        let steps = RequestSteps { routes, found: FoundRoute::find(routes, request) };
        let confined = match steps.found {
            FoundRoute::Route(entry) => entry.confined.as_ref(),
            _ => None,
        };
        let is_unwatched = || request.route().is_some_and(|route| route.kept::<Unwatched>().is_some());
        if self.is_starting.load(Ordering::Relaxed) && !is_unwatched() {
            let problem = Problem::new(catalogue::UNAVAILABLE)
                .detail("The service is starting.")
                .detail_key("unavailable.starting")
                .retry_after(STARTING);
            return (routes.problems.respond(problem, request), confined);
        }
        match &mut place {
            Some(place) => place.lend(request),
            // A health check that failed under load would restart the process, and lose its requests.
            None if is_unwatched() => {}
            None => {
                self.count_refused();
                return (routes.problems.respond(BodyError::Overloaded.into(), request), confined);
            }
        }
        let next = Next::new(&steps, 0);
        if LevelFilter::current() < LevelFilter::INFO {
            return (next.run(request).await, confined);
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
        (response, confined)
    }
}

impl fmt::Debug for Worker {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Worker").field("in_flight", &self.in_flight).finish_non_exhaustive()
    }
}
