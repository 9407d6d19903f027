//! Defines [`HttpResponse`], the response that middlewares receive and hosts send.

use std::borrow::Cow;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures_core::Stream;
use http::header::{CONTENT_TYPE, IntoHeaderName, VARY};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};

use super::response_headers::ResponseHeaders;
use super::{CoderMemory, EndReason, RequestId, Trailer, Upgrade, vary_with};
use crate::future::LocalBoxFuture;
use crate::problem::{ProblemKind, RequestViolation};

/// The response that middlewares receive and hosts send, with its status, headers and payload.
// Boxed, because it is moved many times.
#[derive(Debug)]
pub struct HttpResponse(Box<ResponseData>);

#[derive(Debug, Default)]
struct ResponseData {
    status: StatusCode,
    headers: ResponseHeaders,
    payload: Payload,
    coder_memory: Option<CoderMemory>,
    trailer: Option<Trailer>,
    is_long_lived: bool,
    code: Option<Cow<'static, str>>,
    reason_key: Option<&'static str>,
    cause: Option<Box<str>>,
    problem: Option<Box<FormedProblem>>,
}

/// The problem in a response that uses the application's [error form](crate::problem::ErrorForm).
#[derive(Debug, Clone)]
pub struct FormedProblem {
    /// The kind of the problem.
    pub kind: ProblemKind,
    /// The violations of the request.
    pub violations: Vec<RequestViolation>,
}

impl HttpResponse {
    /// Creates a response without headers or a payload.
    #[must_use]
    pub fn new(status: StatusCode) -> Self {
        Self(Box::new(ResponseData { status, ..ResponseData::default() }))
    }

    /// Creates a response with `bytes` as the payload and `content_type` as its media type.
    #[must_use]
    pub fn with_bytes(status: StatusCode, content_type: HeaderValue, bytes: impl Into<Bytes>) -> Self {
        let mut response = Self::new(status);
        response.set_content_type(content_type);
        response.0.payload = Payload::Bytes(bytes.into());
        response
    }

    /// Returns the status code.
    #[must_use]
    pub fn status(&self) -> StatusCode {
        self.0.status
    }

    /// Sets the status code.
    pub fn set_status(&mut self, status: StatusCode) {
        self.0.status = status;
    }

    /// Returns the headers. They do not include `Content-Length`, `Transfer-Encoding` and `Connection`, because the
    /// HTTP server sets these.
    #[must_use]
    pub fn headers(&self) -> &HeaderMap {
        self.0.headers.map()
    }

    /// Returns the headers as a mutable map.
    pub fn headers_mut(&mut self) -> &mut HeaderMap {
        self.0.headers.map_mut()
    }

    /// Sets a header and replaces its previous values.
    #[must_use]
    pub fn header(mut self, name: impl IntoHeaderName, value: HeaderValue) -> Self {
        self.headers_mut().insert(name, value);
        self
    }

    /// Sets a header and replaces its previous values. It is cheaper than [`headers_mut`](Self::headers_mut).
    pub fn insert_header(&mut self, name: HeaderName, value: HeaderValue) {
        self.0.headers.insert(name, value);
    }

    /// Sets a header unless it already exists.
    pub fn insert_absent_header(&mut self, name: &HeaderName, value: &HeaderValue) {
        self.0.headers.insert_absent(name, value);
    }

    /// Adds names of request headers to `Vary`, without those that it contains (RFC 9110, section 12.5.5). `names` are
    /// separated by commas.
    pub fn add_vary(&mut self, names: &HeaderValue) {
        if self.header_value(&VARY).is_none() {
            return self.insert_header(VARY, names.clone());
        }
        let lines: Vec<_> = self.headers().get_all(VARY).iter().map(HeaderValue::as_bytes).collect();
        if let Some(value) = vary_with(&lines, names.as_bytes()) {
            self.insert_header(VARY, value);
        }
    }

    pub(crate) fn append_header(&mut self, name: HeaderName, value: HeaderValue) {
        self.0.headers.append(name, value);
    }

    /// Adds a header field that follows the body. The stream of the body sets its value.
    ///
    /// ```
    /// use restwright_core::http::{HeaderName, HttpResponse, StatusCode};
    ///
    /// let mut response = HttpResponse::new(StatusCode::OK);
    /// let count = response.trailer(HeaderName::from_static("x-row-count"));
    /// // When the last piece of the body is made:
    /// count.set(3);
    /// ```
    #[must_use]
    pub fn trailer(&mut self, name: HeaderName) -> Trailer {
        self.0.trailer.insert(Trailer::new(name)).clone()
    }

    /// Sets `Content-Type` and replaces its previous value.
    pub fn set_content_type(&mut self, value: HeaderValue) {
        self.insert_header(CONTENT_TYPE, value);
    }

    /// Calls `visit` with every header. If a header has several values, they are visited in order.
    pub fn each_header(&self, visit: impl FnMut(&HeaderName, &[u8])) {
        self.0.headers.each(visit);
    }

    /// Sets `X-Request-Id` to the identifier of the request.
    pub fn set_request_id(&mut self, id: &RequestId) {
        self.0.headers.set_request_id(id);
    }

    /// Returns the payload.
    #[must_use]
    pub fn payload(&self) -> &Payload {
        &self.0.payload
    }

    /// Replaces the payload.
    pub fn set_payload(&mut self, payload: Payload) {
        self.0.payload = payload;
    }

    /// Removes the payload from the response and returns it.
    pub fn take_payload(&mut self) -> Payload {
        std::mem::take(&mut self.0.payload)
    }

    /// Returns the memory counter for an encoder of the payload. The encoder must update the counter. The bytes count
    /// towards [`Configuration::body_memory`](crate::Configuration::body_memory).
    pub fn coder_memory(&mut self) -> CoderMemory {
        self.0.coder_memory.get_or_insert_default().clone()
    }

    /// Returns the status, the headers and the payload, for the HTTP server to send.
    #[must_use]
    pub fn into_parts(self) -> (StatusCode, HeaderMap, Payload) {
        let ResponseData { status, headers, payload, .. } = *self.0;
        (status, headers.into_map(), payload)
    }

    /// Returns the code of the problem in the response, such as `not_found`. Returns `None` if the response is not a
    /// problem.
    #[must_use]
    pub fn code(&self) -> Option<&str> {
        self.0.code.as_deref()
    }

    /// Returns the causes of a server error (5xx), or the reason of a 401 or 403. They are written to the log, and never
    /// sent to the client.
    #[must_use]
    pub fn cause(&self) -> Option<&str> {
        self.0.cause.as_deref()
    }

    /// Returns the first value of a header. It is cheaper than [`headers`](Self::headers).
    #[must_use]
    pub fn header_value(&self, name: &HeaderName) -> Option<&HeaderValue> {
        self.0.headers.get(name)
    }

    /// Returns the status that the response had before the application's error form changed it.
    #[must_use]
    pub fn declared_status(&self) -> StatusCode {
        self.formed_problem().map_or(self.0.status, |problem| problem.kind.status)
    }

    /// Returns the value of a header if it exists and is visible ASCII.
    #[must_use]
    pub fn header_text(&self, name: &HeaderName) -> Option<&str> {
        self.header_value(name)?.to_str().ok()
    }
}

/// Contains methods that only the runtime, hosts and tests call.
#[doc(hidden)]
impl HttpResponse {
    /// Returns `true` if the response stays open until the client leaves or the server stops.
    #[must_use]
    pub fn is_long_lived(&self) -> bool {
        self.0.is_long_lived || matches!(self.0.payload, Payload::Upgrade(_))
    }

    pub fn set_long_lived(&mut self) {
        self.0.is_long_lived = true;
    }

    pub fn take_trailer(&mut self) -> Option<Trailer> {
        self.0.trailer.take()
    }

    pub fn take_coder_memory(&mut self) -> Option<CoderMemory> {
        self.0.coder_memory.take()
    }

    /// Returns the translation key of the problem's detail, such as `unauthenticated.required`.
    #[must_use]
    pub fn reason_key(&self) -> Option<&'static str> {
        self.0.reason_key
    }

    /// Sets what logs and metrics contain about the problem in the response.
    pub fn set_logged(&mut self, code: Cow<'static, str>, reason_key: Option<&'static str>, cause: Option<String>) {
        self.0.code = Some(code);
        self.0.reason_key = reason_key;
        self.0.cause = cause.map(Into::into);
    }

    pub fn set_problem(&mut self, problem: FormedProblem) {
        self.0.problem = Some(Box::new(problem));
    }

    /// Returns the problem if the response uses the application's error form.
    #[must_use]
    pub fn formed_problem(&self) -> Option<&FormedProblem> {
        self.0.problem.as_deref()
    }
}

/// The payload of a response.
#[derive(Default)]
#[non_exhaustive]
pub enum Payload {
    /// The response has no payload.
    #[default]
    Empty,
    /// The payload consists of bytes in memory.
    Bytes(Bytes),
    /// The payload is a stream of pieces. An error closes the connection, because the head has already been sent.
    Stream(PayloadStream),
    /// The payload is a stream of pieces with a known length in bytes, which is sent as `Content-Length`. If the stream
    /// ends earlier, the connection closes. Further bytes are not sent.
    SizedStream(u64, PayloadStream),
    /// The payload is omitted, because the response belongs to a `HEAD` request. Only its length is sent, as
    /// `Content-Length` (RFC 9110, section 9.3.2).
    Omitted(u64),
    /// The connection continues with another protocol. The status must be 101, and the request must allow it
    /// ([`HttpRequest::can_upgrade`](super::HttpRequest::can_upgrade)).
    Upgrade(Upgrade),
}

/// A stream of payload pieces.
pub type PayloadStream = Pin<Box<dyn Stream<Item = Result<Bytes, Box<dyn std::error::Error>>>>>;

impl Payload {
    /// Creates a payload from a stream of pieces.
    #[must_use]
    pub fn stream(pieces: impl Stream<Item = Result<Bytes, Box<dyn std::error::Error>>> + 'static) -> Self {
        Self::Stream(Box::pin(pieces))
    }

    /// Returns the bytes of a payload in memory. An empty payload is an empty slice. Returns `None` for a stream, for a
    /// response to `HEAD` and for another protocol.
    #[must_use]
    pub fn as_bytes(&self) -> Option<&[u8]> {
        match self {
            Self::Empty => Some(&[]),
            Self::Bytes(bytes) => Some(bytes),
            Self::Stream(_) | Self::SizedStream(..) | Self::Omitted(_) | Self::Upgrade(_) => None,
        }
    }

    /// Wraps the stream of a payload, for example to count its bytes. `wrap` must keep the number of bytes. A payload
    /// without a stream is returned unchanged.
    #[must_use]
    pub fn map_stream(self, wrap: impl FnOnce(PayloadStream) -> PayloadStream) -> Self {
        match self {
            Self::Stream(pieces) => Self::Stream(wrap(pieces)),
            Self::SizedStream(length, pieces) => Self::SizedStream(length, wrap(pieces)),
            payload => payload,
        }
    }

    /// Keeps a value until the payload ends, for example to count a request as in progress. A stream ends after its last
    /// piece or an error. If the payload is neither a stream nor another protocol, the value is dropped immediately.
    #[must_use]
    pub fn hold<T: Unpin + 'static>(self, value: T) -> Self {
        match self {
            Self::Upgrade(upgrade) => Self::Upgrade(upgrade.hold(value)),
            payload => payload.map_stream(|pieces| Box::pin(StreamWithValue { pieces, value: Some(value) })),
        }
    }

    /// Ends a stream or another protocol when `end` is ready.
    pub(super) fn end_after(self, end: LocalBoxFuture<'static, EndReason>) -> Self {
        match self {
            Self::Upgrade(upgrade) => Self::Upgrade(upgrade.end_after(end)),
            payload => {
                payload.map_stream(|pieces| Box::pin(Until { pieces, end: Box::pin(async move { _ = end.await }) }))
            }
        }
    }

    /// Removes the payload, for a response to `HEAD`. Keeps the length of the payload if it is known.
    #[must_use]
    pub fn omit(self) -> Self {
        match self {
            Self::Bytes(bytes) => Self::Omitted(u64::try_from(bytes.len()).unwrap_or(u64::MAX)),
            Self::Empty | Self::Stream(_) | Self::Upgrade(_) => Self::Empty,
            Self::SizedStream(length, _) | Self::Omitted(length) => Self::Omitted(length),
        }
    }
}

/// A stream that keeps a value until it ends.
struct StreamWithValue<T> {
    pieces: PayloadStream,
    value: Option<T>,
}

impl<T: Unpin> Stream for StreamWithValue<T> {
    type Item = Result<Bytes, Box<dyn std::error::Error>>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let piece = self.pieces.as_mut().poll_next(context);
        if matches!(piece, Poll::Ready(None | Some(Err(_)))) {
            self.value = None;
        }
        piece
    }
}

/// A stream that ends when `end` is ready.
pub(crate) struct Until {
    pub(crate) pieces: PayloadStream,
    pub(crate) end: LocalBoxFuture<'static, ()>,
}

impl Stream for Until {
    type Item = Result<Bytes, Box<dyn std::error::Error>>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        match self.end.as_mut().poll(context) {
            Poll::Ready(()) => Poll::Ready(None),
            Poll::Pending => self.pieces.as_mut().poll_next(context),
        }
    }
}

impl fmt::Debug for Payload {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => formatter.write_str("Empty"),
            Self::Bytes(bytes) => write!(formatter, "Bytes({})", bytes.len()),
            Self::Stream(_) => formatter.write_str("Stream"),
            Self::SizedStream(length, _) => write!(formatter, "SizedStream({length})"),
            Self::Omitted(length) => write!(formatter, "Omitted({length})"),
            Self::Upgrade(_) => formatter.write_str("Upgrade"),
        }
    }
}
