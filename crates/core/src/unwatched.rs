//! Routes without logs and metrics, such as health checks.

/// A route setting: its requests are neither logged nor counted.
#[doc(hidden)]
#[derive(Debug, Default, Clone, Copy)]
pub struct Unwatched;
