//! Reads the trace context of a request (W3C Trace Context).

mod ids;

#[cfg(any(feature = "metrics", feature = "opentelemetry"))]
pub(crate) use ids::instance;
mod traceparent;
mod tracestate;

use std::fmt;

use http::{HeaderMap, HeaderName, HeaderValue};
use restwright_runtime::core::client_address::TrustedProxies;
use restwright_runtime::core::http::HttpRequest;
use restwright_runtime::core::operation::Operation;
use restwright_runtime::core::problem::RequestViolations;
use restwright_runtime::core::{BuildContext, BuildErrors, Part, RequestHead, Result};

use traceparent::Traceparent;

pub(crate) const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");
pub(crate) const TRACESTATE: HeaderName = HeaderName::from_static("tracestate");

/// `true` if the route reads [`TraceContext`].
#[derive(Default)]
pub(crate) struct ReadsContext(pub(crate) bool);

/// A request part that contains the trace identifiers of the request (W3C Trace Context).
///
/// It works with and without [`Tracing`](crate::Tracing), and adds nothing to the OpenAPI document.
///
/// ```
/// use restwright_production::TraceContext;
/// use restwright_runtime::core::http::HeaderMap;
///
/// /// Returns headers for a request to another service. Its spans are then children of this request's span.
/// fn headers(trace: &TraceContext) -> HeaderMap {
///     let mut headers = HeaderMap::new();
///     trace.outgoing(&mut headers);
///     headers
/// }
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct TraceContext {
    trace_id: [u8; 32],
    span_id: [u8; 16],
    parent_id: Option<[u8; 16]>,
    is_sampled: bool,
    state: Option<HeaderValue>,
    link: Option<TraceLink>,
}

/// The span of an untrusted caller. Spans and log lines link to it, but the request does not continue its trace.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct TraceLink {
    trace_id: [u8; 32],
    span_id: [u8; 16],
}

impl TraceContext {
    /// Returns the trace context that [`Tracing`](crate::Tracing) has set. Without `Tracing`, creates a context from
    /// the headers of the request.
    pub(crate) fn from_request(request: &HttpRequest, proxies: Option<&TrustedProxies>) -> Self {
        if let Some(known) = request.extensions().get::<Self>() {
            return known.clone();
        }
        let span_id = ids::make();
        let incoming = request.header_bytes(&TRACEPARENT).and_then(Traceparent::parse);
        // Repeated `traceparent` headers are invalid, so they are ignored (section 3.2.1).
        let incoming = incoming.filter(|_| request.only_header(&TRACEPARENT).is_ok());
        match incoming {
            Some(parent) if proxies.is_some_and(|proxies| proxies.trusts_peer(request)) => Self {
                trace_id: parent.trace_id,
                span_id,
                parent_id: Some(parent.span_id),
                is_sampled: parent.is_sampled,
                state: tracestate::combine(&request.header_values(&TRACESTATE)),
                link: None,
            },
            other => Self {
                trace_id: ids::make(),
                span_id,
                parent_id: None,
                is_sampled: false,
                state: None,
                link: other.map(|Traceparent { trace_id, span_id, .. }| TraceLink { trace_id, span_id }),
            },
        }
    }

    /// Returns the identifier of the trace, as 32 lower-case hexadecimal digits.
    #[must_use]
    pub fn trace_id(&self) -> &str {
        text(&self.trace_id)
    }

    /// Returns the identifier of the request's span, as 16 lower-case hexadecimal digits.
    #[must_use]
    pub fn span_id(&self) -> &str {
        text(&self.span_id)
    }

    /// Returns the identifier of the caller's span if the request continues the caller's trace, otherwise `None`.
    #[must_use]
    pub fn parent_id(&self) -> Option<&str> {
        self.parent_id.as_ref().map(|id| text(id))
    }

    /// Returns the sampled flag of `traceparent`, which is `true` if the trace is recorded.
    ///
    /// A continued trace keeps the flag of its caller. A new trace is sampled only if [`Tracing`](crate::Tracing)
    /// exports its spans.
    #[must_use]
    pub fn is_sampled(&self) -> bool {
        self.is_sampled
    }

    /// Sets the sampled flag of the trace context.
    #[cfg(feature = "opentelemetry")]
    pub(crate) fn sampled(self, is_sampled: bool) -> Self {
        Self { is_sampled, ..self }
    }

    /// Returns the caller's `tracestate` if the request continues the caller's trace, otherwise `None`.
    #[cfg(feature = "opentelemetry")]
    pub(crate) fn state(&self) -> Option<&HeaderValue> {
        self.state.as_ref()
    }

    /// Returns the span of the caller if the caller is untrusted, otherwise `None`.
    #[must_use]
    pub fn link(&self) -> Option<&TraceLink> {
        self.link.as_ref()
    }

    /// Sets `traceparent` and `tracestate` in the headers of a request to another service. Existing values are
    /// replaced.
    ///
    /// The spans of the other service are then children of this request's span.
    ///
    /// `tracestate` has at most 512 bytes. In a longer list, members of more than 128 bytes are removed first, then the
    /// last members. A `tracestate` that is invalid, has more than 32 members or repeats a key is removed entirely.
    /// `baggage` is not forwarded.
    pub fn outgoing(&self, headers: &mut HeaderMap) {
        let flags = if self.is_sampled { "01" } else { "00" };
        let parent = format!("00-{}-{}-{flags}", self.trace_id(), self.span_id());
        if let Ok(parent) = HeaderValue::from_str(&parent) {
            headers.insert(TRACEPARENT, parent);
        }
        match &self.state {
            Some(state) => headers.insert(TRACESTATE, state.clone()),
            None => headers.remove(TRACESTATE),
        };
    }
}

impl TraceLink {
    /// Returns the identifier of the caller's trace, as 32 lower-case hexadecimal digits.
    #[must_use]
    pub fn trace_id(&self) -> &str {
        text(&self.trace_id)
    }

    /// Returns the identifier of the caller's span, as 16 lower-case hexadecimal digits.
    #[must_use]
    pub fn span_id(&self) -> &str {
        text(&self.span_id)
    }
}

/// Converts ASCII digits to a string.
fn text(digits: &[u8]) -> &str {
    str::from_utf8(digits).unwrap_or_default()
}

impl Part for TraceContext {
    type Plan = Option<TrustedProxies>;

    fn plan(context: &mut BuildContext<'_>) -> Result<Self::Plan, BuildErrors> {
        context.kept::<ReadsContext>().0 = true;
        Ok(context.configuration().get().cloned())
    }

    fn describe(_: &Self::Plan, _: &mut Operation) {}

    fn read(plan: &Self::Plan, head: &RequestHead<'_>, _: &mut RequestViolations) -> Option<Self> {
        let context = head.shared(|| Some(Self::from_request(head.request(), plan.as_ref())))?;
        Some((*context).clone())
    }
}

impl fmt::Debug for TraceContext {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("TraceContext")
            .field("trace_id", &self.trace_id())
            .field("span_id", &self.span_id())
            .field("parent_id", &self.parent_id())
            .field("is_sampled", &self.is_sampled)
            .field("link", &self.link)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for TraceLink {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("TraceLink")
            .field("trace_id", &self.trace_id())
            .field("span_id", &self.span_id())
            .finish()
    }
}
