//! The trace of a request (W3C Trace Context).

mod ids;
mod traceparent;
mod tracestate;

use std::fmt;
#[cfg(feature = "opentelemetry")]
use std::sync::Arc;
use std::sync::OnceLock;

use http::{HeaderMap, HeaderName, HeaderValue};
use restwright_runtime::core::client_address::TrustedProxies;
use restwright_runtime::core::http::{HttpRequest, HttpResponse};
use restwright_runtime::core::operation::Operation;
use restwright_runtime::core::problem::RequestViolations;
use restwright_runtime::core::{
    BuildContext, BuildError, BuildErrorKind, BuildErrors, Middleware, Next, Part, RequestHead, Result,
};

#[cfg(feature = "opentelemetry")]
use crate::otlp::{Exporter, Recording};
#[cfg(feature = "opentelemetry")]
use crate::unwatched::Unwatched;
use traceparent::Traceparent;
use tracing::Instrument;

const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");
const TRACESTATE: HeaderName = HeaderName::from_static("tracestate");

/// A middleware that assigns each request to a trace, by [W3C Trace Context](https://www.w3.org/TR/trace-context-1/).
///
/// A `traceparent` from a [trusted proxy](TrustedProxies) continues the caller's trace. A `traceparent` from any other
/// caller only becomes a [link](TraceContext::link), and the request starts a new trace. Untrusted callers therefore
/// cannot join traces or decide what is recorded. A request without `traceparent` starts a trace only if its route
/// reads [`TraceContext`], or if spans are exported.
///
/// The span `request` has `trace_id` and `span_id`. The line of [`RequestLog`](crate::RequestLog) has `trace_id` and
/// `linked_trace_id`. A controller reads the context as the request part [`TraceContext`]. Responses do not change, and
/// the document does not list the headers, because proxies write them. Register it first.
///
/// ```
/// use restwright_production::{RequestLog, Tracing};
/// use restwright_runtime::Api;
/// use restwright_runtime::core::Configuration;
/// use restwright_runtime::core::client_address::TrustedProxies;
///
/// let configuration = Configuration::new("shop", "1.0.0").trusted_proxies(TrustedProxies::new(["10.0.0.0/8"]));
/// let api = Api::builder(configuration).middleware(Tracing::new()).middleware(RequestLog::new()).build()?;
/// # Ok::<(), restwright_runtime::core::BuildErrors>(())
/// ```
#[derive(Default)]
#[must_use = "it does nothing until it is registered with `.middleware(..)`"]
pub struct Tracing {
    proxies: OnceLock<Option<TrustedProxies>>,
    #[cfg(feature = "opentelemetry")]
    exporter: Option<Arc<Exporter>>,
}

/// True if the operation is traced by a tracing middleware.
#[derive(Default)]
struct IsTraced(bool);

/// True if the route reads [`TraceContext`].
#[derive(Default)]
struct ReadsContext(bool);

/// A placeholder that never exists, because nothing is recorded without an exporter.
#[cfg(not(feature = "opentelemetry"))]
pub(crate) enum Recording {}

#[cfg(not(feature = "opentelemetry"))]
impl Recording {
    pub(crate) fn span(&self) -> &tracing::Span {
        match *self {}
    }

    pub(crate) fn end(self, _request: &HttpRequest, _response: &mut HttpResponse) {
        match self {}
    }
}

/// The path template of a route whose spans are recorded.
#[cfg(feature = "opentelemetry")]
#[derive(Default)]
struct Recorded(Option<Arc<str>>);

impl Tracing {
    /// Creates the middleware.
    pub fn new() -> Self {
        Self::default()
    }

    /// Exports the spans of requests to a collector. Requires the feature `opentelemetry`.
    ///
    /// The collector's [ratio](crate::Otlp::ratio) samples new traces. The sampled flag decides for continued traces.
    /// Only sampled requests are recorded, and the outgoing `traceparent` has the same flag. The server does not start
    /// without the layer of [`telemetry::init`](crate::telemetry::init).
    #[cfg(feature = "opentelemetry")]
    pub fn export(mut self, collector: crate::Otlp) -> Self {
        self.exporter = Some(Arc::new(Exporter::new(collector)));
        self
    }

    /// Returns whether a request is assigned to a trace.
    fn is_traced(&self, request: &HttpRequest) -> bool {
        #[cfg(feature = "opentelemetry")]
        if self.exporter.is_some() {
            return true;
        }
        request.header_bytes(&TRACEPARENT).is_some()
            || request.route().and_then(|route| route.kept()).is_some_and(|&ReadsContext(reads)| reads)
    }

    /// Registers the exporter, and reports the errors of its declaration.
    #[cfg(feature = "opentelemetry")]
    fn plan_export(exporter: &Arc<Exporter>, context: &mut BuildContext<'_>) {
        for mistake in exporter.otlp().mistakes() {
            context.api_errors().push(BuildError::new(BuildErrorKind::Configuration, mistake));
        }
        if exporter.set_service(context.configuration()) {
            context.component(exporter.clone());
        }
        let is_watched = context.route().setting::<Unwatched>().is_none();
        let template = is_watched.then(|| context.template().as_str().into());
        *context.kept() = Recorded(template);
    }

    /// Assigns a request to a trace, and returns its span if it is recorded.
    pub(crate) fn begin(&self, request: &mut HttpRequest) -> Option<Recording> {
        if !self.is_traced(request) {
            return None;
        }
        let context = TraceContext::from_request(request, self.proxies.get().and_then(Option::as_ref));
        #[cfg(feature = "opentelemetry")]
        let (context, recording) = self.record(context, request);
        #[cfg(not(feature = "opentelemetry"))]
        let recording = None;
        let span = tracing::Span::current();
        if !span.is_disabled() {
            span.record("trace_id", context.trace_id()).record("span_id", context.span_id());
        }
        drop(span);
        request.extensions_mut().insert(context);
        recording
    }

    /// Decides whether the span of a request is recorded, and starts it.
    #[cfg(feature = "opentelemetry")]
    fn record(&self, context: TraceContext, request: &HttpRequest) -> (TraceContext, Option<Recording>) {
        let Some(exporter) = &self.exporter else { return (context, None) };
        let route = match request.route().map(|route| (route, route.kept::<Recorded>())) {
            Some((_, Some(Recorded(None)))) => {
                return (TraceContext { is_sampled: false, ..context }, None);
            }
            Some((_, Some(Recorded(template)))) => template.clone(),
            // An outer middleware did not forward `plan`.
            Some((route, None)) => Some(route.template().as_str().into()),
            None => None,
        };
        let is_continued = context.parent_id.is_some();
        let is_sampled = if is_continued { context.is_sampled } else { exporter.samples(context.trace_id()) };
        let context = TraceContext { is_sampled, ..context };
        let proxies = self.proxies.get().and_then(Option::as_ref);
        let exporting = is_sampled.then(|| exporter.context()).flatten();
        let recording = exporting.map(|exporting| Recording::begin(&exporting, &context, request, route, proxies));
        (context, recording)
    }
}

impl Middleware for Tracing {
    fn plan(&self, context: &mut BuildContext<'_>) -> Result<(), BuildErrors> {
        self.proxies.get_or_init(|| context.configuration().get().cloned());
        if std::mem::replace(&mut context.operation_state::<IsTraced>().0, true) {
            let mistake = "`Tracing` is registered twice, of which the second would find the context of the first; register it once";
            context.api_errors().push(BuildError::new(BuildErrorKind::Configuration, mistake));
        }
        #[cfg(feature = "opentelemetry")]
        if let Some(exporter) = &self.exporter {
            Self::plan_export(exporter, context);
        }
        Ok(())
    }

    fn describe(&self, operation: &mut Operation) {
        operation.unlisted_headers.extend([TRACEPARENT, TRACESTATE]);
    }

    async fn handle(&self, request: &mut HttpRequest, next: Next<'_>) -> Result<HttpResponse> {
        let recording = self.begin(request);
        let mut response = within(recording.as_ref(), next.run(request)).await;
        if let Some(recording) = recording {
            recording.end(request, &mut response);
        }
        Ok(response)
    }
}

impl fmt::Debug for Tracing {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = formatter.debug_struct("Tracing");
        #[cfg(feature = "opentelemetry")]
        debug.field("collector", &self.exporter.as_ref().map(|exporter| exporter.otlp()));
        debug.finish_non_exhaustive()
    }
}

/// Handles a request inside its span, if it is recorded.
pub(crate) async fn within<T>(recording: Option<&Recording>, handling: impl Future<Output = T>) -> T {
    match recording {
        Some(recording) => handling.instrument(recording.span().clone()).await,
        None => handling.await,
    }
}

/// The trace context of a request, as a request part. It works with and without [`Tracing`], and adds nothing to the
/// document.
///
/// ```
/// use restwright_production::TraceContext;
/// use restwright_runtime::core::http::HeaderMap;
///
/// /// Asks another service, whose spans then are below that of this request.
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

/// The span of an untrusted caller. It is linked and not continued.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct TraceLink {
    trace_id: [u8; 32],
    span_id: [u8; 16],
}

impl TraceContext {
    /// Returns the context that [`Tracing`] created, or a new context from the headers.
    fn from_request(request: &HttpRequest, proxies: Option<&TrustedProxies>) -> Self {
        if let Some(known) = request.extensions().get::<Self>() {
            return known.clone();
        }
        let span_id = ids::make();
        let incoming = request.header_bytes(&TRACEPARENT).and_then(Traceparent::parse);
        // Repeated headers are ignored (section 3.2.1).
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

    /// Returns the identifier of the trace: 32 hexadecimal digits in lower case.
    #[must_use]
    pub fn trace_id(&self) -> &str {
        text(&self.trace_id)
    }

    /// Returns the identifier of the request's span: 16 hexadecimal digits in lower case.
    #[must_use]
    pub fn span_id(&self) -> &str {
        text(&self.span_id)
    }

    /// Returns the identifier of the caller's span if its trace is continued.
    #[must_use]
    pub fn parent_id(&self) -> Option<&str> {
        self.parent_id.as_ref().map(|id| text(id))
    }

    /// Returns whether the trace is recorded. For a continued trace the caller decides, otherwise the exporter of
    /// [`Tracing`]. Without an exporter, new traces are not sampled.
    #[must_use]
    pub fn is_sampled(&self) -> bool {
        self.is_sampled
    }

    /// Returns the `tracestate` of a continued trace.
    #[cfg(feature = "opentelemetry")]
    pub(crate) fn state(&self) -> Option<&HeaderValue> {
        self.state.as_ref()
    }

    /// Returns the span of an untrusted caller.
    #[must_use]
    pub fn link(&self) -> Option<&TraceLink> {
        self.link.as_ref()
    }

    /// Sets `traceparent` and `tracestate` for a request to another service. Existing values are replaced. The
    /// request's span becomes the parent of the other service's spans.
    ///
    /// `tracestate` has at most 512 bytes. Members of more than 128 bytes are removed first, then the last members. A
    /// `tracestate` that is invalid, has more than 32 members, or repeats a key is removed completely. `baggage` is not
    /// forwarded.
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
    /// Returns the identifier of the caller's trace: 32 hexadecimal digits in lower case.
    #[must_use]
    pub fn trace_id(&self) -> &str {
        text(&self.trace_id)
    }

    /// Returns the identifier of the caller's span: 16 hexadecimal digits in lower case.
    #[must_use]
    pub fn span_id(&self) -> &str {
        text(&self.span_id)
    }
}

/// Returns ASCII digits as a string.
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
