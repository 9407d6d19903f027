//! Counts the bytes of a WebSocket connection.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use restwright_core::http::Upgraded;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// The number of bytes by which a message may exceed twice its size limit on the wire, for the heads of its frames.
const HEADS: usize = 64 * 1024;

/// The byte stream of a connection. It adds incomplete messages to the memory account of the worker, and fails if a
/// message needs too many bytes, such as endless empty fragments.
pub(crate) struct CountedStream {
    stream: Upgraded,
    /// The number of bytes received since the last complete message.
    incomplete: usize,
    /// The maximum of `incomplete`.
    most: usize,
    received: usize,
    /// The number of bytes of the message that is being sent.
    outgoing: usize,
}

impl CountedStream {
    pub(crate) fn new(stream: Upgraded, message_limit: usize) -> Self {
        let most = message_limit.saturating_mul(2).saturating_add(HEADS);
        Self { stream, incomplete: 0, most, received: 0, outgoing: 0 }
    }

    /// Records that a message or a control frame is complete.
    pub(crate) fn message_received(&mut self) {
        self.incomplete = 0;
    }

    /// Records the size of the message that is being sent. 0 means that it was sent.
    pub(crate) fn set_outgoing(&mut self, bytes: usize) {
        self.outgoing = bytes;
    }

    /// Returns the number of bytes received since the last complete message.
    pub(crate) fn incomplete(&self) -> usize {
        self.incomplete
    }

    /// Returns the number of bytes that the client has sent so far.
    pub(crate) fn received(&self) -> usize {
        self.received
    }

    /// Returns `true` if a message needs more bytes than any message within the size limit.
    pub(crate) fn is_too_long(&self) -> bool {
        self.incomplete > self.most
    }

    fn hold(&self, context: &Context<'_>) -> io::Result<()> {
        self.stream.hold(self.incomplete + self.outgoing, self.received, context)
    }
}

impl AsyncRead for CountedStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        if this.is_too_long() {
            return Poll::Ready(Err(io::ErrorKind::InvalidData.into()));
        }
        let before = buffer.filled().len();
        match Pin::new(&mut this.stream).poll_read(context, buffer) {
            Poll::Pending => {
                this.hold(context)?;
                Poll::Pending
            }
            Poll::Ready(outcome) => {
                let bytes = buffer.filled().len().saturating_sub(before);
                this.incomplete += bytes;
                this.received = this.received.wrapping_add(bytes);
                Poll::Ready(outcome)
            }
        }
    }
}

impl AsyncWrite for CountedStream {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match Pin::new(&mut self.stream).poll_write(context, bytes) {
            Poll::Pending => {
                self.hold(context)?;
                Poll::Pending
            }
            written => written,
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(Pin::new(&mut self.stream).poll_flush(context))?;
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
