//! Defines [`Unwatched`], a route setting for health checks and metrics.

/// A route setting that disables logs and metrics for the requests of a route. The limit
/// [`max_concurrent`](crate::Configuration::max_concurrent) does not apply to them.
#[doc(hidden)]
#[derive(Debug, Default, Clone, Copy)]
pub struct Unwatched;
