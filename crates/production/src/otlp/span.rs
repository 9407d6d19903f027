//! Records the OpenTelemetry span of one request.

use std::sync::Arc;

use http::{HeaderValue, Method, StatusCode};
use opentelemetry::trace::{SpanContext, SpanId, Status, TraceContextExt, TraceState};
use opentelemetry::{Context, KeyValue, TraceFlags, TraceId};
use restwright_runtime::core::client_address::{ClientAddress, TrustedProxies};
use restwright_runtime::core::http::{HttpRequest, HttpResponse};
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt;

use super::identifiers::start_as;
use crate::measured::{Measure, measure};
use crate::telemetry::TARGET;
use crate::trace_context::TraceContext;

/// The span of a request. It is exported on drop, when the response ends or when the request is cancelled.
pub(crate) struct Recording {
    /// The span in the `tracing` subscriber. It is the parent of the application's spans.
    span: Span,
    /// The same span in OpenTelemetry.
    started: Context,
    status: Option<StatusCode>,
}

impl Recording {
    /// Starts the span of a request. `exporter` is the context of the Api's exporter.
    pub(crate) fn begin(
        exporter: &Context,
        context: &TraceContext,
        request: &HttpRequest,
        route: Option<Arc<str>>,
        proxies: Option<&TrustedProxies>,
    ) -> Self {
        let (trace_id, span_id) = (trace_id(context.trace_id()), self::span_id(context.span_id()));
        let parent = match context.parent_id() {
            Some(parent) => {
                let state = trace_state(context.state());
                let parent = SpanContext::new(trace_id, self::span_id(parent), TraceFlags::SAMPLED, true, state);
                exporter.with_remote_span_context(parent)
            }
            None => exporter.clone(),
        };
        let span = tracing::info_span!(target: TARGET, "http", otel.kind = "server");
        // Fails only without the export layer, but then the exporter does not start.
        let _ = span.set_parent(parent);
        let started = start_as(trace_id, span_id, || span.context());
        let recorded = started.span();
        let method = method(request.method());
        recorded.update_name(name(method, route.as_deref()));
        recorded.set_attribute(KeyValue::new("http.request.method", method));
        if let Some(route) = route {
            recorded.set_attribute(KeyValue::new("http.route", route));
        }
        if let ClientAddress(Some(client)) = ClientAddress::from_request(request, proxies) {
            recorded.set_attribute(KeyValue::new("client.address", client.to_string()));
        }
        if let Some(link) = context.link() {
            // An untrusted caller has set the flags, so they are not copied.
            let (trace, span) = (self::trace_id(link.trace_id()), self::span_id(link.span_id()));
            let link = SpanContext::new(trace, span, TraceFlags::default(), true, TraceState::default());
            recorded.add_link(link, Vec::new());
        }
        Self { span, started, status: None }
    }

    /// Returns the `tracing` span that is active while the request is handled.
    pub(crate) fn span(&self) -> &Span {
        &self.span
    }

    /// Ends the span when the response ends.
    pub(crate) fn end(mut self, request: &HttpRequest, response: &mut HttpResponse) {
        self.status = Some(response.status());
        measure(request, response, self);
    }
}

impl Measure for Recording {
    fn add_bytes(&mut self, _: usize) {}
}

impl Drop for Recording {
    fn drop(&mut self) {
        let recorded = self.started.span();
        if let Some(status) = self.status {
            recorded.set_attribute(KeyValue::new("http.response.status_code", i64::from(status.as_u16())));
            if status.is_server_error() {
                recorded.set_attribute(KeyValue::new("error.type", status.as_str().to_owned()));
                recorded.set_status(Status::error(""));
            }
        }
        // Tasks that continue may hold the subscriber's span, which then ends later.
        recorded.end();
    }
}

fn name(method: &'static str, route: Option<&str>) -> String {
    let method = if method == OTHER { "HTTP" } else { method };
    route.map_or_else(|| method.to_owned(), |route| format!("{method} {route}"))
}

fn trace_state(state: Option<&HeaderValue>) -> TraceState {
    let state = state.and_then(|state| state.to_str().ok()).and_then(|state| state.parse().ok());
    state.unwrap_or_default()
}

fn trace_id(digits: &str) -> TraceId {
    TraceId::from_hex(digits).unwrap_or(TraceId::INVALID)
}

fn span_id(digits: &str) -> SpanId {
    SpanId::from_hex(digits).unwrap_or(SpanId::INVALID)
}

const OTHER: &str = "_OTHER";

/// Returns the value of `http.request.method`. Methods outside RFC 9110, RFC 5789 and RFC 10008 are `_OTHER`, because clients can
/// invent methods.
fn method(method: &Method) -> &'static str {
    const KNOWN: [&str; 10] = ["GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH", "QUERY"];
    KNOWN.into_iter().find(|known| *known == method.as_str()).unwrap_or(OTHER)
}
