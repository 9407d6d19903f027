//! Contains the trait [`LimiterStore`] for rate limit stores, and the types that its methods use.
//!
//! `restwright-rate-limit` contains the limits as middlewares, a store in memory and a store on Redis. A custom store
//! depends only on this crate.

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
