//! [`Unwatched`]: a route setting that disables logs and metrics, for routes such as health checks.

/// A route setting: requests of the route are neither logged nor counted.
#[doc(hidden)]
#[derive(Debug, Default, Clone, Copy)]
pub struct Unwatched;
