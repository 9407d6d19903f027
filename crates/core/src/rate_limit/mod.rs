//! Stores of rate limits: the trait that a store implements, and the types that it is given and returns.
//!
//! The limits themselves are middlewares of `restwright-list`, with a store in memory and one on Redis. A store in a crate of
//! its own needs this crate alone.

mod bucket_state;
mod fields;
pub(crate) mod ipv6_prefix;
mod key;
pub(crate) mod own_limit;
mod quota;
pub(crate) mod store;

pub use bucket_state::BucketState;
pub use fields::RateLimitFields;
pub(crate) use ipv6_prefix::Ipv6Prefix;
pub use key::{KeyKind, RateLimitKey};
pub use quota::Quota;
pub use store::{Charge, LimiterStore, WhenUnavailable};
