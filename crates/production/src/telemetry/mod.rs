//! Installs a `tracing` subscriber with a log on stdout and the layer that [`Otlp`](crate::Otlp) requires.
//!
//! ```no_run
//! // First in `main`.
//! let log_filter = restwright_production::telemetry::init()?;
//! // Later, such as in a controller for operators.
//! log_filter.set("info,shop=debug")?;
//! # Ok::<(), restwright_production::telemetry::TelemetryError>(())
//! ```

mod tracer;

use std::env::{VarError, var};
use std::error::Error;
use std::fmt;
use std::io::stdout;

use opentelemetry::Context;
use tracing::{Metadata, Subscriber};
use tracing_opentelemetry::{OpenTelemetryLayer, OpenTelemetrySpanExt};
use tracing_subscriber::filter::{EnvFilter, FilterExt, LevelFilter, filter_fn};
use tracing_subscriber::layer::{Layer, SubscriberExt};
use tracing_subscriber::registry::{LookupSpan, Registry};
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{fmt as format, reload};

use crate::log_output::LogOutput;
use crate::panics::log_panics;
use tracer::RequestTracer;

/// The `tracing` target of the request spans that are exported.
pub(crate) const TARGET: &str = "restwright::export";

/// The `tracing` target prefix of the `request` span that the runtime creates for the log. The export layer filters this
/// span out early.
const RUNTIME: &str = "restwright_runtime::";

/// The error message if the subscriber has no layer that exports spans, or filters the spans out.
pub(crate) const MISSING: &str = "spans cannot be exported, because the subscriber has no layer for them or filters them out; write \
    `restwright::telemetry::init()?;` as the first line of `main`, or add `restwright::telemetry::Telemetry::new().layer()` to your own subscriber and filter each layer separately";

/// Installs a `tracing` subscriber with a text log on stdout and the layer that exports spans. Call it first in `main`.
///
/// It is [`Telemetry::init`] with default settings.
///
/// # Errors
///
/// Returns an error if a subscriber is already installed, or if `RUST_LOG` is invalid.
pub fn init() -> Result<LogFilter, TelemetryError> {
    Telemetry::new().init()
}

/// The settings of a `tracing` subscriber that writes the log and exports spans.
///
/// The log and the export have separate filters. `RUST_LOG` filters the log by the [directives of
/// `EnvFilter`](https://docs.rs/tracing-subscriber/0.3/tracing_subscriber/filter/struct.EnvFilter.html#directives). Its
/// default is `info`. `RUST_LOG` does not affect the export, which contains spans up to the level `INFO`. A span is
/// exported if the span of its request is exported. Its parent is the enclosing span, or the span of the request.
#[derive(Debug, Clone, Default)]
#[must_use = "it has no effect until `init` or `layer` is called"]
pub struct Telemetry {
    writes_json: bool,
    exports_events: bool,
}

impl Telemetry {
    /// Creates settings that write a text log and export spans without events.
    pub fn new() -> Self {
        Self::default()
    }

    /// Writes each log line as a JSON object.
    pub fn json(mut self) -> Self {
        self.writes_json = true;
        self
    }

    /// Also exports events up to the level `INFO`, as part of their enclosing spans.
    ///
    /// Events may contain what the log contains, such as causes of errors. An event of the level `ERROR` sets the
    /// status of its span to Error.
    pub fn export_events(mut self) -> Self {
        self.exports_events = true;
        self
    }

    /// Installs the subscriber for the whole process. It writes the log to stdout through [`LogOutput`], and
    /// [panics](crate::log_panics) in the format of the log.
    ///
    /// # Errors
    ///
    /// Returns an error if a subscriber is already installed, or if `RUST_LOG` is invalid.
    pub fn init(self) -> Result<LogFilter, TelemetryError> {
        let directives = match var(EnvFilter::DEFAULT_ENV) {
            Err(VarError::NotPresent) => String::new(),
            Err(error @ VarError::NotUnicode(_)) => return Err(TelemetryError::of_filter("RUST_LOG", error)),
            Ok(directives) => directives,
        };
        let (filter, handle) = reload::Layer::new(parse(&directives)?);
        // The log already has a span for each request.
        let is_logged = filter_fn(|metadata| metadata.target() != TARGET).with_max_level_hint(LevelFilter::TRACE);
        let log = format::layer().with_ansi(false).with_writer(|| LogOutput::new(stdout()));
        let log = if self.writes_json { log.json().boxed() } else { log.boxed() };
        let subscriber = tracing_subscriber::registry().with(log.with_filter(filter.and(is_logged))).with(self.layer());
        let installed = subscriber.try_init();
        installed.map_err(|error| {
            TelemetryError(format!(
                "{error}; call `restwright::telemetry::init()` first in `main`, and do not initialise another subscriber"
            ))
        })?;
        log_panics();
        Ok(LogFilter(handle))
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

fn is_exported(metadata: &Metadata<'_>, exports_events: bool) -> bool {
    let is_wanted = if metadata.is_span() { !metadata.target().starts_with(RUNTIME) } else { exports_events };
    is_wanted && *metadata.level() <= LevelFilter::INFO
}

/// A handle that changes the log filter at run time. Clones share the same filter.
#[derive(Clone)]
pub struct LogFilter(reload::Handle<EnvFilter, Registry>);

impl LogFilter {
    /// Replaces the log filter. `directives` uses the syntax of `RUST_LOG`, such as `info,shop=debug`. The export does
    /// not change.
    ///
    /// # Errors
    ///
    /// Returns an error if the directives are invalid. The filter then does not change.
    pub fn set(&self, directives: &str) -> Result<(), TelemetryError> {
        self.0.reload(parse(directives)?).map_err(|error| TelemetryError(error.to_string()))
    }
}

impl fmt::Debug for LogFilter {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let directives = self.0.with_current(ToString::to_string).unwrap_or_default();
        formatter.debug_tuple("LogFilter").field(&directives).finish()
    }
}

/// The error returned if the subscriber cannot be installed or a filter is invalid.
#[derive(Debug)]
pub struct TelemetryError(String);

impl TelemetryError {
    fn of_filter(directives: &str, error: impl fmt::Display) -> Self {
        Self(format!("{directives:?} is not a log filter: {error}; write directives such as `info,shop=debug`"))
    }
}

impl fmt::Display for TelemetryError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl Error for TelemetryError {}

/// Parses filter directives. An empty string means the level `INFO`.
fn parse(directives: &str) -> Result<EnvFilter, TelemetryError> {
    let filter = EnvFilter::builder().with_default_directive(LevelFilter::INFO.into());
    filter.parse(directives).map_err(|error| TelemetryError::of_filter(directives, error))
}

/// Returns `true` if the current subscriber has the export layer and exports request spans.
pub(crate) fn is_installed() -> bool {
    struct Probe;
    let span = tracing::info_span!(target: TARGET, "probe");
    // The layer starts the span in the context of its parent.
    span.set_parent(Context::new().with_value(Probe)).is_ok() && span.context().get::<Probe>().is_some()
}
