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

impl Message {
    pub(crate) fn into_sent(self) -> tungstenite::Message {
        match self {
            Self::Text(text) => tungstenite::Message::Text(text.into()),
            Self::Binary(bytes) => tungstenite::Message::Binary(bytes),
        }
    }
}
