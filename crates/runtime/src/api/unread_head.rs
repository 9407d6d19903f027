//! Creates the responses to requests that a host rejects without handling them.

use std::net::SocketAddr;

use http::{HeaderName, Method};
use restwright_core::Problem;
use restwright_core::http::{BodyStream, HostRequest, HttpRequest, HttpResponse};
use restwright_core::problem::catalogue;

use super::Worker;

/// The reason why a host rejects a request without handling it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum HeadError {
    /// The head is not HTTP, or its framing or its `Host` is invalid (status 400).
    Malformed,
    /// The head did not arrive in time (status 408).
    Late,
    /// The request target is longer than the host allows (status 414).
    TargetTooLong,
    /// The head is larger than the host allows, or contains too many header fields (status 431).
    TooLarge,
    /// All connections of the host are in use (status 503).
    Full,
}

impl From<HeadError> for Problem {
    fn from(error: HeadError) -> Self {
        let (kind, key, detail) = match error {
            HeadError::Malformed => (
                catalogue::MALFORMED_REQUEST,
                "malformed_request.head",
                "The head must be a valid request of HTTP/1.1 or HTTP/1.0.",
            ),
            HeadError::Late => (catalogue::HEAD_TIMEOUT, "head_timeout.late", "The head must arrive in time."),
            HeadError::TargetTooLong => {
                (catalogue::TARGET_TOO_LONG, "target_too_long.limit", "The request target must be shorter.")
            }
            HeadError::TooLarge => (
                catalogue::HEAD_TOO_LARGE,
                "head_too_large.limit",
                "The head must be smaller, or have fewer header fields.",
            ),
            HeadError::Full => {
                (catalogue::OVERLOADED, "overloaded.connections", "The server is at its maximum number of connections.")
            }
        };
        let problem = Self::new(kind).detail(detail).detail_key(key);
        if error == HeadError::Full { problem.retry_after(1) } else { problem }
    }
}

impl Worker {
    /// Returns the problem response to a request that the host rejects, in the default language. No middleware runs.
    ///
    /// The body is empty if `method` is `HEAD`. The host closes the connection after the response.
    #[must_use]
    pub fn refuse_head(&self, error: HeadError, method: Method) -> HttpResponse {
        if error == HeadError::Full {
            self.count_refused();
        }
        let mut request = HttpRequest::new(method, UnreadHead, BodyStream::empty());
        let response = self.api().0.routes.problems.respond(error.into(), &request);
        self.finish(&mut request, response, None)
    }
}

/// A placeholder for the head of a rejected request.
struct UnreadHead;

impl HostRequest for UnreadHead {
    fn path(&self) -> &str {
        "/"
    }

    fn query(&self) -> Option<&str> {
        None
    }

    fn header(&self, _: &HeaderName) -> Option<&[u8]> {
        None
    }

    fn each_value<'h>(&'h self, _: &HeaderName, _: &mut dyn FnMut(&'h [u8])) {}

    fn each_header<'h>(&'h self, _: &mut dyn FnMut(&'h str, &'h [u8])) {}

    fn peer(&self) -> Option<SocketAddr> {
        None
    }
}
