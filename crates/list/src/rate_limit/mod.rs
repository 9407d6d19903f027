//! Limits on how often a client may call.
//!
//! A [`RateLimit`] is a middleware of a route, a group or the whole Api. Its [strategy](RateLimitStrategy) says whose bucket
//! a request is charged to, what it costs and what the bucket holds; the [store](RateLimitStore) keeps the buckets, in memory
//! or on Redis, by one algorithm.

mod declared;
mod gcra;
mod headers;
mod key;
mod memory;
mod mistakes;
mod planned;
mod quota;
mod rate_limit;
#[cfg(feature = "redis")]
mod redis;
mod settings;
mod standing;
mod store;
mod strategy;
mod verdict;

pub use key::RateLimitKey;
pub use memory::MemoryStore;
pub use quota::Quota;
pub use rate_limit::RateLimit;
#[cfg(feature = "redis")]
pub use redis::{RedisStore, WhenUnavailable};
pub use store::RateLimitStore;
pub use strategy::{Caller, RateLimitStrategy};
