//! Stores of rate limits: the trait that a store implements, and the types that it is given and returns.
//!
//! The limits themselves are middlewares of `restwright-list`, with a store in memory and one on Redis. A store in a crate of
//! its own needs this crate alone.

mod bucket_state;
mod fields;
mod ipv6_prefix;
mod key;
mod own_limit;
mod quota;
mod store;

pub use bucket_state::BucketState;
pub use fields::RateLimitFields;
#[doc(hidden)]
pub use ipv6_prefix::Ipv6Prefix;
pub use key::{KeyKind, RateLimitKey};
#[doc(hidden)]
pub use own_limit::OwnLimit;
pub use quota::Quota;
#[doc(hidden)]
pub use store::SharedLimiterStore;
pub use store::{Charge, LimiterStore, WhenUnavailable};
