//! Explains why a server cannot bind its address.

use std::io;

/// Returns an explanation of a bind error for the person who starts the server.
#[must_use]
pub fn why_unbound(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::AddrInUse => "another process already listens there, perhaps another instance of this program",
        io::ErrorKind::AddrNotAvailable => "this machine does not have the address",
        io::ErrorKind::PermissionDenied => "the process lacks the permission to use this port",
        _ => "the operating system rejected it",
    }
}
