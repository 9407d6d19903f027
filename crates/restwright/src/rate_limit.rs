//! Limits the rate of requests and the number of concurrent requests.

#[cfg(feature = "redis")]
#[doc(inline)]
pub use restwright_rate_limit::RedisLimiter;
#[doc(inline)]
pub use restwright_rate_limit::{
    ConcurrencyLimit, LimitState, LimitedRequest, MemoryLimiter, Quota, RateLimit, RateLimitFields, RateLimitKey,
    RateLimitStrategy, TightestLimit, WhenUnavailable,
};
