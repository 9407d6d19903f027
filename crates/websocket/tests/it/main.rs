//! WebSocket through the test client, and through the sockets of both hosts.

#![cfg(test)]

restwright_tests::facade!(actix, openapi, testing, websocket);

mod api;
mod conformance;
mod ends;
mod frames;
mod handshake;
#[path = "../../../files/tests/it/hosts.rs"]
mod hosts;
mod lifecycle;
mod messages;
mod utf8;
