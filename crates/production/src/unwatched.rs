//! Routes without logs and metrics, such as health checks.

/// A route setting: its requests are neither logged nor counted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Unwatched;
