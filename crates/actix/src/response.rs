//! Responses as actix-http sends them.

use std::error::Error;
use std::pin::Pin;
use std::task::{Context, Poll};

use actix_http::body::{BodySize, MessageBody};
use actix_http::{ConnectionType, Payload as Unread, Response, Version};
use bytes::Bytes;
use http::StatusCode;
use restwright_runtime::core::http::Payload;

use crate::exchange::{Exchange, PipelineResponse};
use crate::http_compat;

/// Translates a response. The exchange, if given, ends when the body is handed over.
pub(crate) fn translate(
    response: PipelineResponse,
    version: Version,
    mut exchange: Option<Exchange>,
) -> Response<Body> {
    let PipelineResponse { mut response, head_only, unread, closes } = response;
    let status = response.status();
    let payload = response.take_payload();
    let payload = if is_bodiless(status) { Payload::Empty } else { payload };
    let streams = matches!(payload, Payload::Stream(_));
    let size = size(&payload, head_only || is_bodiless(status));
    let closes = closes || unread.is_some();
    if unread.is_some() {
        exchange.as_mut().map(Exchange::abandon);
    }
    let body = Body { payload, size, unread, _exchange: exchange };
    let mut sent = Response::with_body(http_compat::status(status), body);
    let head = sent.head_mut();
    http_compat::copy(&response, &mut head.headers);
    // HTTP/1.0 has no chunks: the end of the connection is the end of the body.
    let unframed = streams && version < Version::HTTP_11;
    if unframed {
        head.no_chunking(true);
    }
    if closes || unframed {
        head.set_connection_type(ConnectionType::Close);
    }
    sent
}

/// Returns whether responses of a status have no body (RFC 9110, section 6.4.1).
fn is_bodiless(status: StatusCode) -> bool {
    status.is_informational() || status == StatusCode::NO_CONTENT || status == StatusCode::NOT_MODIFIED
}

fn size(payload: &Payload, bodiless: bool) -> BodySize {
    match payload {
        Payload::Empty if bodiless => BodySize::None,
        Payload::Empty => BodySize::Sized(0),
        Payload::Bytes(bytes) => BodySize::Sized(u64::try_from(bytes.len()).unwrap_or(u64::MAX)),
        Payload::Stream(_) => BodySize::Stream,
        Payload::Omitted(length) => BodySize::Sized(*length),
    }
}

/// The body of a response.
pub(crate) struct Body {
    payload: Payload,
    size: BodySize,
    unread: Option<Unread>,
    _exchange: Option<Exchange>,
}

impl Body {
    /// An empty body.
    pub(crate) fn none() -> Self {
        Self { payload: Payload::Empty, size: BodySize::Sized(0), unread: None, _exchange: None }
    }

    /// Returns whether the body of the request was not read.
    pub(crate) fn leaves_request_unread(&self) -> bool {
        self.unread.is_some()
    }
}

impl MessageBody for Body {
    type Error = Box<dyn Error>;

    fn size(&self) -> BodySize {
        self.size
    }

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Bytes, Self::Error>>> {
        match &mut self.payload {
            Payload::Stream(pieces) => pieces.as_mut().poll_next(context),
            Payload::Bytes(bytes) => {
                let bytes = std::mem::take(bytes);
                self.payload = Payload::Empty;
                Poll::Ready(Some(Ok(bytes)))
            }
            Payload::Empty | Payload::Omitted(_) => Poll::Ready(None),
        }
    }

    fn try_into_bytes(self) -> Result<Bytes, Self> {
        match self.payload {
            Payload::Bytes(bytes) if self.unread.is_none() => Ok(bytes),
            Payload::Empty if self.unread.is_none() => Ok(Bytes::new()),
            _ => Err(self),
        }
    }
}
