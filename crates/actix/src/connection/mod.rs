//! Serves HTTP/1 connections: reads heads and bodies, writes responses, and limits the time and the memory of clients.
//!
//! This file defines [`HttpConnection`], a socket with its input and output buffers. The loop in [`http1`] uses it.

mod body_framing;
mod connections;
mod date;
mod host_field;
mod http1;
mod places;
mod request_body;
mod request_head;
mod response_head;
mod response_stream;
mod state;
mod switched;
mod watchdog;
mod worker;

use std::cell::{Cell, OnceCell, RefCell};
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

#[cfg(feature = "actix-web")]
pub(crate) use body_framing::BodyDecoder;
pub(crate) use connections::Connections;
#[cfg(any(test, fuzzing))]
pub(crate) use http1::Http1;
pub(crate) use places::NEWCOMERS;
#[cfg(feature = "actix-web")]
pub(crate) use request_body::{DISCARDED_BYTES, DISCARDED_TIME};
#[cfg(feature = "actix-web")]
pub(crate) use request_head::each_header;
pub(crate) use state::ConnectionState;
#[cfg(any(feature = "actix-web", test, fuzzing))]
pub(crate) use watchdog::Watchdog;
pub(crate) use worker::connection_service;

use connections::Seat;
use places::ConnectionPlace;

/// A connection of a client, with its socket and its input and output buffers. Reads and writes fail after the client
/// has timed out.
pub(crate) struct HttpConnection {
    /// The socket. It is a trait object, so the host is compiled once for all kinds of sockets.
    stream: RefCell<Box<dyn Socket>>,
    /// The bytes that were read from the socket and have not been decoded yet.
    input: RefCell<BytesMut>,
    /// The bytes to write to the socket.
    output: RefCell<BytesMut>,
    /// True if the input or output buffer has become large.
    is_bulky: Cell<bool>,
    state: Rc<ConnectionState>,
    peer: Option<SocketAddr>,
    memory: Rc<MemoryAccount>,
    /// The entry of this connection in the worker's memory account. It counts memory while the client sends a request
    /// head or reads a response.
    share: RefCell<Option<Rc<MemoryShare>>>,
    /// The memory of the encoder that compresses the response.
    coder: RefCell<Option<CoderMemory>>,
    /// The number of response bytes that are in memory but not in the output buffer.
    unsent: Cell<usize>,
    /// The number of times that the current read has yielded to other tasks. It yields while disconnected clients free
    /// their memory.
    yielded: Cell<u8>,
    place: OnceCell<ConnectionPlace>,
    seat: Seat,
}

/// The maximum number of bytes in one read from the socket.
const READ_BYTES: usize = 16 * 1024;
/// The maximum number of times that one read yields to other tasks. It yields until disconnected clients have freed
/// their memory.
const MOST_YIELDS: u8 = 32;
/// The size in bytes above which an idle connection frees its buffers.
const BULKY: usize = 4 * 1024;

impl HttpConnection {
    pub(crate) fn new(
        stream: Box<dyn Socket>,
        state: Rc<ConnectionState>,
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
            yielded: Cell::default(),
            place: OnceCell::new(),
            seat,
        }
    }

    /// Keeps a place until the connection closes.
    fn admit(&self, place: ConnectionPlace) {
        self.state.admit(place.places());
        // A connection gets only one place.
        let _ = self.place.set(place);
    }

    /// Reads bytes from the socket into the input buffer, and returns their number. 0 means the end of the stream.
    // The input grows only by the bytes read, not by the size of the read buffer.
    fn poll_read(&self, context: &mut Context<'_>) -> Poll<io::Result<usize>> {
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

    /// Waits until the client resets the connection. This method does not read while the input buffer contains bytes.
    ///
    /// A client that has closed only its sending side still waits for the response.
    fn poll_reset(&self, context: &mut Context<'_>) -> Poll<io::Error> {
        if !self.input.borrow().is_empty() {
            return Poll::Pending;
        }
        match self.poll_read(context) {
            Poll::Ready(Err(error)) => Poll::Ready(error),
            Poll::Ready(Ok(_)) | Poll::Pending => Poll::Pending,
        }
    }

    /// Writes the output buffer to the socket.
    fn poll_flush(&self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut output = self.output.borrow_mut();
        self.note_size(output.len());
        let kept = output.capacity();
        self.poll_write(&mut *output, kept, context)
    }

    /// Writes bytes to the socket. The output buffer must have been written before. `kept` bytes stay in memory until
    /// all bytes are written.
    fn poll_write(&self, bytes: &mut impl Buf, kept: usize, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while bytes.has_remaining() {
            let Poll::Ready(written) = self.poll_write_some(bytes.chunk(), context) else {
                let kept = kept + self.coder_memory() + self.unsent.get();
                let is_held = self.hold(kept, self.state.sent(), context);
                return if is_held { Poll::Pending } else { Poll::Ready(Err(io::ErrorKind::TimedOut.into())) };
            };
            bytes.advance(written?);
        }
        if let Some(share) = &*self.share.borrow() {
            share.keep(self.unsent.get() + self.coder_memory());
        }
        Poll::Ready(Ok(()))
    }

    /// Writes some bytes to the socket, and returns their number.
    fn poll_write_some(&self, bytes: &[u8], context: &mut Context<'_>) -> Poll<io::Result<usize>> {
        if self.state.is_timed_out() {
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        let Poll::Ready(written) = Pin::new(&mut *self.stream.borrow_mut()).poll_write(context, bytes) else {
            self.state.write_stalled();
            return Poll::Pending;
        };
        match written? {
            0 => Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
            count => {
                self.state.write_resumed(count);
                Poll::Ready(Ok(count))
            }
        }
    }

    fn coder_memory(&self) -> usize {
        self.coder.borrow().as_ref().map_or(0, CoderMemory::get)
    }

    /// Adds the memory of the connection to the memory account while the server waits for the client. Returns `false`
    /// if the worker has too little memory left.
    fn hold(&self, kept: usize, moved: usize, context: &Context<'_>) -> bool {
        self.share.borrow_mut().get_or_insert_with(|| self.memory.share()).hold(kept, moved, context)
    }

    /// Records how much memory a new response uses. This memory is the `unsent` bytes outside the output buffer, and
    /// the memory of the encoder.
    fn begin_response(&self, unsent: usize, coder: Option<CoderMemory>) {
        self.unsent.set(unsent);
        *self.coder.borrow_mut() = coder;
        let kept = unsent + self.coder_memory();
        if kept > 0 {
            self.share.borrow_mut().get_or_insert_with(|| self.memory.share()).keep(kept);
        }
    }

    /// Removes the memory of a request head or response from the memory account.
    fn release_memory(&self) {
        self.unsent.set(0);
        self.coder.take();
        self.share.take();
    }

    fn note_size(&self, length: usize) {
        if length > BULKY {
            self.is_bulky.set(true);
        }
    }

    /// Discards the input buffer, because the connection handles no further request. Returns whether the buffer
    /// contained bytes.
    fn drop_input(&self) -> bool {
        self.release_memory();
        !self.input.take().is_empty()
    }

    /// Frees buffers that are large and empty, because the connection may be idle for a long time.
    fn release_buffers(&self) {
        if self.is_bulky.get() && self.input.borrow().is_empty() && self.output.borrow().is_empty() {
            self.is_bulky.set(false);
            self.input.take();
            self.output.take();
        }
    }

    /// Returns whether the server is draining. Each connection then closes after its next response.
    fn is_draining(&self) -> bool {
        self.seat.is_draining()
    }

    fn log_tls(&self) {
        self.seat.log_tls();
    }

    /// Closes the sending side of the connection.
    fn poll_shutdown(&self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.stream.borrow_mut()).poll_shutdown(context)
    }
}

/// A TCP or Unix stream.
pub(crate) trait Socket: AsyncRead + AsyncWrite + Unpin + 'static {
    /// Returns the address of the client, or `None` for a Unix socket.
    fn address(&self) -> Option<SocketAddr>;
}

impl Socket for TcpStream {
    fn address(&self) -> Option<SocketAddr> {
        // Responses are written as a whole, so Nagle's algorithm would only delay them.
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
