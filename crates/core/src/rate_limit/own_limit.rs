//! [`OwnLimit`]: a route that limits its requests itself.

/// A setting of a route with a limit of its own: the rate limits and concurrency limits around it count none of its requests.
#[derive(Debug, Clone, Copy, Default)]
pub struct OwnLimit;
