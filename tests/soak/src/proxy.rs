//! A TCP proxy that breaks connections on demand. It depends only on tokio, so that other tests can include this file with `#[path]`.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// The effect of the proxy on existing and new connections, from the moment at which it is set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Mode {
    /// Forwards everything.
    Pass,
    /// Closes existing connections, and new ones as soon as they are accepted.
    Cut,
    /// Closes each connection after this number of bytes from upstream.
    CutAfter(usize),
    /// Forwards nothing and closes nothing. Withheld bytes are forwarded when the mode changes.
    Stall,
    /// Permanently stalls the existing connections. New ones work.
    StallOpen,
    /// Closes a connection whose client sends `COMMIT`, without forwarding it.
    CutBeforeCommit,
    /// Forwards a `COMMIT`, waits for its response, and closes the connection without forwarding the response.
    CutAfterCommit,
}

/// A proxy on a free port of 127.0.0.1. It runs until it is dropped.
pub struct Proxy {
    address: SocketAddr,
    mode: Arc<watch::Sender<(u64, Mode)>>,
    accepting: tokio::task::JoinHandle<()>,
}

impl Proxy {
    /// Starts a proxy of an upstream address such as `127.0.0.1:5432`.
    pub async fn start(upstream: &str) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let mode = Arc::new(watch::Sender::new((0, Mode::Pass)));
        let (upstream, modes) = (upstream.to_owned(), mode.clone());
        let accepting = tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(connection(client, upstream.clone(), modes.subscribe()));
            }
        });
        Ok(Self { address, mode, accepting })
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    pub fn set(&self, mode: Mode) {
        self.mode.send_modify(|current| *current = (current.0 + 1, mode));
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.accepting.abort();
        self.set(Mode::Cut);
    }
}

type Modes = watch::Receiver<(u64, Mode)>;

async fn connection(client: TcpStream, upstream: String, modes: Modes) {
    let (since, mode) = *modes.borrow();
    if mode == Mode::Cut {
        return;
    }
    let Ok(server) = TcpStream::connect(upstream).await else { return };
    let _ = (client.set_nodelay(true), server.set_nodelay(true));
    let ((from_client, to_client), (from_server, to_server)) = (client.into_split(), server.into_split());
    let commit = watch::Sender::new(false);
    let upward = Direction { modes: modes.clone(), opened: since, commit: commit.clone(), is_upward: true };
    let downward = Direction { modes, opened: since, commit, is_upward: false };
    // When one direction ends, both halves are dropped, which closes both connections.
    tokio::select! {
        () = upward.copy(from_client, to_server) => {}
        () = downward.copy(from_server, to_client) => {}
    }
}

struct Direction {
    modes: Modes,
    /// The number of the mode in which the connection was opened.
    opened: u64,
    /// Becomes `true` after a `COMMIT` was sent whose response must be lost.
    commit: watch::Sender<bool>,
    is_upward: bool,
}

impl Direction {
    async fn copy(mut self, mut from: impl AsyncReadExt + Unpin, mut to: impl AsyncWriteExt + Unpin) {
        let (mut buffer, mut passed, mut counted_in) = (vec![0; 16 * 1024], 0, 0);
        loop {
            let read = tokio::select! {
                read = from.read(&mut buffer) => read,
                // Modes that close connections also close idle ones.
                changed = self.modes.changed() => match changed {
                    Ok(()) if self.modes.borrow().1 != Mode::Cut => continue,
                    _ => return,
                },
            };
            let Ok(length @ 1..) = read else { return };
            let Some(read) = buffer.get(..length) else { return };
            let mut rest = read;
            loop {
                let (number, mode) = *self.modes.borrow_and_update();
                match mode {
                    Mode::Cut => return,
                    Mode::Stall => {}
                    Mode::StallOpen if self.opened < number => {}
                    Mode::CutBeforeCommit if self.is_upward && has_commit(rest) => return,
                    Mode::CutAfterCommit if self.is_upward && has_commit(rest) => {
                        self.commit.send_replace(true);
                        break;
                    }
                    Mode::CutAfter(bytes) if !self.is_upward => {
                        if counted_in != number {
                            (passed, counted_in) = (0, number);
                        }
                        let allowed = rest.len().min(bytes.saturating_sub(passed));
                        passed += allowed;
                        if allowed < rest.len() {
                            let _ = to.write_all(rest.get(..allowed).unwrap_or_default()).await;
                            return;
                        }
                        break;
                    }
                    _ => break,
                }
                if self.modes.changed().await.is_err() {
                    return;
                }
            }
            if !self.is_upward && *self.commit.borrow() {
                return;
            }
            if to.write_all(std::mem::take(&mut rest)).await.is_err() {
                return;
            }
        }
    }
}

/// Returns `true` if a client of PostgreSQL sends these bytes to commit a transaction.
fn has_commit(bytes: &[u8]) -> bool {
    bytes.windows(6).any(|window| window.eq_ignore_ascii_case(b"COMMIT"))
}
