//! Buckets on Redis.

mod bucket;
mod connection;
mod outage;
mod server;
mod store;

pub use store::{RedisLimiter, WhenUnavailable};

#[cfg(test)]
mod tests;
