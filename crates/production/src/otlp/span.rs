//! The span of one request.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Instant, SystemTime};

use http::{HeaderValue, Method, StatusCode};
use opentelemetry::trace::{Link, SpanContext, SpanId, SpanKind, Status, TraceState};
use opentelemetry::{KeyValue, TraceFlags, TraceId};
use opentelemetry_sdk::trace::{SpanData, SpanEvents, SpanLinks};
use restwright_runtime::core::client_address::{ClientAddress, TrustedProxies};
use restwright_runtime::core::http::{HttpRequest, HttpResponse};

use super::Exporter;
use crate::TraceContext;
use crate::measured::{Measure, measure};

/// A request whose span is exported when this is dropped: at the end of the response, or when the request is given up.
pub(crate) struct Recording {
    exporter: Arc<Exporter>,
    context: TraceContext,
    method: &'static str,
    route: Option<Arc<str>>,
    client: Option<IpAddr>,
    time: SystemTime,
    start: Instant,
    status: Option<StatusCode>,
}

impl Recording {
    pub(crate) fn begin(
        exporter: Arc<Exporter>,
        context: TraceContext,
        request: &HttpRequest,
        route: Option<Arc<str>>,
        proxies: Option<&TrustedProxies>,
    ) -> Self {
        Self {
            exporter,
            context,
            method: method(request.method()),
            route,
            client: ClientAddress::from_request(request, proxies).0,
            time: SystemTime::now(),
            start: Instant::now(),
            status: None,
        }
    }

    /// Ends the span with the response.
    pub(crate) fn end(mut self, request: &HttpRequest, response: &mut HttpResponse) {
        self.status = Some(response.status());
        measure(request, response, self);
    }

    fn name(&self) -> String {
        let method = if self.method == OTHER { "HTTP" } else { self.method };
        self.route.as_ref().map_or_else(|| method.to_owned(), |route| format!("{method} {route}"))
    }

    fn attributes(&self) -> Vec<KeyValue> {
        let mut attributes = vec![KeyValue::new("http.request.method", self.method)];
        if let Some(route) = &self.route {
            attributes.push(KeyValue::new("http.route", route.clone()));
        }
        if let Some(client) = self.client {
            attributes.push(KeyValue::new("client.address", client.to_string()));
        }
        if let Some(status) = self.status {
            attributes.push(KeyValue::new("http.response.status_code", i64::from(status.as_u16())));
            if status.is_server_error() {
                attributes.push(KeyValue::new("error.type", status.as_str().to_owned()));
            }
        }
        attributes
    }

    fn links(&self) -> SpanLinks {
        let mut links = SpanLinks::default();
        if let Some(link) = self.context.link() {
            // The flags are the stranger's.
            let context = span_context(link.trace_id(), link.span_id(), TraceFlags::default(), true, None);
            links.links.push(Link::new(context, Vec::new(), 0));
        }
        links
    }
}

impl Measure for Recording {
    fn add_bytes(&mut self, _: usize) {}
}

impl Drop for Recording {
    fn drop(&mut self) {
        let context = &self.context;
        let has_failed = self.status.is_some_and(|status| status.is_server_error());
        let span = SpanData {
            span_context: span_context(
                context.trace_id(),
                context.span_id(),
                TraceFlags::SAMPLED,
                false,
                context.state(),
            ),
            parent_span_id: context.parent_id().map_or(SpanId::INVALID, span_id),
            parent_span_is_remote: context.parent_id().is_some(),
            span_kind: SpanKind::Server,
            name: self.name().into(),
            start_time: self.time,
            end_time: self.time.checked_add(self.start.elapsed()).unwrap_or(self.time),
            attributes: self.attributes(),
            dropped_attributes_count: 0,
            events: SpanEvents::default(),
            links: self.links(),
            status: if has_failed { Status::error("") } else { Status::Unset },
            instrumentation_scope: self.exporter.scope.clone(),
        };
        self.exporter.take(span);
    }
}

fn span_context(
    trace: &str,
    span: &str,
    flags: TraceFlags,
    is_remote: bool,
    state: Option<&HeaderValue>,
) -> SpanContext {
    let state = state.and_then(|state| state.to_str().ok()).and_then(|state| state.parse().ok());
    let state: TraceState = state.unwrap_or_default();
    SpanContext::new(TraceId::from_hex(trace).unwrap_or(TraceId::INVALID), span_id(span), flags, is_remote, state)
}

fn span_id(digits: &str) -> SpanId {
    SpanId::from_hex(digits).unwrap_or(SpanId::INVALID)
}

const OTHER: &str = "_OTHER";

/// Returns a method of RFC 9110 or RFC 5789: what clients make up is no name of anything.
fn method(method: &Method) -> &'static str {
    const KNOWN: [&str; 9] = ["GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH"];
    KNOWN.into_iter().find(|known| *known == method.as_str()).unwrap_or(OTHER)
}
