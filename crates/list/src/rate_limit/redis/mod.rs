//! Buckets on Redis.

mod bucket;
mod connection;
mod outage;
mod server;
mod store;

pub use store::{RedisStore, WhenUnavailable};

#[cfg(test)]
mod tests;
