//! Defines [`TestRequest`], a request that the test client has not sent yet.

use std::fmt;
use std::future::{Future, IntoFuture};
use std::net::{Ipv4Addr, SocketAddr};
use std::pin::Pin;

use bytes::Bytes;
use restwright_runtime::core::http::header::{AUTHORIZATION, CONTENT_LENGTH, CONTENT_TYPE};
use restwright_runtime::core::http::{BodyStream, HeaderMap, HeaderName, HeaderValue, Method};
use serde::Serialize;

use crate::client::TestClient;
use crate::host::TestRequestHead;
use crate::response::TestResponse;

/// A request that the test client has not sent yet. Send it with [`send`](Self::send), or await it in an async test.
#[must_use = "a request has no effect until it is sent or awaited"]
pub struct TestRequest<'c> {
    client: &'c TestClient,
    method: Method,
    head: TestRequestHead,
    body: BodyStream,
}

/// The method, head and body of a request that is being sent.
pub(crate) struct SentRequest {
    pub(crate) method: Method,
    pub(crate) head: TestRequestHead,
    pub(crate) body: BodyStream,
}

impl<'c> TestRequest<'c> {
    #[track_caller]
    pub(crate) fn new(client: &'c TestClient, method: Method, target: String) -> Self {
        assert!(target.starts_with('/'), "the path `{target}` must start with `/`");
        let target = client.without_base_path(target);
        let (path, query) = match target.split_once('?') {
            Some((path, query)) => (path.to_owned(), Some(query.to_owned())),
            None => (target, None),
        };
        let peer = Some(SocketAddr::from((Ipv4Addr::LOCALHOST, 49152)));
        let head = TestRequestHead { path, query, headers: client.headers().clone(), peer, can_upgrade: false };
        Self { client, method, head, body: BodyStream::empty() }
    }

    /// Adds a header.
    ///
    /// # Panics
    /// Panics if the name or value is not valid in a header.
    #[track_caller]
    pub fn header(mut self, name: &str, value: impl AsRef<[u8]>) -> Self {
        let parsed = (HeaderName::from_bytes(name.as_bytes()), HeaderValue::from_bytes(value.as_ref()));
        match parsed {
            (Ok(name), Ok(value)) => self.head.headers.append(name, value),
            _ => not_a_header(name, value.as_ref()),
        };
        self
    }

    pub(crate) fn into_headers(self) -> HeaderMap {
        self.head.headers
    }

    /// Adds a bearer token (RFC 6750, section 2.1). The token is a string or a `TestToken`.
    ///
    /// # Panics
    /// Panics if the token is not valid in a header.
    #[track_caller]
    pub fn bearer(self, token: impl fmt::Display) -> Self {
        self.header(AUTHORIZATION.as_str(), format!("Bearer {token}"))
    }

    /// Sets the body to a value, serialized as JSON.
    ///
    /// # Panics
    /// Panics if the value cannot be serialized as JSON.
    #[track_caller]
    pub fn json(self, value: &(impl Serialize + ?Sized)) -> Self {
        match serde_json::to_vec(value) {
            Ok(bytes) => self.body("application/json", bytes),
            Err(error) => not_json(&error),
        }
    }

    /// Sets the body to bytes with a media type. If the media type is empty, no `Content-Type` is sent.
    ///
    /// # Panics
    /// Panics if the media type is not valid in a header.
    #[track_caller]
    pub fn body(mut self, content_type: &str, bytes: impl Into<Bytes>) -> Self {
        let bytes = bytes.into();
        self.head.headers.insert(CONTENT_LENGTH, HeaderValue::from(bytes.len()));
        self.body = BodyStream::from_bytes(bytes);
        if content_type.is_empty() { self } else { self.header(CONTENT_TYPE.as_str(), content_type) }
    }

    /// Sets a streamed body, which is sent without `Content-Length`. Use it for bodies that arrive in pieces or end early.
    pub fn stream(mut self, body: BodyStream) -> Self {
        self.body = body;
        self
    }

    /// Sets the address of the client, `127.0.0.1:49152` by default.
    pub fn peer(mut self, peer: SocketAddr) -> Self {
        self.head.peer = Some(peer);
        self
    }

    pub(crate) fn into_sent(self) -> (&'c TestClient, SentRequest) {
        (self.client, SentRequest { method: self.method, head: self.head, body: self.body })
    }

    /// Sends the request and waits for the response.
    ///
    /// # Panics
    /// Panics in async code. Await the request there instead.
    #[track_caller]
    pub fn send(self) -> TestResponse {
        let client = self.client;
        client.wait(self.into_future(), "the request itself")
    }
}

impl<'c> IntoFuture for TestRequest<'c> {
    type Output = TestResponse;
    type IntoFuture = Pin<Box<dyn Future<Output = TestResponse> + 'c>>;

    fn into_future(self) -> Self::IntoFuture {
        let (client, sent) = self.into_sent();
        Box::pin(client.respond(sent))
    }
}

impl fmt::Debug for TestRequest<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("TestRequest")
            .field("method", &self.method)
            .field("path", &self.head.path)
            .field("query", &self.head.query)
            .field("headers", &self.head.headers)
            .finish_non_exhaustive()
    }
}

#[expect(clippy::panic, reason = "a mistake in the test, which it shows")]
#[track_caller]
fn not_a_header(name: &str, value: &[u8]) -> ! {
    panic!("`{name}: {}` is not a valid header", String::from_utf8_lossy(value))
}

#[expect(clippy::panic, reason = "a mistake in the test, which it shows")]
#[track_caller]
fn not_json(error: &serde_json::Error) -> ! {
    panic!("the value cannot be written as JSON: {error}")
}
