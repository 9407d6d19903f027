//! Tests of the workspace as a whole.

#![cfg(test)]

mod access;
mod animals;
mod arrows;
mod browser;
mod clock;
mod conditional;
mod contracts;
mod documents;
#[path = "../../crates/openapi/tests/it/everything.rs"]
mod everything;
mod files;
mod generated;
mod languages;
mod limiter_store;
mod log;
mod manifests;
mod paths;
mod postgres;
mod public_items;
mod settings;
mod shape_files;
mod shared_values;
mod skip;
mod static_files;
#[allow(dead_code, reason = "restwright-openapi uses the rest")]
#[path = "../../crates/openapi/tests/it/support.rs"]
mod support;
mod tracker;
mod websocket;
