//! What is for production, as browsers, caches and operators see it: through sockets.

#![cfg(test)]

mod health;
mod security_headers;
mod server;
