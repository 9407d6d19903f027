//! The stores on real databases.

#![cfg(test)]

mod conformance;
mod databases;
mod idempotency;
mod schema;
