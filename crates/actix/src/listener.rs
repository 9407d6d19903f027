//! Defines [`Listener`], a bound socket on which a server listens.

use std::io;
use std::net::{SocketAddr, TcpListener};
#[cfg(unix)]
use std::os::unix::fs::FileTypeExt;
#[cfg(unix)]
use std::os::unix::net::{UnixListener, UnixStream};
#[cfg(unix)]
use std::path::Path;

use socket2::{Domain, Protocol, Socket, Type};

/// A bound TCP or Unix socket.
#[derive(Debug)]
#[non_exhaustive]
pub enum Listener {
    /// A bound TCP socket.
    Tcp(TcpListener),
    /// A bound Unix socket. The server does not remove the socket file.
    #[cfg(unix)]
    Unix(UnixListener),
}

/// The maximum number of connections that the system accepts before the server does. The system may have a lower limit.
const WAITING: i32 = 1024;

impl Listener {
    /// Binds a TCP socket. With `only_ipv6`, the address `[::]` does not include IPv4.
    pub(crate) fn tcp(address: SocketAddr, only_ipv6: bool) -> io::Result<Self> {
        let socket = Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
        if only_ipv6 && address.is_ipv6() {
            socket.set_only_v6(true)?;
        }
        // The port of a server that has just stopped may have connections that the system still closes. Windows would
        // let two servers bind the same port.
        #[cfg(not(windows))]
        socket.set_reuse_address(true)?;
        socket.bind(&address.into())?;
        socket.listen(WAITING)?;
        Ok(Self::Tcp(socket.into()))
    }

    /// Returns the address or the path for the log, in the form of `LISTEN`.
    pub(crate) fn place(&self) -> String {
        match self {
            Self::Tcp(listener) => listener.local_addr().map(|address| address.to_string()).unwrap_or_default(),
            #[cfg(unix)]
            Self::Unix(listener) => {
                let address = listener.local_addr().ok();
                let path = address.as_ref().and_then(|address| address.as_pathname());
                path.map_or_else(|| "unix".to_owned(), |path| format!("unix:{}", path.display()))
            }
        }
    }

    /// Returns another handle to the same TCP socket, or `None` for a Unix socket.
    pub(crate) fn tcp_socket(&self) -> Option<io::Result<Socket>> {
        match self {
            Self::Tcp(listener) => Some(listener.try_clone().map(Socket::from)),
            #[cfg(unix)]
            Self::Unix(_) => None,
        }
    }

    /// Binds a Unix socket at a path. Replaces the socket file of a server that has ended.
    ///
    /// The umask of the process determines who may connect.
    ///
    /// # Errors
    /// Fails if the socket cannot be bound, if a server listens at the path, or if a file that is not a socket exists
    /// there. The message contains the path.
    #[cfg(unix)]
    pub fn unix(path: impl AsRef<Path>) -> io::Result<Self> {
        let path = path.as_ref();
        let failed = |error: io::Error, advice: &str| {
            io::Error::new(error.kind(), format!("cannot listen at `unix:{}`: {error}{advice}", path.display()))
        };
        let in_use = match UnixListener::bind(path) {
            Ok(listener) => return Ok(Self::Unix(listener)),
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => error,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(failed(error, "; create the folder, or correct the path"));
            }
            Err(error) => return Err(failed(error, "")),
        };
        let is_socket = std::fs::symlink_metadata(path).is_ok_and(|metadata| metadata.file_type().is_socket());
        if !is_socket {
            return Err(failed(in_use, ", because the file is not a socket; remove it, or choose another path"));
        }
        match UnixStream::connect(path) {
            Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {}
            _ => return Err(failed(in_use, ", because a server listens there; stop it, or choose another path")),
        }
        std::fs::remove_file(path)
            .and_then(|()| UnixListener::bind(path))
            .map(Self::Unix)
            .map_err(|error| failed(error, ", and the file of a server that has ended cannot be replaced"))
    }
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

/// Lets the system ignore new connections to a TCP socket, while it keeps those that wait to be accepted.
///
/// When a listening socket closes, the system resets the connections that wait. A proxy does not repeat a `POST` whose
/// connection was reset. A client that is ignored connects again after a second, and is then rejected by the closed
/// socket. This works on Linux only.
pub(crate) fn ignore_new_connections(socket: &Socket) {
    #[cfg(target_os = "linux")]
    {
        use socket2::SockFilter;
        // A program of BPF, as in linux/filter.h: it drops a TCP segment that has the flag SYN.
        let is_syn = [
            SockFilter::new(0x30, 0, 0, 13),
            SockFilter::new(0x45, 0, 1, 0x02),
            SockFilter::new(0x06, 0, 0, 0),
            SockFilter::new(0x06, 0, 0, u32::MAX),
        ];
        // Without the filter, only connections of the last milliseconds are reset.
        let _ = socket.attach_filter(&is_syn);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = socket;
}
