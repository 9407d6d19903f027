//! Runs the connection loop with an in-memory client, for tests and fuzz targets. It is not part of normal builds.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll};

use actix_http::{KeepAlive, ServiceConfigBuilder};
use restwright_runtime::Api;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::runtime::Runtime;
use tokio::task::LocalSet;

use crate::connection::{Connections, Http1, HttpConnection, Socket, Watchdog};
use crate::host_settings::HostSettings;

#[cfg(test)]
mod differential;
#[cfg(test)]
mod tests;

/// A server for in-memory clients. It runs on the calling thread.
pub struct Loopback {
    runtime: Runtime,
    tasks: LocalSet,
    http: Http1,
    watchdog: Rc<Watchdog>,
    open: Arc<Connections>,
}

impl Loopback {
    /// Creates a server with the default settings of a [`Host`](crate::Host).
    ///
    /// # Errors
    /// Fails if the runtime cannot start.
    pub fn new(api: &Api) -> io::Result<Self> {
        let settings = HostSettings::default();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let tasks = LocalSet::new();
        let open = Connections::new(api, settings);
        let (http, watchdog) = tasks.block_on(&runtime, async {
            let codec = ServiceConfigBuilder::new().keep_alive(KeepAlive::Os).build();
            (Http1::new(api.worker(), codec), Watchdog::start(&settings, &open))
        });
        Ok(Self { runtime, tasks, http, watchdog, open })
    }

    /// Serves one connection and returns the bytes that the server sent. `pieces` are the bytes that the client sends.
    ///
    /// The client sends the next piece when the server waits for input, and closes its side after the last piece.
    pub fn serve<'a>(&self, pieces: impl IntoIterator<Item = &'a [u8]>) -> Vec<u8> {
        let sent = Rc::new(RefCell::default());
        let pieces = pieces.into_iter().map(<[u8]>::to_vec).collect();
        let client = Client { pieces, waits: false, sent: Rc::clone(&sent) };
        self.tasks.block_on(&self.runtime, async {
            let Some(seat) = self.open.enter(None) else { return };
            let state = Rc::default();
            self.watchdog.watch(&state);
            let memory = Rc::clone(self.http.memory());
            self.http.serve(HttpConnection::new(Box::new(client), state, seat, memory), &self.watchdog).await;
        });
        sent.take()
    }
}

impl fmt::Debug for Loopback {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Loopback").finish_non_exhaustive()
    }
}

/// An in-memory client that sends a fixed list of byte strings.
struct Client {
    pieces: VecDeque<Vec<u8>>,
    /// True if the next read returns `Pending` once before it yields the next byte string.
    waits: bool,
    sent: Rc<RefCell<Vec<u8>>>,
}

impl AsyncRead for Client {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        if std::mem::take(&mut self.waits) {
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        let Some(mut piece) = self.pieces.pop_front() else { return Poll::Ready(Ok(())) };
        let rest = piece.split_off(piece.len().min(into.remaining()));
        into.put_slice(&piece);
        if rest.is_empty() {
            self.waits = !self.pieces.is_empty();
        } else {
            self.pieces.push_front(rest);
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Client {
    fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.sent.borrow_mut().extend_from_slice(bytes);
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

impl Socket for Client {
    fn address(&self) -> Option<SocketAddr> {
        None
    }
}
