//! Defines [`BodyError`], an error that occurs while a body is read.

use http::HeaderValue;
use http::header::ACCEPT_ENCODING;

use crate::attempt::ReadAgain;
use crate::problem::{Problem, catalogue};

/// An error that occurs while a body is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum BodyError {
    /// The connection was closed before the end of the body, or the chunked coding was invalid (RFC 9112, section 7.1).
    Incomplete,
    /// The body did not arrive in time.
    Timeout,
    /// The body arrived while the server was handling its maximum number of requests.
    Overloaded,
    /// The body exceeds the limit of the route.
    TooLarge {
        /// The size limit of the body in bytes.
        limit: usize,
    },
    /// The body does not match its `Content-Encoding`. The string is a message for the client.
    Undecodable(&'static str),
    /// The body has more than one content coding, or an unsupported coding (RFC 9110, section 8.4).
    UnsupportedCoding {
        /// The supported codings, in the syntax of `Accept-Encoding`.
        supported: &'static str,
    },
    /// An earlier attempt of a transaction has read a part of the body, which the current attempt would lack.
    ReadAgain {
        /// The number of the current attempt.
        attempt: u32,
        /// The number of the attempt that has read the body.
        earlier: u32,
    },
}

impl From<ReadAgain> for BodyError {
    fn from(ReadAgain { attempt, earlier }: ReadAgain) -> Self {
        Self::ReadAgain { attempt, earlier }
    }
}

impl From<BodyError> for Problem {
    fn from(error: BodyError) -> Self {
        match error {
            BodyError::ReadAgain { attempt, earlier } => {
                Problem::internal(ReadAgain { attempt, earlier }.message("the body"))
            }
            BodyError::Incomplete => Problem::new(catalogue::INCOMPLETE_BODY)
                .detail("The body ended before its declared length, or its framing is invalid.")
                .detail_key("incomplete_body.framing"),
            BodyError::Timeout => Problem::new(catalogue::BODY_TIMEOUT)
                .detail("The body did not arrive in time.")
                .detail_key("body_timeout.late"),
            BodyError::Overloaded => Problem::new(catalogue::OVERLOADED)
                .detail("The server is at its maximum number of requests.")
                .detail_key("overloaded.requests")
                .retry_after(1),
            BodyError::TooLarge { limit } => Problem::new(catalogue::BODY_TOO_LARGE)
                .detail(format!("The body must have at most {limit} bytes."))
                .detail_key("body_too_large.limit")
                .detail_param("limit", limit),
            BodyError::Undecodable(detail) => {
                Problem::new(catalogue::UNDECODABLE_BODY).detail(detail).detail_key("undecodable_body.coding")
            }
            BodyError::UnsupportedCoding { supported } => Problem::new(catalogue::UNSUPPORTED_CODING)
                .detail(format!("The body must have at most one content coding, one of: {supported}."))
                .detail_key("unsupported_coding.one")
                .detail_param("codings", supported)
                .header(ACCEPT_ENCODING, HeaderValue::from_static(supported)),
        }
    }
}
