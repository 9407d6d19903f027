//! Limits on how often a client may call.
//!
//! A [`RateLimit`] is a middleware of a route, a group or the whole Api. Its [strategy](RateLimitStrategy) says whose bucket
//! a request is charged to, what it costs and what the bucket holds; the [store](LimiterStore) keeps the buckets, in memory
//! or on Redis, by one algorithm.

mod bucket_state;
mod declared;
mod dedup_errors;
mod gcra;
mod headers;
mod key;
mod memory;
mod planned;
mod quota;
mod rate_limit;
#[cfg(feature = "redis")]
mod redis;
mod settings;
mod store;
mod strategy;
mod verdict;

pub use key::RateLimitKey;
pub use memory::MemoryLimiter;
pub use quota::Quota;
pub use rate_limit::RateLimit;
#[cfg(feature = "redis")]
pub use redis::{RedisLimiter, WhenUnavailable};
pub use store::LimiterStore;
pub use strategy::{Caller, RateLimitStrategy};
