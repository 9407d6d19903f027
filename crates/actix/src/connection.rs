//! A socket under watch.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::sync::Notify;

use crate::connection_state::ConnectionState;

/// A stream that actix-http speaks on; it tells the peer what flows, and ends when the peer is late.
pub(crate) struct Connection<Io> {
    stream: Io,
    peer: Rc<ConnectionState>,
    open: Arc<Connections>,
}

impl<Io> Connection<Io> {
    pub(crate) fn new(stream: Io, peer: Rc<ConnectionState>, open: Arc<Connections>) -> Self {
        open.count.fetch_add(1, Ordering::Relaxed);
        Self { stream, peer, open }
    }

    pub(crate) fn peer(&self) -> &Rc<ConnectionState> {
        &self.peer
    }
}

impl<Io> Drop for Connection<Io> {
    fn drop(&mut self) {
        if self.open.count.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.open.none_left.notify_waiters();
        }
    }
}

impl<Io: AsyncRead + Unpin> AsyncRead for Connection<Io> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.peer.is_late() {
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        let before = buffer.filled().len();
        let outcome = Pin::new(&mut self.stream).poll_read(context, buffer);
        if buffer.filled().len() > before {
            self.peer.heard();
        }
        outcome
    }
}

impl<Io: AsyncWrite + Unpin> AsyncWrite for Connection<Io> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        if self.peer.is_late() {
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        let outcome = Pin::new(&mut self.stream).poll_write(context, bytes);
        match outcome {
            Poll::Pending => self.peer.stalls(),
            Poll::Ready(_) => self.peer.flows(),
        }
        outcome
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
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

    /// Waits until the last one is closed.
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

/// What differs between the kinds of streams.
pub(crate) trait Socket: AsyncRead + AsyncWrite + Unpin + 'static {
    /// The address of the other end.
    fn address(&self) -> Option<SocketAddr>;
}

impl Socket for TcpStream {
    fn address(&self) -> Option<SocketAddr> {
        // Answers are written whole, so that waiting for more to send along only delays them.
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
