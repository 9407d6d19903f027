//! [`OwnLimit`]: a marker for routes that limit their own requests.

/// A route setting for routes that limit requests themselves. Other rate limits and concurrency limits do not count
/// requests to these routes.
#[derive(Debug, Clone, Copy, Default)]
pub struct OwnLimit;
