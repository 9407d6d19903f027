//! A connection: its socket, and what has been read of it and is to be written.

use std::cell::{Cell, RefCell};
use std::io;
use std::mem::MaybeUninit;
use std::net::SocketAddr;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};

use bytes::{Buf, BytesMut};
use restwright_runtime::core::http::CoderMemory;
use restwright_runtime::core::runtime::{MemoryAccount, MemoryShare, log};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

use crate::connection_state::ConnectionState;
use crate::connections::Seat;
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
    memory: Rc<MemoryAccount>,
    /// The share of the client while it sends a head or reads a response.
    share: RefCell<Option<Rc<MemoryShare>>>,
    /// The memory of the encoder of the response.
    coder: RefCell<Option<CoderMemory>>,
    /// The bytes of a response that are in memory and not in the output.
    unsent: Cell<usize>,
    /// Both of them when the response began: what counts while the client is not awaited.
    working_memory: Cell<usize>,
    /// How often it let the tasks of clients that are given up come first.
    yielded: Cell<u8>,
    _place: Place,
    seat: Seat,
}

/// The most that is read at once.
const READ_BYTES: usize = 16 * 1024;
/// How often a read lets the tasks of clients that are given up come first.
const MOST_YIELDS: u8 = 32;
/// The size from which on a buffer is not kept while the connection is idle.
const BULKY: usize = 4 * 1024;

impl Connection {
    pub(crate) fn new(
        stream: Box<dyn Socket>,
        (place, state): (Place, Rc<ConnectionState>),
        seat: Seat,
        memory: Rc<MemoryAccount>,
    ) -> Self {
        let peer = stream.address();
        Self {
            stream: RefCell::new(stream),
            input: RefCell::default(),
            output: RefCell::default(),
            is_bulky: Cell::default(),
            state,
            peer,
            memory,
            share: RefCell::default(),
            coder: RefCell::default(),
            unsent: Cell::default(),
            working_memory: Cell::default(),
            yielded: Cell::default(),
            _place: place,
            seat,
        }
    }

    /// Adds what has come to the input; returns how much, 0 at the end.
    // The input has the size of what came, whatever room a read takes.
    pub(crate) fn poll_read(&self, context: &mut Context<'_>) -> Poll<io::Result<usize>> {
        if self.state.is_timed_out() {
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        if self.memory.is_overdrawn() && self.yielded.get() < MOST_YIELDS {
            self.yielded.set(self.yielded.get() + 1);
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        self.yielded.set(0);
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
        let kept = output.capacity();
        self.poll_write(&mut *output, kept, context)
    }

    /// Writes bytes, of which `kept` are in memory until all are written. They must be preceded by the output.
    pub(crate) fn poll_write(
        &self,
        bytes: &mut impl Buf,
        kept: usize,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<()>> {
        while bytes.has_remaining() {
            if self.state.is_timed_out() {
                return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
            }
            let written = Pin::new(&mut *self.stream.borrow_mut()).poll_write(context, bytes.chunk());
            let Poll::Ready(written) = written else {
                self.state.write_stalled();
                let kept = kept + self.coder_memory() + self.unsent.get();
                let is_held = self.hold(kept, self.state.sent(), context);
                return if is_held { Poll::Pending } else { Poll::Ready(Err(io::ErrorKind::TimedOut.into())) };
            };
            match written? {
                0 => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                count => {
                    self.state.write_resumed(count);
                    bytes.advance(count);
                }
            }
        }
        if let Some(share) = &*self.share.borrow() {
            share.keep(self.working_memory.get().min(self.unsent.get() + self.coder_memory()));
        }
        Poll::Ready(Ok(()))
    }

    fn coder_memory(&self) -> usize {
        self.coder.borrow().as_ref().map_or(0, CoderMemory::get)
    }

    /// Counts what is kept for the client while it is awaited; returns false if that is too much.
    pub(crate) fn hold(&self, kept: usize, moved: usize, context: &Context<'_>) -> bool {
        self.share.borrow_mut().get_or_insert_with(|| self.memory.share()).hold(kept, moved, context)
    }

    /// Begins a response, of which so many bytes are kept beside the output, and what its encoder says.
    pub(crate) fn begin_response(&self, unsent: usize, coder: Option<CoderMemory>) {
        self.unsent.set(unsent);
        *self.coder.borrow_mut() = coder;
        let kept = unsent + self.coder_memory();
        self.working_memory.set(kept);
        if kept > 0 {
            self.share.borrow_mut().get_or_insert_with(|| self.memory.share()).keep(kept);
        }
    }

    /// Ends what is counted for a head or a response.
    pub(crate) fn release_memory(&self) {
        self.unsent.set(0);
        self.working_memory.set(0);
        self.coder.take();
        self.share.take();
    }

    fn note_size(&self, length: usize) {
        if length > BULKY {
            self.is_bulky.set(true);
        }
    }

    /// Drops what has been read, of a connection that handles no further request; returns `true` if there was anything.
    pub(crate) fn drop_input(&self) -> bool {
        self.release_memory();
        !self.input.take().is_empty()
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
        self.seat.is_draining()
    }

    /// Closes the server's side.
    pub(crate) fn poll_shutdown(&self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.stream.borrow_mut()).poll_shutdown(context)
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
