//! Integration tests of the runtime: extensions built only on the public traits of core, and the guarantees of the
//! pipeline.

#![cfg(test)]

mod access;
mod added_access;
mod base_path;
mod build_error_kinds;
mod caches;
mod caller;
mod challenges;
mod configuration;
mod cookies;
mod deadline;
mod extension;
mod handler;
mod held_worker;
mod input_body;
mod lifecycle;
mod list;
mod outages;
mod panics;
mod parameters;
mod partial_put;
mod pipeline;
mod planned;
mod replay;
mod resource;
mod schemes;
mod start;
mod support;
mod tails;
mod typed_bags;
