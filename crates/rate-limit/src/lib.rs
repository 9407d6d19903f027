//! Rate limits and concurrency limits. A rate limit restricts how often a client may send requests. A concurrency
//! limit restricts how many requests of a client may be in progress.
//!
//! This crate is for authors of applications. A [`RateLimit`] is a middleware of a route, a group or the whole Api. Its
//! [strategy](RateLimitStrategy) selects the bucket, the cost and the quota of a request. A [store](LimiterStore) keeps
//! the buckets [in memory](MemoryLimiter), on Redis with the same algorithm (feature `redis`), or in a custom backend.
//!
//! A [`ConcurrencyLimit`] limits how many requests of a caller are in progress.
//!
//! The [`LimiterStore`] trait and [`RateLimitKey`] come from `restwright-core`, so a custom store depends only on that
//! crate.

mod concurrency;
mod gcra;
mod hashed;
mod headers;
mod key_spec;
mod limit_counts;
mod limit_spec;
mod limit_state;
mod memory;
mod planned_limits;
mod rate_limit;
#[cfg(feature = "redis")]
mod redis;
mod registry;
mod strategy;
mod verdict;

pub use concurrency::ConcurrencyLimit;
pub use limit_state::{LimitState, TightestLimit};
pub use memory::MemoryLimiter;
pub use rate_limit::RateLimit;
#[cfg(feature = "redis")]
pub use redis::RedisLimiter;
pub use restwright_core::rate_limit::{
    BucketState, Charge, KeyKind, LimiterStore, Quota, RateLimitFields, RateLimitKey, WhenUnavailable,
};
pub use strategy::{LimitedRequest, RateLimitStrategy};
