//! Defines [`Upgrade`], the protocol that follows a 101 response.

use std::fmt;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::MemoryShare;
use crate::future::LocalBoxFuture;

/// The protocol that a connection continues with after a 101 response (RFC 9110, section 7.8), such as WebSocket.
///
/// It is the [payload](super::Payload::Upgrade) of the response. The host sends the head of the response, and then runs
/// the protocol on the byte stream of the connection. The connection closes when the protocol ends.
pub struct Upgrade(Box<dyn FnOnce(Upgraded) -> LocalBoxFuture<'static, ()>>);

impl Upgrade {
    /// Creates the payload from a function that runs the protocol.
    #[must_use]
    pub fn new<F: Future<Output = ()> + 'static>(protocol: impl FnOnce(Upgraded) -> F + 'static) -> Self {
        Self(Box::new(|stream| Box::pin(protocol(stream))))
    }

    /// Runs the protocol until it ends. A host calls this method after it has sent the head of the response.
    pub async fn run(self, stream: Upgraded) {
        (self.0)(stream).await;
    }

    /// Ends the protocol when `end` is ready.
    pub(super) fn end_after(self, end: LocalBoxFuture<'static, EndReason>) -> Self {
        Self::new(async move |mut stream: Upgraded| {
            stream.end = end;
            self.run(stream).await;
        })
    }

    /// Keeps a value until the protocol ends.
    pub(super) fn hold<T: 'static>(self, value: T) -> Self {
        Self::new(async move |stream| {
            let _held = value;
            self.run(stream).await;
        })
    }
}

impl fmt::Debug for Upgrade {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Upgrade")
    }
}

/// An [extension](super::Extensions) of requests whose `Origin` the Api allows. The CORS middleware inserts it into
/// handshakes of other protocols, because browsers apply CORS only to HTTP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OriginAllowed;

/// The reason why the server ends an event stream, a WebSocket or another long-lived response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum EndReason {
    /// The [credentials of the caller](crate::auth::Identity::expires_at) have expired.
    CredentialsExpired,
    /// The response was open for [`Configuration::max_stream_age`](crate::Configuration::max_stream_age).
    MaximumAge,
}

/// The byte stream of a connection after a 101 response.
pub struct Upgraded {
    stream: Pin<Box<dyn ByteStream>>,
    memory: Rc<MemoryShare>,
    end: LocalBoxFuture<'static, EndReason>,
}

/// A stream of bytes in both directions.
trait ByteStream: AsyncRead + AsyncWrite {}

impl<T: AsyncRead + AsyncWrite> ByteStream for T {}

impl Upgraded {
    /// Creates the value from the stream of a host, and the entry of the client in the memory account of the worker.
    #[must_use]
    pub fn new(stream: impl AsyncRead + AsyncWrite + 'static, memory: Rc<MemoryShare>) -> Self {
        Self { stream: Box::pin(stream), memory, end: Box::pin(std::future::pending()) }
    }

    /// Waits until the protocol must end, because the credentials of the caller have expired or the connection has reached
    /// its maximum age. The protocol then closes the connection.
    pub fn poll_end(&mut self, context: &mut Context<'_>) -> Poll<EndReason> {
        self.end.as_mut().poll(context)
    }

    /// Adds bytes of the protocol to the memory account of the worker, while the protocol waits for the client. `held`
    /// is the number of bytes in memory, and `moved` the number of bytes that the client has sent or received so far.
    ///
    /// # Errors
    /// The worker has too little memory left and abandons the client. If it abandons the client later, the task of
    /// `context` is woken.
    pub fn hold(&self, held: usize, moved: usize, context: &Context<'_>) -> io::Result<()> {
        if self.memory.hold(held, moved, context) { Ok(()) } else { Err(io::ErrorKind::TimedOut.into()) }
    }

    /// Returns `true` if the worker uses too much memory only because abandoned clients have not released their memory yet.
    /// The protocol should then let their tasks run before it uses more memory.
    #[must_use]
    pub fn is_overdrawn(&self) -> bool {
        self.memory.is_overdrawn()
    }

    /// Removes the bytes of the protocol from the memory account, because the protocol no longer waits for the client.
    pub fn release(&self) {
        self.memory.release();
    }
}

impl AsyncRead for Upgraded {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.stream.as_mut().poll_read(context, buffer)
    }
}

impl AsyncWrite for Upgraded {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.stream.as_mut().poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.stream.as_mut().poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.stream.as_mut().poll_shutdown(context)
    }
}

impl fmt::Debug for Upgraded {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Upgraded").field("memory", &self.memory).finish_non_exhaustive()
    }
}
