//! The stores on real databases.

#![cfg(test)]

mod conformance;
mod databases;
mod equality;
mod http;
mod idempotency;
mod pgbouncer;
mod schema;
