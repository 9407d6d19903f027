//! Provides an in-process client for the tests of an application.
//!
//! A [`TestClient`] passes requests to an Api like a server, but without a socket. [`TestResponse::assert_documented`]
//! checks a response against the description of its operation, so a test of behaviour also tests the document.
//!
//! The description comes from the operation itself, not from a generated document. There is no HTTP parser, so test
//! malformed HTTP through a socket.

mod access;
mod access_matrix;
mod client;
mod documented;
mod host;
#[cfg(feature = "jwt")]
mod issuer;
mod request;
mod response;
mod violation;
#[cfg(feature = "websocket")]
mod websocket;

pub use access::assert_guests_only_at;
pub use access_matrix::{AccessMatrix, AccessMatrixBuilder};
pub use client::TestClient;
#[cfg(feature = "jwt")]
pub use issuer::{TestIssuer, TestToken};
pub use request::TestRequest;
pub use response::TestResponse;
pub use violation::TestViolation;
#[cfg(feature = "websocket")]
pub use websocket::TestWebSocket;
