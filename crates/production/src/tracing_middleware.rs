//! Defines [`Tracing`], the middleware that assigns each request to a trace.

use std::fmt;
#[cfg(feature = "opentelemetry")]
use std::sync::Arc;
use std::sync::OnceLock;

use restwright_runtime::core::client_address::TrustedProxies;
use restwright_runtime::core::http::{HttpRequest, HttpResponse};
use restwright_runtime::core::operation::Operation;
#[cfg(feature = "opentelemetry")]
use restwright_runtime::core::runtime::Unwatched;
use restwright_runtime::core::{BuildContext, BuildError, BuildErrorKind, BuildErrors, Middleware, Next, Result};
use tracing::Instrument;

#[cfg(feature = "opentelemetry")]
use crate::otlp::{Exporter, Otlp, Recording};
use crate::trace_context::{ReadsContext, TRACEPARENT, TRACESTATE, TraceContext};

/// A middleware that assigns each request to a trace, as in [W3C Trace Context](https://www.w3.org/TR/trace-context-1/).
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
#[must_use = "it has no effect until it is registered with `.middleware(..)`"]
pub struct Tracing {
    proxies: OnceLock<Option<TrustedProxies>>,
    #[cfg(feature = "opentelemetry")]
    exporter: Option<Arc<Exporter>>,
}

/// `true` if a tracing middleware already traces the operation.
#[derive(Default)]
struct IsTraced(bool);

/// A placeholder for the recorded span if the feature `opentelemetry` is disabled. It has no values.
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

/// The path template of a route, or `None` if the spans of the route are not recorded.
#[cfg(feature = "opentelemetry")]
#[derive(Default)]
struct Recorded(Option<Arc<str>>);

impl Tracing {
    /// Creates the middleware, which does not export spans by default.
    pub fn new() -> Self {
        Self::default()
    }

    /// Exports the spans of requests to a collector. Requires the feature `opentelemetry`.
    ///
    /// A new trace is sampled by the [ratio](crate::Otlp::ratio) of the collector. A continued trace is sampled if its
    /// sampled flag is set. Only sampled traces are recorded, and `traceparent` for other services has the same flag.
    /// The server does not start without the layer of [`telemetry::init`](crate::telemetry::init).
    #[cfg(feature = "opentelemetry")]
    pub fn export(mut self, collector: Otlp) -> Self {
        self.exporter = Some(Arc::new(Exporter::new(collector)));
        self
    }

    /// Returns `true` if a request must be assigned to a trace.
    fn is_traced(&self, request: &HttpRequest) -> bool {
        #[cfg(feature = "opentelemetry")]
        if self.exporter.is_some() {
            return true;
        }
        request.header_bytes(&TRACEPARENT).is_some()
            || request.route().and_then(|route| route.kept()).is_some_and(|&ReadsContext(reads)| reads)
    }

    /// Registers the exporter as a component, and reports errors in its settings.
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

    /// Assigns a request to a trace, and returns the span of the request if the span is recorded.
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

    /// Starts the span of a request if its trace is sampled.
    #[cfg(feature = "opentelemetry")]
    fn record(&self, context: TraceContext, request: &HttpRequest) -> (TraceContext, Option<Recording>) {
        let Some(exporter) = &self.exporter else { return (context, None) };
        let route = match request.route().map(|route| (route, route.kept::<Recorded>())) {
            Some((_, Some(Recorded(None)))) => {
                return (context.sampled(false), None);
            }
            Some((_, Some(Recorded(template)))) => template.clone(),
            // An outer middleware did not forward `plan`.
            Some((route, None)) => Some(route.template().as_str().into()),
            None => None,
        };
        let is_continued = context.parent_id().is_some();
        let is_sampled = if is_continued { context.is_sampled() } else { exporter.samples(context.trace_id()) };
        let context = context.sampled(is_sampled);
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
            let mistake =
                "`Tracing` is registered twice, so the second would continue the trace of the first; register it once";
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

/// Handles a request inside its span, if the span is recorded.
pub(crate) async fn within<T>(recording: Option<&Recording>, handling: impl Future<Output = T>) -> T {
    match recording {
        Some(recording) => handling.instrument(recording.span().clone()).await,
        None => handling.await,
    }
}
