//! Defines [`LogFilter`], which changes the filter of the log while the process runs.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use restwright_runtime::core::runtime::log;
use restwright_runtime::core::{Component, ComponentError, Settings, SetupError};
use tokio::task::AbortHandle;
use tracing_subscriber::filter::{EnvFilter, LevelFilter};
use tracing_subscriber::registry::Registry;
use tracing_subscriber::reload::Handle;

/// A handle that changes the filter of the log at run time. Clones share the same filter.
///
/// As a component of an Api, it reads `RUST_LOG` again when the process receives `SIGHUP`. A variable cannot change while
/// the process runs, so write the directives into a file and set `RUST_LOG_FILE` to its path. If the new directives are
/// invalid, the filter does not change, and the log contains the error.
///
/// ```no_run
/// use restwright_production::telemetry;
/// use restwright_runtime::Api;
/// use restwright_runtime::core::Configuration;
///
/// let log_filter = telemetry::init()?;
/// let api = Api::builder(Configuration::new("shop", "1.0.0")).component(log_filter).build()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct LogFilter {
    filter: Handle<EnvFilter, Registry>,
    /// The task that waits for the signal.
    task: Arc<Mutex<Option<AbortHandle>>>,
}

impl LogFilter {
    pub(super) fn new(filter: Handle<EnvFilter, Registry>) -> Self {
        Self { filter, task: Arc::default() }
    }

    /// Replaces the filter of the log. `directives` uses the syntax of `RUST_LOG`, such as `info,shop=debug`. The export
    /// of spans does not change.
    ///
    /// # Errors
    ///
    /// Returns an error if the directives are invalid. The filter then does not change.
    pub fn set(&self, directives: &str) -> Result<(), SetupError> {
        self.filter.reload(parse(directives)?).map_err(|error| SetupError::new(error.to_string()))
    }

    /// Reads the directives of the environment again.
    fn read_again(&self) {
        match directives(&Settings::from_environment("")).and_then(|directives| self.set(&directives)) {
            Ok(()) => log(|| tracing::info!(filter = self.directives(), "the log filter was read again")),
            Err(error) => log(|| tracing::error!(%error, "the log filter does not change")),
        }
    }

    fn directives(&self) -> String {
        self.filter.with_current(ToString::to_string).unwrap_or_default()
    }
}

impl Component for LogFilter {
    fn name(&self) -> &'static str {
        "log filter"
    }

    fn is_required(&self) -> bool {
        false
    }

    async fn start(&self) -> Result<(), ComponentError> {
        #[cfg(unix)]
        {
            use tokio::signal::unix::{SignalKind, signal};
            let mut hangups = signal(SignalKind::hangup())?;
            let log_filter = self.clone();
            let task = tokio::spawn(async move {
                while hangups.recv().await.is_some() {
                    log_filter.read_again();
                }
            });
            *self.task.lock().unwrap_or_else(PoisonError::into_inner) = Some(task.abort_handle());
        }
        Ok(())
    }

    async fn stop(&self) {
        if let Some(task) = self.task.lock().unwrap_or_else(PoisonError::into_inner).take() {
            task.abort();
        }
    }
}

impl fmt::Debug for LogFilter {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("LogFilter").field(&self.directives()).finish()
    }
}

/// Returns the directives in `RUST_LOG`, or in the file of `RUST_LOG_FILE`.
pub(super) fn directives(settings: &Settings) -> Result<String, SetupError> {
    Ok(settings.unprefixed(EnvFilter::DEFAULT_ENV)?.unwrap_or_default())
}

/// Parses directives. An empty string means the level `INFO`.
pub(super) fn parse(directives: &str) -> Result<EnvFilter, SetupError> {
    let filter = EnvFilter::builder().with_default_directive(LevelFilter::INFO.into());
    filter.parse(directives.trim()).map_err(|error| {
        SetupError::new(format!(
            "{directives:?} is not a log filter: {error}; write directives such as `info,shop=debug`"
        ))
    })
}
