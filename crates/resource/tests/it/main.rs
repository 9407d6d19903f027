//! Tests of stores and endpoints through the public interface.

#![cfg(test)]

restwright_tests::facade!(actix, cursor, files, list, openapi, resource, testing);

mod conformance;
mod definitions;
mod endpoints;
mod entity_store;
mod idempotency;
mod imports;
mod map_store;
mod memory;
mod model;
mod one_writer;
mod per_caller;
mod read_once;
mod rows_in_memory;
mod run_time;
mod statements;
mod store_checks;
