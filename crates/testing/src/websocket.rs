//! Defines [`TestWebSocket`], a WebSocket connection of the test client.

use std::fmt;
use std::future::{Future, poll_fn};
use std::pin::pin;

use futures_util::{SinkExt, StreamExt};
use restwright_runtime::core::http::{HttpRequest, Payload, Upgraded};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::io::{DuplexStream, duplex};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::Role;

use crate::client::TestClient;
use crate::request::{SentRequest, TestRequest};
use crate::response::TestResponse;

/// The number of bytes that each side can write before the other side reads.
const BUFFER: usize = 64 * 1024;

/// A WebSocket connection of the test client. [`TestRequest::websocket`] opens it.
///
/// The handlers of all connections run while a test awaits a method of any connection of the same client. A plain test
/// passes the whole exchange to [`TestClient::block_on`].
///
/// Methods panic if the connection breaks, with the reason.
pub struct TestWebSocket<'c> {
    client: &'c TestClient,
    stream: WebSocketStream<DuplexStream>,
    closed: Option<(u16, String)>,
}

impl<'c> TestRequest<'c> {
    /// Sends the request as a WebSocket handshake, and opens the connection.
    ///
    /// # Errors
    /// The response, if it does not accept the connection.
    pub async fn websocket(self) -> Result<TestWebSocket<'c>, Box<TestResponse>> {
        let (client, SentRequest { method, mut head, body }) = self
            .header("Upgrade", "websocket")
            .header("Connection", "Upgrade")
            .header("Sec-WebSocket-Version", "13")
            .header("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==")
            .into_sent();
        head.can_upgrade = true;
        let (requested, path) = (method.clone(), head.path.clone());
        let mut response = client.worker().handle(&mut HttpRequest::new(method, head, body)).await;
        match response.take_payload() {
            Payload::Upgrade(protocol) => {
                let (ours, theirs) = duplex(BUFFER);
                let server = protocol.run(Upgraded::new(theirs, client.worker().memory().share()));
                client.servers().borrow_mut().push(Box::pin(server));
                let stream = WebSocketStream::from_raw_socket(ours, Role::Client, None).await;
                Ok(TestWebSocket { client, stream, closed: None })
            }
            payload => {
                response.set_payload(payload);
                Err(Box::new(client.receive(requested, path, response).await))
            }
        }
    }
}

impl TestWebSocket<'_> {
    /// Sends a value as JSON. Does nothing if the server has closed the connection.
    pub async fn send(&mut self, message: &(impl Serialize + ?Sized)) {
        let text = serde_json::to_string(message).unwrap_or_else(|error| broken(&error));
        self.send_message(Message::text(text)).await;
    }

    /// Sends a text that may be no JSON. Does nothing if the server has closed the connection.
    pub async fn send_text(&mut self, text: impl Into<String>) {
        self.send_message(Message::text(text.into())).await;
    }

    /// Waits for the next message and reads it as JSON. Returns `None` after the server has closed the connection.
    pub async fn receive<T: DeserializeOwned>(&mut self) -> Option<T> {
        let text = self.receive_text().await?;
        Some(serde_json::from_str(&text).unwrap_or_else(|error| broken(&format!("{error}: {text}"))))
    }

    /// Closes the connection, and waits until the server has closed it. Returns the code and the reason of the server.
    pub async fn close(mut self) -> (u16, String) {
        let (client, stream) = (self.client, &mut self.stream);
        // The server may have closed the connection before.
        let _ = drive(client, stream.close(None)).await;
        self.closed().await
    }

    /// Waits until the server closes the connection. Returns its code and its reason.
    pub async fn closed(&mut self) -> (u16, String) {
        while self.receive_text().await.is_some() {}
        self.closed.clone().unwrap_or_else(|| broken(&"the connection ended without a close frame"))
    }

    async fn send_message(&mut self, message: Message) {
        let (client, stream) = (self.client, &mut self.stream);
        // The server may have closed the connection before. The next message is then `None`.
        let _ = drive(client, stream.send(message)).await;
    }

    async fn receive_text(&mut self) -> Option<String> {
        loop {
            let (client, stream) = (self.client, &mut self.stream);
            match drive(client, stream.next()).await {
                Some(Ok(Message::Text(text))) => return Some(text.to_string()),
                Some(Ok(Message::Binary(bytes))) => broken(&format!("a binary message of {} bytes", bytes.len())),
                Some(Ok(Message::Close(frame))) => {
                    let code = frame.map(|frame| (frame.code.into(), frame.reason.to_string()));
                    self.closed.get_or_insert(code.unwrap_or((1005, String::new())));
                }
                Some(Ok(_)) => {}
                Some(Err(_)) | None => return None,
            }
        }
    }
}

/// Awaits a future while the handlers of all connections run.
async fn drive<F: Future>(client: &TestClient, future: F) -> F::Output {
    let mut future = pin!(future);
    poll_fn(|context| {
        let mut servers = client.servers().take();
        servers.retain_mut(|server| server.as_mut().poll(context).is_pending());
        client.servers().borrow_mut().append(&mut servers);
        future.as_mut().poll(context)
    })
    .await
}

#[expect(clippy::panic, reason = "a mistake in the test, which it shows")]
fn broken(reason: &dyn fmt::Display) -> ! {
    panic!("the WebSocket broke: {reason}")
}

impl fmt::Debug for TestWebSocket<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("TestWebSocket").field("closed", &self.closed).finish_non_exhaustive()
    }
}
