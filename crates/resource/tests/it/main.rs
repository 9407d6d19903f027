//! Stores, as their users see them.

#![cfg(test)]

mod conformance;
mod definitions;
mod endpoints;
mod entity_store;
mod idempotency;
mod map_store;
mod memory;
mod model;
mod one_writer;
mod run_time;
