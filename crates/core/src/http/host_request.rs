//! Defines [`HostRequest`], through which requests read the head that the HTTP server has received.

use std::net::SocketAddr;

use http::HeaderName;

/// Gives [`HttpRequest`](super::HttpRequest) access to the request head that the HTTP server has received, without copying the head.
pub trait HostRequest {
    /// Returns the percent-encoded path, which starts with `/`.
    fn path(&self) -> &str;

    /// Returns the percent-encoded query string, without the `?`.
    fn query(&self) -> Option<&str>;

    /// Returns the first value of a header.
    fn header(&self, name: &HeaderName) -> Option<&[u8]>;

    /// Calls `visit` with every value of a header, in order.
    fn each_value<'h>(&'h self, name: &HeaderName, visit: &mut dyn FnMut(&'h [u8]));

    /// Calls `visit` with every header. Names are lower case; values of one name are in order.
    fn each_header<'h>(&'h self, visit: &mut dyn FnMut(&'h str, &'h [u8]));

    /// Returns the socket address of the peer. Returns `None` on a Unix socket.
    fn peer(&self) -> Option<SocketAddr>;

    /// Returns `true` if the connection can switch to another protocol with a 101 response (RFC 9110, section 7.8).
    /// HTTP/1.0 and HTTP/2 have no such response.
    fn can_upgrade(&self) -> bool {
        false
    }
}
