//! Defines [`Listener`], a bound socket on which a server listens.

use std::net::TcpListener;
#[cfg(unix)]
use std::os::unix::net::UnixListener;

/// A bound TCP or Unix socket.
#[derive(Debug)]
#[non_exhaustive]
pub enum Listener {
    /// A bound TCP socket.
    Tcp(TcpListener),
    /// A bound Unix socket. The application must remove the socket file, because the server does not remove it. Binding
    /// fails if the file already exists.
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
