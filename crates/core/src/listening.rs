//! Explains errors that occur when a server binds its address.

use std::io;

/// Returns the likely reason for a bind error, as part of an error message.
#[must_use]
pub fn why_unbound(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::AddrInUse => "another process already listens there, perhaps another instance of this program",
        io::ErrorKind::AddrNotAvailable => "this machine does not have the address",
        io::ErrorKind::PermissionDenied => "the process lacks the permission to use this port",
        _ => "the operating system rejected it",
    }
}
