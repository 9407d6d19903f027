//! Defines [`MessagesObject`], the messages of a WebSocket.

use serde::Serialize;

use super::SchemaUse;

/// The messages of a WebSocket, as JSON schemas.
#[derive(Debug, Clone, Serialize)]
pub struct MessagesObject<S = SchemaUse> {
    /// The messages that the server receives.
    pub receives: S,
    /// The messages that the server sends.
    pub sends: S,
}

impl<S> MessagesObject<S> {
    /// Returns both schemas.
    pub fn schemas(&self) -> [&S; 2] {
        [&self.receives, &self.sends]
    }

    /// Returns mutable references to both schemas.
    pub fn schemas_mut(&mut self) -> [&mut S; 2] {
        [&mut self.receives, &mut self.sends]
    }

    pub(super) fn render<T>(&self, render: &mut dyn FnMut(&S, Option<&str>) -> T) -> MessagesObject<T> {
        MessagesObject { receives: render(&self.receives, None), sends: render(&self.sends, None) }
    }
}
