//! Defines [`Message`], a message without a type.

use bytes::Bytes;
use tokio_tungstenite::tungstenite;

/// A message without a type, for protocols that are not JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Message {
    /// A text message.
    Text(String),
    /// A binary message.
    Binary(Bytes),
}

impl From<Message> for tungstenite::Message {
    fn from(message: Message) -> Self {
        match message {
            Message::Text(text) => Self::Text(text.into()),
            Message::Binary(bytes) => Self::Binary(bytes),
        }
    }
}
