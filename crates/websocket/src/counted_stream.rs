//! Counts the bytes of a WebSocket connection.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use restwright_core::http::Upgraded;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::frames::Frames;

/// The number of bytes by which a message may exceed twice its size limit on the wire, for the heads of its frames.
const HEADS: usize = 64 * 1024;

/// The byte stream of a connection. It adds incomplete messages to the memory account of the worker, and fails if a
/// message needs too many bytes, such as endless empty fragments.
pub(crate) struct CountedStream {
    stream: Upgraded,
    frames: Frames,
    /// The number of messages that were taken from the stream.
    taken: u64,
    /// The maximum number of bytes of an incomplete message.
    most: usize,
    /// The number of bytes that the client has sent, and that were written for it.
    moved: usize,
    /// The number of reads, and of writes that had to wait. Each of them shows that the client is there.
    signs_of_life: u64,
    is_stalled: bool,
    /// The number of bytes of the message that is being sent.
    outgoing: usize,
}

impl CountedStream {
    pub(crate) fn new(stream: Upgraded, message_limit: usize) -> Self {
        let most = message_limit.saturating_mul(2).saturating_add(HEADS);
        Self {
            stream,
            frames: Frames::default(),
            taken: 0,
            most,
            moved: 0,
            signs_of_life: 0,
            is_stalled: false,
            outgoing: 0,
        }
    }

    /// Records that a message was taken from the stream. A control frame is not a message.
    pub(crate) fn message_received(&mut self) {
        self.taken = self.taken.wrapping_add(1);
        self.stream.release();
    }

    /// Records the size of the message that is being sent. 0 means that it was sent.
    pub(crate) fn set_outgoing(&mut self, bytes: usize) {
        self.outgoing = bytes;
        if bytes == 0 && self.frames.incomplete() == 0 {
            self.stream.release();
        }
    }

    /// Returns the number of the message or control frame that the client must complete. Returns `None` if nothing has
    /// begun, or if the server has not taken an earlier message.
    pub(crate) fn incomplete(&self) -> Option<u64> {
        let is_awaited = self.frames.incomplete() > 0 && self.taken == self.frames.messages();
        is_awaited.then(|| self.frames.exchanges())
    }

    /// Returns a number that grows if the client sends bytes, or makes room for more bytes by reading.
    pub(crate) fn signs_of_life(&self) -> u64 {
        self.signs_of_life
    }

    /// Returns `true` if a message needs more bytes than any message within the size limit.
    pub(crate) fn is_too_long(&self) -> bool {
        self.frames.incomplete() > self.most
    }

    fn hold(&self, context: &Context<'_>) -> io::Result<()> {
        self.stream.hold(self.frames.incomplete().saturating_add(self.outgoing), self.moved, context)
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
                let bytes = buffer.filled().get(before..).unwrap_or_default();
                this.frames.add(bytes);
                this.moved = this.moved.wrapping_add(bytes.len());
                this.signs_of_life += u64::from(!bytes.is_empty());
                Poll::Ready(outcome)
            }
        }
    }
}

impl AsyncWrite for CountedStream {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match Pin::new(&mut self.stream).poll_write(context, bytes) {
            Poll::Pending => {
                self.is_stalled = true;
                self.hold(context)?;
                Poll::Pending
            }
            Poll::Ready(written) => {
                // The system accepts some bytes for a client that is gone, but makes room only for one that reads.
                self.signs_of_life += u64::from(std::mem::take(&mut self.is_stalled));
                self.moved = self.moved.wrapping_add(*written.as_ref().unwrap_or(&0));
                Poll::Ready(written)
            }
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
