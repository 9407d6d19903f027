//! Tests of the host through real sockets.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a helper of a test fails like the test"
)]

mod addresses;
mod api;
#[cfg(feature = "actix-web")]
mod app;
mod bodies;
mod chunks;
mod client;
mod closing;
mod connections;
mod content_types;
#[cfg(target_os = "linux")]
mod descriptors;
#[cfg(target_os = "linux")]
mod environment;
mod events;
mod hostile;
mod malformed_heads;
mod pieces;
mod pipelines;
mod places;
mod random;
mod responses;
mod server;
#[cfg(unix)]
mod shutdown;
mod slow_bodies;
mod streams;
mod tags;
mod tails;
mod timeouts;
mod trailers;
mod turns;
