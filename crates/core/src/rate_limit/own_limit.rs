//! Defines [`OwnLimit`], a route setting that exempts a route from rate limits and concurrency limits.

/// A route setting that exempts a route from rate limits and concurrency limits. Use it for routes that limit requests
/// themselves.
#[derive(Debug, Clone, Copy, Default)]
pub struct OwnLimit;
