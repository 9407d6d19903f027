//! Tests of the workspace as a whole.

#![cfg(test)]

mod access;
mod animals;
mod arrows;
mod clock;
mod conditional;
mod contracts;
mod documents;
mod files;
mod languages;
mod limiter_store;
mod manifests;
mod paths;
mod postgres;
mod public_items;
mod settings;
mod shared_values;
mod skip;
mod tracker;
