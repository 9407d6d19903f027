//! Counts the bytes of a WebSocket connection.

use std::cell::{RefCell, RefMut};
use std::io;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};

use bytes::buf::Chain;
use bytes::{Buf, BufMut, Bytes, BytesMut};
use restwright_core::http::{EndReason, Upgraded};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::frames::Frames;

/// The number of bytes by which a message may exceed twice its size limit on the wire, for the heads of its frames.
const HEADS: usize = 64 * 1024;

/// The byte stream of a connection. It adds messages that are incomplete or not sent to the memory account of the worker,
/// and fails if a message needs too many bytes, such as endless empty fragments.
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
    /// The long message that is being sent.
    outgoing: Option<Outgoing>,
}

/// A long message that is being sent. It is written from where it is.
struct Outgoing {
    /// The head of its frame, and its payload.
    rest: Chain<Bytes, Bytes>,
    /// `true` if the first byte is written. Nothing else is then written before the last byte.
    has_begun: bool,
    /// The number of bytes that only this message keeps in memory.
    kept: usize,
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
            outgoing: None,
        }
    }

    /// Records that a message was taken from the stream. A control frame is not a message.
    pub(crate) fn message_received(&mut self) {
        self.taken = self.taken.wrapping_add(1);
        self.stream.release();
    }

    /// Sends a long message, after the bytes that the library has buffered. [`poll_flush`](AsyncWrite::poll_flush) writes it.
    /// A server sends frames without a mask (RFC 6455, section 5.2).
    pub(crate) fn send(&mut self, payload: Bytes, is_text: bool) {
        let mut head = BytesMut::with_capacity(10);
        head.put_u8(if is_text { 0x81 } else { 0x82 });
        match u16::try_from(payload.len()) {
            Ok(length) => {
                head.put_u8(126);
                head.put_u16(length);
            }
            Err(_) => {
                head.put_u8(127);
                head.put_u64(u64::try_from(payload.len()).unwrap_or(u64::MAX));
            }
        }
        // Bytes that are shared with others do not count as memory of this client.
        let kept = if payload.is_unique() { payload.len() } else { 0 };
        self.outgoing = Some(Outgoing { rest: head.freeze().chain(payload), has_begun: false, kept });
    }

    /// Writes the long message.
    fn poll_outgoing(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while let Some(outgoing) = &mut self.outgoing {
            outgoing.has_begun = true;
            let chunk = outgoing.rest.chunk();
            match Pin::new(&mut self.stream).poll_write(context, chunk) {
                Poll::Pending => {
                    self.is_stalled = true;
                    self.hold(context)?;
                    return Poll::Pending;
                }
                Poll::Ready(written) => {
                    let count = self.written(written)?;
                    if let Some(outgoing) = &mut self.outgoing {
                        outgoing.rest.advance(count);
                    }
                    if count == 0 {
                        return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
                    }
                }
            }
            if self.outgoing.as_ref().is_some_and(|outgoing| !outgoing.rest.has_remaining()) {
                self.outgoing = None;
                if self.frames.incomplete() == 0 {
                    self.stream.release();
                }
            }
        }
        Poll::Ready(Ok(()))
    }

    /// Records a write that the system has accepted.
    fn written(&mut self, written: io::Result<usize>) -> io::Result<usize> {
        // The system accepts some bytes for a client that is gone, but makes room only for one that reads.
        self.signs_of_life += u64::from(std::mem::take(&mut self.is_stalled));
        self.moved = self.moved.wrapping_add(*written.as_ref().unwrap_or(&0));
        written
    }

    /// Returns the number of the message or control frame that the client must complete. Returns `None` if nothing has
    /// begun, or if the server has not taken an earlier message.
    pub(crate) fn incomplete(&self) -> Option<u64> {
        let is_awaited = self.frames.incomplete() > 0 && self.taken == self.frames.messages();
        is_awaited.then(|| self.frames.exchanges())
    }

    /// Returns `true` if neither a message nor a control frame has begun, and every complete message was taken.
    pub(crate) fn is_between_messages(&self) -> bool {
        self.frames.incomplete() == 0 && self.taken == self.frames.messages()
    }

    /// Returns the number of bytes of the longest frame since [`CountedStream::forget_buffers`].
    pub(crate) fn longest_frame(&self) -> usize {
        self.frames.longest()
    }

    /// Returns the number of bytes in memory of the message that is not complete.
    pub(crate) fn kept(&self) -> usize {
        self.frames.kept()
    }

    /// Records that the library has new buffers, which contain nothing.
    pub(crate) fn forget_buffers(&mut self) {
        self.frames.forget();
    }

    /// Records that nothing is in memory, because the connection has ended.
    pub(crate) fn release(&mut self) {
        self.outgoing = None;
        self.stream.release();
    }

    /// Waits until the connection must end.
    pub(crate) fn poll_end(&mut self, context: &mut Context<'_>) -> Poll<EndReason> {
        self.stream.poll_end(context)
    }

    /// Returns `true` if abandoned clients of the worker have not released their memory yet.
    pub(crate) fn is_overdrawn(&self) -> bool {
        self.stream.is_overdrawn()
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
        let outgoing = self.outgoing.as_ref().map_or(0, |outgoing| outgoing.kept);
        self.stream.hold(self.frames.kept().saturating_add(outgoing), self.moved, context)
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
        if self.outgoing.as_ref().is_some_and(|outgoing| outgoing.has_begun) {
            ready!(self.poll_outgoing(context))?;
        }
        match Pin::new(&mut self.stream).poll_write(context, bytes) {
            Poll::Pending => {
                self.is_stalled = true;
                self.hold(context)?;
                Poll::Pending
            }
            Poll::Ready(written) => Poll::Ready(self.written(written)),
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_outgoing(context))?;
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

/// A shared handle to a [`CountedStream`]. The library reads and writes it, and its buffers can be replaced.
#[derive(Clone)]
pub(crate) struct SharedStream(Rc<RefCell<CountedStream>>);

impl SharedStream {
    pub(crate) fn new(stream: CountedStream) -> Self {
        Self(Rc::new(RefCell::new(stream)))
    }

    pub(crate) fn get(&self) -> RefMut<'_, CountedStream> {
        self.0.borrow_mut()
    }
}

impl AsyncRead for SharedStream {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.get()).poll_read(context, buffer)
    }
}

impl AsyncWrite for SharedStream {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut *self.get()).poll_write(context, bytes)
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.get()).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.get()).poll_shutdown(context)
    }
}
