//! Tests of the host through real sockets.

mod answers;
mod api;
#[cfg(feature = "actix-web")]
mod app;
mod bodies;
mod client;
mod connections;
mod server;
#[cfg(unix)]
mod shutdown;
mod timeouts;
