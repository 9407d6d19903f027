//! Binds the addresses of a server.

use std::fmt;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, ToSocketAddrs};

use restwright_runtime::core::runtime::log;
use restwright_runtime::core::runtime::why_unbound;

use crate::listener::Listener;

/// Resolves an address with a host and a port.
pub(crate) fn resolve(address: &(impl ToSocketAddrs + fmt::Debug)) -> io::Result<Vec<SocketAddr>> {
    address.to_socket_addrs().map(Iterator::collect).map_err(|error| {
        let advice = "write a host and a port, such as `127.0.0.1:8080`";
        io::Error::new(error.kind(), format!("cannot listen at {address:?}: it cannot be resolved: {error}; {advice}"))
    })
}

/// Binds a socket to each address that `name` resolves to. `all` contains all addresses of the server.
///
/// If only some addresses can be bound, the others are logged as warnings.
pub(crate) fn bind(name: &dyn fmt::Debug, resolved: &[SocketAddr], all: &[SocketAddr]) -> io::Result<Vec<Listener>> {
    let (mut listeners, mut failures) = (Vec::new(), Vec::new());
    for address in resolved {
        // `[::]` includes IPv4, unless IPv4 has a socket with the same port.
        let ipv4 = SocketAddr::from((Ipv4Addr::UNSPECIFIED, address.port()));
        match Listener::tcp(*address, all.contains(&ipv4)) {
            Ok(listener) => listeners.push(listener),
            Err(error) => failures.push((*address, error)),
        }
    }
    if listeners.is_empty() {
        return Err(unbound(name, &failures));
    }
    for (address, error) in failures {
        log(|| tracing::warn!(%address, %error, "cannot listen at an address"));
    }
    Ok(listeners)
}

/// Returns an error that lists every address that could not be bound.
fn unbound(name: &dyn fmt::Debug, failures: &[(SocketAddr, io::Error)]) -> io::Error {
    let Some((_, first)) = failures.first() else {
        let message = format!("cannot listen at {name:?}: it resolves to no address");
        return io::Error::new(io::ErrorKind::InvalidInput, message);
    };
    let reason = |(address, error): &(SocketAddr, io::Error)| format!("{address}: {error}; {}", why_unbound(error));
    let reasons: Vec<_> = failures.iter().map(reason).collect();
    io::Error::new(first.kind(), format!("cannot listen at {}; choose another address", reasons.join(", ")))
}
