//! The in-process client: a second host, beside the one on sockets, for the tests of applications.
//!
//! A [`TestClient`] hands requests to an Api as a server would, without a socket, and
//! [`TestResponse::assert_documented`] checks each response against the description of its operation, so that a test of
//! behaviour is a test of the document too.
//!
//! It reads the description from the operation itself and not from a document. There is no HTTP parser: what that rejects is
//! tested through a socket.

mod access;
mod client;
mod documented;
mod host;
#[cfg(feature = "jwt")]
mod issuer;
mod request;
mod response;
mod violation;

pub use access::assert_guests_only_at;
pub use client::TestClient;
#[cfg(feature = "jwt")]
pub use issuer::{TestIssuer, TestToken};
pub use request::TestRequest;
pub use response::TestResponse;
pub use violation::TestViolation;
