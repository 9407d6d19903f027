//! Buckets on Redis.

mod bucket;
mod store;

pub use store::{RedisStore, WhenUnavailable};

#[cfg(test)]
mod tests;
