//! A connection: its socket, and what has been read of it and is to be written.

use std::cell::{Cell, RefCell};
use std::io;
use std::mem::MaybeUninit;
use std::net::SocketAddr;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};

use bytes::{Buf, BytesMut};
use restwright_runtime::core::runtime::log;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::sync::Notify;

use crate::connection_state::ConnectionState;
use crate::places::Place;

/// A socket with its buffers. Reading and writing fail when the client timed out.
pub(crate) struct Connection {
    /// Of no generic type, so that the host is compiled once for all kinds.
    stream: RefCell<Box<dyn Socket>>,
    /// Bytes that have been read, and belong to no request or body yet.
    pub(crate) input: RefCell<BytesMut>,
    /// Bytes that are to be written.
    pub(crate) output: RefCell<BytesMut>,
    /// One of the buffers has become large.
    is_bulky: Cell<bool>,
    pub(crate) state: Rc<ConnectionState>,
    pub(crate) peer: Option<SocketAddr>,
    open: Arc<Connections>,
    _place: Place,
}

/// The most that is read at once.
const READ_BYTES: usize = 16 * 1024;
/// The size from which on a buffer is not kept while the connection is idle.
const BULKY: usize = 4 * 1024;

impl Connection {
    pub(crate) fn new(
        stream: Box<dyn Socket>,
        place: Place,
        state: Rc<ConnectionState>,
        open: Arc<Connections>,
    ) -> Self {
        open.count.fetch_add(1, Ordering::Relaxed);
        let peer = stream.address();
        let stream = RefCell::new(stream);
        let (input, output, is_bulky) = (RefCell::default(), RefCell::default(), Cell::default());
        Self { stream, input, output, is_bulky, state, peer, open, _place: place }
    }

    /// Adds what has come to the input; returns how much, 0 at the end.
    // The input has the size of what came, whatever room a read takes.
    pub(crate) fn poll_read(&self, context: &mut Context<'_>) -> Poll<io::Result<usize>> {
        if self.state.is_timed_out() {
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        let mut scratch = [MaybeUninit::uninit(); READ_BYTES];
        let mut read = ReadBuf::uninit(&mut scratch);
        ready!(Pin::new(&mut *self.stream.borrow_mut()).poll_read(context, &mut read))?;
        let mut input = self.input.borrow_mut();
        input.extend_from_slice(read.filled());
        self.note_size(input.len());
        Poll::Ready(Ok(read.filled().len()))
    }

    /// Waits for the client to reset the connection, while nothing of it is to be read.
    ///
    /// A client that has closed its side alone still waits for the response.
    pub(crate) fn poll_reset(&self, context: &mut Context<'_>) -> Poll<io::Error> {
        if !self.input.borrow().is_empty() {
            return Poll::Pending;
        }
        match self.poll_read(context) {
            Poll::Ready(Err(error)) => Poll::Ready(error),
            Poll::Ready(Ok(_)) | Poll::Pending => Poll::Pending,
        }
    }

    /// Writes the output.
    pub(crate) fn poll_flush(&self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut output = self.output.borrow_mut();
        self.note_size(output.len());
        self.poll_write(&mut *output, context)
    }

    /// Writes bytes, which must be preceded by the output.
    pub(crate) fn poll_write(&self, bytes: &mut impl Buf, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while bytes.has_remaining() {
            if self.state.is_timed_out() {
                return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
            }
            let written = Pin::new(&mut *self.stream.borrow_mut()).poll_write(context, bytes.chunk());
            let Poll::Ready(written) = written else {
                self.state.write_stalled();
                return Poll::Pending;
            };
            self.state.write_resumed();
            match written? {
                0 => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                count => bytes.advance(count),
            }
        }
        Poll::Ready(Ok(()))
    }

    fn note_size(&self, length: usize) {
        if length > BULKY {
            self.is_bulky.set(true);
        }
    }

    /// Drops empty buffers that have become large, since the connection may be idle for long.
    pub(crate) fn release_buffers(&self) {
        if self.is_bulky.get() && self.input.borrow().is_empty() && self.output.borrow().is_empty() {
            self.is_bulky.set(false);
            self.input.take();
            self.output.take();
        }
    }

    /// Returns whether the server drains: each connection closes after its next response.
    pub(crate) fn is_draining(&self) -> bool {
        self.open.is_draining.load(Ordering::Relaxed)
    }

    /// Closes the server's side.
    pub(crate) fn poll_shutdown(&self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.stream.borrow_mut()).poll_shutdown(context)
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        if self.open.count.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.open.none_left.notify_waiters();
        }
    }
}

/// The connections that are open on all workers.
#[derive(Debug, Default)]
pub(crate) struct Connections {
    count: AtomicUsize,
    none_left: Notify,
    is_draining: AtomicBool,
}

impl Connections {
    pub(crate) fn count(&self) -> usize {
        self.count.load(Ordering::Acquire)
    }

    /// Closes each connection after its next response, so clients learn from `Connection: close` that they must open another.
    pub(crate) fn begin_drain(&self) {
        self.is_draining.store(true, Ordering::Relaxed);
    }

    /// Waits until the last connection is closed.
    pub(crate) async fn none_left(&self) {
        loop {
            let closed = self.none_left.notified();
            if self.count() == 0 {
                return;
            }
            closed.await;
        }
    }
}

/// A kind of stream.
pub(crate) trait Socket: AsyncRead + AsyncWrite + Unpin + 'static {
    /// Returns the address of the client.
    fn address(&self) -> Option<SocketAddr>;
}

impl Socket for TcpStream {
    fn address(&self) -> Option<SocketAddr> {
        // Responses are written whole, so waiting for more data would only delay them.
        if let Err(error) = self.set_nodelay(true) {
            log(|| tracing::debug!(%error, "cannot set TCP_NODELAY"));
        }
        self.peer_addr().ok()
    }
}

#[cfg(unix)]
impl Socket for tokio::net::UnixStream {
    fn address(&self) -> Option<SocketAddr> {
        None
    }
}
