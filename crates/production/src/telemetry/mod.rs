//! Installs a `tracing` subscriber with a log on stdout. With the feature `opentelemetry`, the subscriber also has the
//! layer that `Otlp` requires.
//!
//! ```no_run
//! // First in `main`.
//! let log_filter = restwright_production::telemetry::init()?;
//! // Later, such as in a controller for operators.
//! log_filter.set("info,shop=debug")?;
//! # Ok::<(), restwright_runtime::core::SetupError>(())
//! ```

#[cfg(feature = "opentelemetry")]
mod export;
mod log_filter;

use std::io::stdout;

use restwright_runtime::core::{Settings, SetupError};
use tracing_subscriber::layer::{Layer, SubscriberExt};
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{fmt, reload};

use crate::log_output::LogOutput;
use crate::panics::log_panics;
#[cfg(feature = "opentelemetry")]
pub(crate) use export::{MISSING, TARGET, is_installed};
pub use log_filter::LogFilter;
use log_filter::{directives, parse};

/// Installs a `tracing` subscriber with a text log on stdout. Call it first in `main`.
///
/// It is [`Telemetry::init`] with default settings.
///
/// # Errors
///
/// Returns an error if a subscriber is already installed, or if `RUST_LOG` is invalid.
pub fn init() -> Result<LogFilter, SetupError> {
    Telemetry::new().init()
}

/// The settings of a `tracing` subscriber that writes the log, and that exports spans with the feature `opentelemetry`.
///
/// `RUST_LOG` filters the log by the [directives of
/// `EnvFilter`](https://docs.rs/tracing-subscriber/0.3/tracing_subscriber/filter/struct.EnvFilter.html#directives), such
/// as `info,shop=debug`. The default is `info`. `RUST_LOG_FILE` is the path of a file with the directives.
///
/// The export has a separate filter. It contains spans up to the level `INFO`, regardless of `RUST_LOG`. A span is
/// exported if the span of its request is exported. Its parent is the enclosing span, or the span of the request.
#[derive(Debug, Clone, Default)]
#[must_use = "it has no effect until `init` or `layer` is called"]
pub struct Telemetry {
    writes_json: bool,
    #[cfg(feature = "opentelemetry")]
    exports_events: bool,
}

impl Telemetry {
    /// Creates settings that write a text log.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads `LOG_FORMAT`, which is `text` or `json`. The name has the prefix of the settings. The default is `text`.
    ///
    /// # Errors
    ///
    /// Returns an error if the format is another word, or if `RUST_LOG` is invalid.
    pub fn from_settings(settings: &Settings) -> Result<Self, SetupError> {
        parse(&directives(settings)?)?;
        match settings.optional::<String>("LOG_FORMAT")?.as_deref() {
            None | Some("text") => Ok(Self::new()),
            Some("json") => Ok(Self::new().json()),
            Some(_) => Err(settings.invalid("LOG_FORMAT", "must be `text` or `json`")),
        }
    }

    /// Writes each log line as a JSON object.
    pub fn json(mut self) -> Self {
        self.writes_json = true;
        self
    }

    /// Installs the subscriber for the whole process. It writes the log to stdout through [`LogOutput`], and
    /// [panics](crate::log_panics) in the format of the log.
    ///
    /// # Errors
    ///
    /// Returns an error if a subscriber is already installed, or if `RUST_LOG` is invalid.
    pub fn init(self) -> Result<LogFilter, SetupError> {
        let (filter, handle) = reload::Layer::new(parse(&directives(&Settings::from_environment(""))?)?);
        let log = fmt::layer().with_ansi(false).with_writer(|| LogOutput::new(stdout()));
        let log = if self.writes_json { log.json().boxed() } else { log.boxed() };
        #[cfg(feature = "opentelemetry")]
        let filter = export::without_exported_spans(filter);
        let subscriber = tracing_subscriber::registry().with(log.with_filter(filter));
        #[cfg(feature = "opentelemetry")]
        let subscriber = subscriber.with(self.layer());
        subscriber.try_init().map_err(|error| {
            SetupError::new(format!(
                "{error}; call `restwright::telemetry::init()` first in `main`, and do not initialise another subscriber"
            ))
        })?;
        log_panics();
        Ok(LogFilter::new(handle))
    }
}
