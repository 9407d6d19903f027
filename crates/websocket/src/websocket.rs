//! Defines [`WebSocket`], an open connection with typed messages.

use std::fmt;
use std::future::poll_fn;
use std::marker::PhantomData;
use std::rc::Rc;

use restwright_core::body::json_bytes;
use restwright_core::schema::{CompiledSchema, ReadError, Schema};
use restwright_core::{Problem, Result};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio_tungstenite::tungstenite;
use tokio_tungstenite::tungstenite::Utf8Bytes;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;

use crate::connection::WebSocketConnection;
use crate::driver::closed;
use crate::message::Message;

/// An open WebSocket connection. The client sends messages of type `I`, and the server sends messages of type `O`. Each
/// message is one JSON value in a text message.
///
/// The connection replies to pings, sends a ping every 15 seconds, and ends if the client has sent nothing for 30
/// seconds. It reads the next message only after the application has taken the last one, so a client cannot fill the
/// memory.
pub struct WebSocket<I, O> {
    connection: Rc<WebSocketConnection>,
    schema: CompiledSchema,
    messages: PhantomData<fn(I) -> O>,
}

impl<I: Schema + DeserializeOwned, O: Serialize> WebSocket<I, O> {
    pub(crate) fn new(connection: Rc<WebSocketConnection>, schema: CompiledSchema) -> Self {
        Self { connection, schema, messages: PhantomData }
    }

    /// Waits for the next message, and checks it against the schema of `I`. Returns `None` after the connection is
    /// closed.
    ///
    /// An invalid message closes the connection: with 1007 and the first violation if it is not a JSON value that matches the schema,
    /// and with 1003 if it is binary. The method is cancel safe, so it can be used in `tokio::select!`.
    pub async fn receive(&mut self) -> Option<I> {
        let tungstenite::Message::Text(text) = self.receive_any().await? else {
            return self.reject(CloseCode::Unsupported, "the message must be text");
        };
        match self.schema.read(text.as_bytes(), 1) {
            Ok(message) => Some(message),
            Err(error) => self.reject(CloseCode::Invalid, &reason(&error)),
        }
    }

    /// Sends a message, and waits until it is passed to the operating system. If the future is dropped before, the
    /// message may still be sent.
    ///
    /// # Errors
    /// Fails if the connection is closed, or if serde cannot write the message as JSON.
    pub async fn send(&mut self, message: &O) -> Result<()> {
        self.room().await;
        let text = Utf8Bytes::try_from(json_bytes(message)?).map_err(Problem::internal)?;
        self.send_any(tungstenite::Message::Text(text)).await
    }
}

impl<I, O> WebSocket<I, O> {
    /// Waits for the next message without reading it as JSON. Returns `None` after the connection is closed.
    ///
    /// The method is cancel safe, so it can be used in `tokio::select!`.
    pub async fn receive_message(&mut self) -> Option<Message> {
        Some(match self.receive_any().await? {
            tungstenite::Message::Text(text) => Message::Text(text.to_string()),
            message => Message::Binary(message.into_data()),
        })
    }

    /// Sends a message that is not JSON, and waits until it is passed to the operating system.
    ///
    /// # Errors
    /// Fails if the connection is closed.
    pub async fn send_message(&mut self, message: Message) -> Result<()> {
        self.room().await;
        self.send_any(message.into_sent()).await
    }

    /// Closes the connection with a code (RFC 6455, section 7.4) and a reason. Applications use the codes 4000 to 4999,
    /// or 1000 for a normal end. The reason is cut after 123 bytes.
    ///
    /// A connection that is not closed by this method is closed with 1000 after the handler has returned `Ok`.
    pub fn close(self, code: u16, reason: &str) {
        self.connection.state().close(CloseCode::from(code), reason);
    }

    /// Waits until the last message is sent, and until there is memory for the next one.
    async fn room(&self) {
        poll_fn(|context| self.connection.poll_sent(context)).await;
        self.connection.room().await;
    }

    async fn receive_any(&mut self) -> Option<tungstenite::Message> {
        poll_fn(|context| self.connection.poll_receive(context)).await
    }

    async fn send_any(&mut self, message: tungstenite::Message) -> Result<()> {
        let mut message = Some(message);
        let is_open = poll_fn(|context| self.connection.poll_begin_send(&mut message, context)).await
            && poll_fn(|context| self.connection.poll_sent(context)).await;
        if is_open { Ok(()) } else { Err(closed()) }
    }

    fn reject<T>(&self, code: CloseCode, reason: &str) -> Option<T> {
        self.connection.state().close(code, reason);
        None
    }
}

/// Returns the reason why a message is invalid, such as `/text: must have at least 1 character`.
fn reason(error: &ReadError) -> String {
    match error {
        ReadError::Syntax { line, column, .. } => format!("the message is not JSON (line {line}, column {column})"),
        ReadError::Violations(violations) => match violations.iter().next() {
            Some(violation) if !violation.pointer.is_empty() => format!("{}: {}", violation.pointer, violation.message),
            Some(violation) => format!("the message {}", violation.message),
            None => String::new(),
        },
        error => error.to_string(),
    }
}

impl<I, O> fmt::Debug for WebSocket<I, O> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("WebSocket").field("connection", &self.connection).finish_non_exhaustive()
    }
}
