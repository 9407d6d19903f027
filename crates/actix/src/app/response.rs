//! Converts responses of the pipeline to responses of actix-web.

use std::error::Error;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use actix_http::body::{BodySize, BoxBody, MessageBody, None as NoBody};
use actix_http::header::{HeaderMap as Theirs, HeaderName as TheirName, HeaderValue as TheirValue};
use actix_http::{ConnectionType, Payload as Unread, Response, StatusCode as TheirStatus, Version};
use actix_web::HttpResponse as TheirResponse;
use bytes::Bytes;
use http::StatusCode;
use http::header::CONTENT_TYPE;
use restwright_runtime::core::http::{HttpResponse, Payload};
use restwright_runtime::core::runtime::MemoryAccount;

use super::switched_body::SwitchedBody;
use crate::http_compat;

/// A response of the request pipeline, before it is converted to an actix-web response.
pub(super) struct PipelineResponse {
    pub(super) response: HttpResponse,
    /// True if the request method is `HEAD`.
    pub(super) head_only: bool,
    /// The request body, if it was not read to its end. It must live until the response is sent. If it is dropped
    /// earlier, actix-http keeps reading without a limit. If it is kept, actix-http closes the connection.
    pub(super) unread: Option<Unread>,
    /// True if the connection closes after the response.
    pub(super) closes: bool,
}

impl PipelineResponse {
    /// Converts the response to a response of actix-web. `memory` is the memory account of the worker.
    pub(super) fn translate(self, version: Version, memory: &Rc<MemoryAccount>) -> TheirResponse {
        let Self { mut response, head_only, unread, closes } = self;
        let code = response.status();
        let bodiless = is_bodiless(code);
        let payload = match response.take_payload() {
            Payload::Upgrade(upgrade) => {
                let protocol = SwitchedBody::new(upgrade, unread.unwrap_or(Unread::None), memory.share());
                let mut sent = Response::with_body(status(code), BoxBody::new(protocol));
                copy(&response, &mut sent.head_mut().headers);
                sent.head_mut().set_connection_type(ConnectionType::Upgrade);
                return TheirResponse::from(sent);
            }
            _ if bodiless => Payload::Empty,
            payload => payload,
        };
        let is_unsized = matches!(payload, Payload::Stream(_));
        let closes = closes || unread.is_some();
        let mut sent = Response::with_body(status(code), body(payload, head_only || bodiless, unread));
        let head = sent.head_mut();
        copy(&response, &mut head.headers);
        // HTTP/1.0 has no chunked coding, so the end of the connection ends the body.
        let unframed = is_unsized && version < Version::HTTP_11;
        if unframed {
            head.no_chunking(true);
        }
        if closes || unframed {
            head.set_connection_type(ConnectionType::Close);
        }
        TheirResponse::from(sent)
    }
}

/// Converts a payload to the body of an actix-web response. Usually, the payload is bytes and the request body was read
/// to its end. The bytes are then passed to actix-http unchanged.
fn body(payload: Payload, bodiless: bool, unread: Option<Unread>) -> BoxBody {
    match (payload, unread) {
        (Payload::Bytes(bytes), None) => BoxBody::new(bytes),
        (Payload::Empty, None) if bodiless => BoxBody::new(NoBody::new()),
        (Payload::Empty, None) => BoxBody::new(()),
        (payload, unread) => {
            let size = size(&payload, bodiless);
            BoxBody::new(ResponseBody { payload, size, _unread: unread })
        }
    }
}

/// Returns whether responses with this status have no body (RFC 9110, section 6.4.1).
fn is_bodiless(status: StatusCode) -> bool {
    status.is_informational() || status == StatusCode::NO_CONTENT || status == StatusCode::NOT_MODIFIED
}

fn size(payload: &Payload, bodiless: bool) -> BodySize {
    match payload {
        Payload::Empty if bodiless => BodySize::None,
        Payload::Bytes(bytes) => BodySize::Sized(u64::try_from(bytes.len()).unwrap_or(u64::MAX)),
        Payload::Stream(_) => BodySize::Stream,
        Payload::SizedStream(length, _) | Payload::Omitted(length) => BodySize::Sized(*length),
        Payload::Upgrade(_) => BodySize::None,
        _ => BodySize::Sized(0),
    }
}

/// The body of an actix-web response. It is used for streams, for omitted bodies (`HEAD`), and to keep an unread
/// request body alive.
struct ResponseBody {
    payload: Payload,
    size: BodySize,
    /// The unread request body. It is dropped after the response is sent.
    _unread: Option<Unread>,
}

impl MessageBody for ResponseBody {
    type Error = Box<dyn Error>;

    fn size(&self) -> BodySize {
        self.size
    }

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Bytes, Self::Error>>> {
        match &mut self.payload {
            Payload::Stream(pieces) => pieces.as_mut().poll_next(context),
            // The body ends with its last announced byte.
            Payload::SizedStream(0, _) => Poll::Ready(None),
            Payload::SizedStream(left, pieces) => {
                let piece = pieces.as_mut().poll_next(context);
                if let Poll::Ready(Some(Ok(piece))) = &piece {
                    *left = left.saturating_sub(u64::try_from(piece.len()).unwrap_or(u64::MAX));
                }
                piece
            }
            Payload::Bytes(bytes) => {
                let bytes = std::mem::take(bytes);
                self.payload = Payload::Empty;
                Poll::Ready(Some(Ok(bytes)))
            }
            _ => Poll::Ready(None),
        }
    }
}

/// Converts a status code to the `StatusCode` of actix-http.
fn status(status: StatusCode) -> TheirStatus {
    match status {
        StatusCode::OK => TheirStatus::OK,
        _ => TheirStatus::from_u16(status.as_u16()).unwrap_or(TheirStatus::INTERNAL_SERVER_ERROR),
    }
}

/// Copies the headers of a response into an actix-web response.
fn copy(response: &HttpResponse, into: &mut Theirs) {
    // Nearly every response has this media type. A static value needs no copy.
    static JSON: TheirValue = TheirValue::from_static("application/json");
    response.each_header(|name, value| {
        let known = http_compat::known(name);
        let value = if *name == CONTENT_TYPE && value == JSON.as_bytes() {
            Ok(JSON.clone())
        } else {
            TheirValue::from_bytes(value)
        };
        let Ok(value) = value else { return };
        if let Some(name) = known {
            into.append(name.clone(), value);
        } else if let Ok(name) = TheirName::from_bytes(name.as_str().as_bytes()) {
            into.append(name, value);
        }
    });
}

#[cfg(test)]
mod tests {
    use http::{HeaderName, HeaderValue};

    use super::*;

    #[test]
    fn headers_keep_names_values_and_repetitions() {
        let mut response = HttpResponse::new(StatusCode::OK);
        for (name, value) in
            [("content-type", "application/json"), ("x-own", "1"), ("set-cookie", "a"), ("set-cookie", "b")]
        {
            response.headers_mut().append(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        let mut sent = Theirs::new();
        copy(&response, &mut sent);
        let mut pairs: Vec<_> = sent.iter().map(|(name, value)| (name.as_str(), value.to_str().unwrap())).collect();
        pairs.sort_unstable();
        let expected = [("content-type", "application/json"), ("set-cookie", "a"), ("set-cookie", "b"), ("x-own", "1")];
        assert_eq!(pairs, expected);
    }
}
