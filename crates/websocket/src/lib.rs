//! WebSocket (RFC 6455) with typed JSON messages. [`WebSocketUpgrade`] is the part of a request that accepts the
//! connection, and [`WebSocket`] sends and receives its messages.
//!
//! This crate is for authors of applications, who use it through the facade as `restwright::websocket`.

mod connection;
mod counted_stream;
mod driver;
mod frames;
mod handshake;
mod message;
mod message_rate;
mod response;
mod upgrade;
mod websocket;

pub use message::Message;
pub use message_rate::MessageRate;
pub use response::WebSocketResponse;
pub use upgrade::{WebSocketPlan, WebSocketUpgrade};
pub use websocket::WebSocket;

#[cfg(test)]
mod fragment_tests;
