//! [`OwnLimit`]: a marker for routes that limit their own requests.

/// A route setting for routes that limit requests themselves. Rate limits and concurrency limits around the route do
/// not count its requests.
#[derive(Debug, Clone, Copy, Default)]
pub struct OwnLimit;
