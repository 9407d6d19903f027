//! Stores on real databases.

#![cfg(test)]

mod conformance;
mod databases;
mod schema;
