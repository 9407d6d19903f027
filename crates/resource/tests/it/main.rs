//! Tests of stores and endpoints through the public interface.

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
mod statements;
