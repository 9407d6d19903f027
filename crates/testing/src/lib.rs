//! The in-process client: a second host, beside the one on sockets, for the tests of applications.
//!
//! A [`TestClient`] hands requests to an Api as a server would, without a socket, and
//! [`TestResponse::assert_documented`] holds each answer against the description of its operation, so that a test of
//! behaviour is a test of the document too.
//!
//! It depends on `restwright-runtime`, and with the feature `jwt` on `restwright-auth` for the tokens of a test issuer. The description is
//! read where it stands, not from a document made of it. There is no wire: requests that an HTTP parser rejects are tested through a socket.

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
pub use violation::Violation;
