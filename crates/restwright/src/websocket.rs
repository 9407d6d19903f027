//! Contains WebSocket with typed messages.

#[doc(inline)]
pub use restwright_websocket::{Message, MessageRate, WebSocket, WebSocketResponse, WebSocketUpgrade};
