//! [`Listener`]: the sockets that a server listens on.

use std::net::TcpListener;
#[cfg(unix)]
use std::os::unix::net::UnixListener;

/// A bound socket, TCP or Unix.
#[derive(Debug)]
#[non_exhaustive]
pub enum Listener {
    /// A TCP socket.
    Tcp(TcpListener),
    /// A Unix socket. The application manages its file, which must not exist when the socket is bound. The server does
    /// not remove the file.
    #[cfg(unix)]
    Unix(UnixListener),
}

impl From<TcpListener> for Listener {
    fn from(listener: TcpListener) -> Self {
        Self::Tcp(listener)
    }
}

#[cfg(unix)]
impl From<UnixListener> for Listener {
    fn from(listener: UnixListener) -> Self {
        Self::Unix(listener)
    }
}
