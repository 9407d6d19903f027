//! Errors of servers that cannot listen on an address.

use std::io;

/// Returns an explanation of a bind error, for the person who starts the server.
#[must_use]
pub fn why_unbound(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::AddrInUse => "another process listens there, perhaps another instance of this one",
        io::ErrorKind::AddrNotAvailable => "this machine has no such address",
        io::ErrorKind::PermissionDenied => "the process may not use this port",
        _ => "the system refused it",
    }
}
