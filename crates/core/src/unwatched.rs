//! Defines [`Unwatched`], a route setting that disables logs and metrics, for routes such as health checks.

/// A route setting that disables logs and metrics for the requests of a route.
#[doc(hidden)]
#[derive(Debug, Default, Clone, Copy)]
pub struct Unwatched;
