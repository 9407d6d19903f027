//! The layer that exports spans.

mod tracer;

use opentelemetry::Context;
use tracing::{Metadata, Subscriber};
use tracing_opentelemetry::{OpenTelemetryLayer, OpenTelemetrySpanExt};
use tracing_subscriber::filter::{FilterExt, LevelFilter, filter_fn};
use tracing_subscriber::layer::{Filter, Layer};
use tracing_subscriber::registry::LookupSpan;

use super::Telemetry;
use tracer::RequestTracer;

/// The `tracing` target of the request spans that are exported.
pub(crate) const TARGET: &str = "restwright::export";

/// The `tracing` target prefix of the `request` span that the runtime creates for the log. The export layer filters this
/// span out early.
const RUNTIME: &str = "restwright_runtime::";

/// The error message if the subscriber has no layer that exports spans, or filters the spans out.
pub(crate) const MISSING: &str = "spans cannot be exported, because the subscriber has no layer for them or filters them out; write \
    `restwright::telemetry::init()?;` as the first line of `main`, or add `restwright::telemetry::Telemetry::new().layer()` to your own subscriber and filter each layer separately";

impl Telemetry {
    /// Also exports events up to the level `INFO`, as part of their enclosing spans.
    ///
    /// Events may contain what the log contains, such as causes of errors. An event of the level `ERROR` sets the
    /// status of its span to Error.
    pub fn export_events(mut self) -> Self {
        self.exports_events = true;
        self
    }

    /// Returns the layer that exports spans. Add it to your own subscriber.
    ///
    /// Put filters on the layers of the subscriber. A filter on the subscriber itself would also filter the export.
    ///
    /// # Panics
    ///
    /// Panics if the subscriber does not support filters per layer. `tracing_subscriber::registry()` supports them, and
    /// `tracing_subscriber::fmt()` does not.
    ///
    /// ```
    /// use restwright_production::telemetry::Telemetry;
    /// use tracing_subscriber::filter::{LevelFilter, Targets};
    /// use tracing_subscriber::prelude::*;
    ///
    /// // The log does not need the span that is exported for a request.
    /// let logged = Targets::new().with_default(LevelFilter::INFO).with_target("restwright::export", LevelFilter::OFF);
    /// let log = tracing_subscriber::fmt::layer().with_filter(logged);
    /// tracing_subscriber::registry().with(log).with(Telemetry::new().layer()).init();
    /// ```
    #[must_use = "it has no effect until it is added to a subscriber"]
    pub fn layer<S>(self) -> impl Layer<S>
    where
        S: Subscriber + for<'span> LookupSpan<'span>,
    {
        let layer = OpenTelemetryLayer::new(RequestTracer::new())
            .with_location(false)
            .with_target(false)
            .with_threads(false)
            .with_tracked_inactivity(false)
            // Parents come from the spans of the subscriber.
            .with_context_activation(false);
        let exports_events = self.exports_events;
        let filter = filter_fn(move |metadata| is_exported(metadata, exports_events));
        layer.with_filter(filter.with_max_level_hint(LevelFilter::INFO))
    }
}

/// Removes the spans that are exported from a filter of the log, because the log already has a span for each request.
pub(super) fn without_exported_spans<S: Subscriber>(filter: impl Filter<S>) -> impl Filter<S> {
    let is_logged = filter_fn(|metadata: &Metadata<'_>| metadata.target() != TARGET);
    filter.and(is_logged.with_max_level_hint(LevelFilter::TRACE))
}

fn is_exported(metadata: &Metadata<'_>, exports_events: bool) -> bool {
    let is_wanted = if metadata.is_span() { !metadata.target().starts_with(RUNTIME) } else { exports_events };
    is_wanted && *metadata.level() <= LevelFilter::INFO
}

/// Returns `true` if the current subscriber has the export layer and exports request spans.
pub(crate) fn is_installed() -> bool {
    struct Probe;
    let span = tracing::info_span!(target: TARGET, "probe");
    // The layer starts the span in the context of its parent.
    span.set_parent(Context::new().with_value(Probe)).is_ok() && span.context().get::<Probe>().is_some()
}
