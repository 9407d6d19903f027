//! The stores on real databases.

#![cfg(test)]

mod conformance;
mod databases;
mod pgbouncer;
mod schema;
