//! The setting of routes without logs and metrics, such as health checks.

/// A route setting: requests of the route are neither logged nor counted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Unwatched;
