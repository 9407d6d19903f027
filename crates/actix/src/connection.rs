//! Sockets with timeouts.

use std::io;
use std::mem::MaybeUninit;
use std::net::SocketAddr;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::sync::Notify;

use crate::connection_state::ConnectionState;
use crate::message_framing::{Message, RequestScanner};
use crate::places::Place;

/// A stream for actix-http. It hands over one request at a time, records its traffic in the connection state, and fails when the
/// client timed out.
pub(crate) struct Connection {
    /// Of no generic type, so that actix-http is compiled once for all kinds.
    stream: Box<dyn Socket>,
    scanner: RequestScanner,
    /// Bytes that were read and are not admitted yet: at most what one read returned.
    withheld: Bytes,
    state: Rc<ConnectionState>,
    open: Arc<Connections>,
    _place: Place,
}

impl Connection {
    pub(crate) fn new(
        stream: Box<dyn Socket>,
        place: Place,
        state: Rc<ConnectionState>,
        open: Arc<Connections>,
    ) -> Self {
        open.count.fetch_add(1, Ordering::Relaxed);
        Self { stream, scanner: RequestScanner::default(), withheld: Bytes::new(), state, open, _place: place }
    }

    pub(crate) fn state(&self) -> &Rc<ConnectionState> {
        &self.state
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        if self.open.count.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.open.none_left.notify_waiters();
        }
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.state.is_timed_out() {
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        let this = &mut *self;
        let before = buffer.filled().len();
        let admitted = if this.withheld.is_empty() {
            ready!(Pin::new(&mut this.stream).poll_read(context, buffer))?;
            let read = buffer.filled().get(before..).unwrap_or_default();
            if read.is_empty() {
                return Poll::Ready(Ok(()));
            }
            let admitted = this.scanner.admit(read, &this.state);
            if let Some(rest) = read.get(admitted..).filter(|rest| !rest.is_empty()) {
                this.withheld = Bytes::copy_from_slice(rest);
                this.state.withhold(true);
                buffer.set_filled(before + admitted);
            }
            admitted
        } else {
            let fitting = this.withheld.get(..buffer.remaining()).unwrap_or(&this.withheld);
            let admitted = this.scanner.admit(fitting, &this.state);
            buffer.put_slice(&this.withheld.split_to(admitted));
            if this.withheld.is_empty() {
                this.withheld = Bytes::new();
                this.state.withhold(false);
            }
            admitted
        };
        if admitted == 0 {
            // The state wakes this task when more is admitted.
            return Poll::Pending;
        }
        this.state.data_received();
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Connection {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        if self.state.is_timed_out() {
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        let outcome = Pin::new(&mut self.stream).poll_write(context, bytes);
        match outcome {
            Poll::Pending => self.state.write_stalled(),
            Poll::Ready(_) => self.state.write_resumed(),
        }
        outcome
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = ready!(Pin::new(&mut self.stream).poll_flush(context));
        if let (Ok(()), Message::Arrived(_)) = (&flushed, self.state.message()) {
            // What was sent is the response of actix-http to a head that it refused. It would now write an error to the log, at the will
            // of whoever sends such heads.
            tracing::debug!("the head of a request was refused");
            return Poll::Ready(Err(io::ErrorKind::InvalidData.into()));
        }
        Poll::Ready(flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = &mut *self;
        if !this.state.lingers() {
            ready!(Pin::new(&mut this.stream).poll_shutdown(context))?;
            if this.withheld.is_empty() {
                return Poll::Ready(Ok(()));
            }
            this.withheld = Bytes::new();
            this.state.linger();
        }
        // A socket that is closed with bytes unread resets the connection, and the client may lose the response (RFC 9112,
        // section 9.6).
        let mut scratch = [MaybeUninit::uninit(); 2048];
        while !this.state.is_timed_out() {
            let mut buffer = ReadBuf::uninit(&mut scratch);
            match ready!(Pin::new(&mut this.stream).poll_read(context, &mut buffer)) {
                Ok(()) if !buffer.filled().is_empty() => {}
                Ok(()) | Err(_) => break,
            }
        }
        Poll::Ready(Ok(()))
    }
}

/// The connections that are open on all workers.
#[derive(Debug, Default)]
pub(crate) struct Connections {
    count: AtomicUsize,
    none_left: Notify,
}

impl Connections {
    pub(crate) fn count(&self) -> usize {
        self.count.load(Ordering::Acquire)
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
            tracing::debug!(%error, "cannot set TCP_NODELAY");
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
