//! Compresses responses.

use bytes::Bytes;
use http::header::{ACCEPT_RANGES, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG};
use http::{HeaderName, HeaderValue, StatusCode};
use restwright_runtime::core::conditional::EntityTag;
use restwright_runtime::core::http::{HttpRequest, HttpResponse, Payload};

use super::accept::AcceptedCodings;
use super::encoder::{CompressedStream, FASTEST_MEMORY, STEP, compress};
use super::kept::KeptBodies;
use super::media_type::is_compressible;
use super::{Compression, ContentCoding};
use crate::vary::vary;

/// The headers that contain digests of the uncompressed body (RFC 9530).
const DIGESTS: [HeaderName; 2] = [HeaderName::from_static("content-digest"), HeaderName::from_static("repr-digest")];

impl Compression {
    /// Compresses a response if the response allows it and the client accepts a content coding.
    pub(super) fn respond(&self, request: &mut HttpRequest, response: &mut HttpResponse) {
        // A 304 represents a response that may be compressed.
        if response.status() == StatusCode::NOT_MODIFIED {
            return vary(request, response, "Accept-Encoding");
        }
        let has_size = match response.payload() {
            Payload::Bytes(bytes) => bytes.len() >= self.minimum_size && !bytes.is_empty(),
            Payload::Stream(_) | Payload::SizedStream(..) => true,
            _ => false,
        };
        // The next response with this status at the same URL may be large enough.
        let may_have_size = has_size || response.status().is_success();
        if !may_have_size || !may_change(request, response) {
            return;
        }
        vary(request, response, "Accept-Encoding");
        if !has_size {
            return;
        }
        // A stream may keep its encoder as long as it is open.
        if matches!(response.payload(), Payload::Stream(_) | Payload::SizedStream(..)) && !has_room(request) {
            return;
        }
        let Some(coding) = AcceptedCodings::read(request).choose(&self.codings) else { return };
        let tag = match response.header_value(&ETAG).map(tag) {
            None => None,
            Some(Some(tag)) => Some(tag.with_coding(coding.name()).to_header_value()),
            // The tag is invalid, so a suffix cannot be added.
            Some(None) => return,
        };
        let kept = request.route().and_then(|route| route.kept());
        let original = response.take_payload();
        let payload = match self.payload(coding, original, kept, response) {
            Ok(payload) => payload,
            Err(original) => return response.set_payload(original),
        };
        response.set_payload(payload);
        response.insert_header(CONTENT_ENCODING, HeaderValue::from_static(coding.name()));
        if let Some(tag) = tag {
            response.insert_header(ETAG, tag);
        }
    }

    /// Returns the compressed payload, or the original payload if compression does not make it smaller.
    fn payload(
        &self,
        coding: ContentCoding,
        payload: Payload,
        kept: Option<&KeptBodies>,
        response: &mut HttpResponse,
    ) -> Result<Payload, Payload> {
        let stream = match (payload, kept) {
            (Payload::Bytes(bytes), Some(kept)) => {
                return kept.get(coding, self.level, &bytes).map(Payload::Bytes).ok_or(Payload::Bytes(bytes));
            }
            (Payload::Bytes(bytes), None) if bytes.len() <= STEP => {
                let compressed = compress(coding, self.level, &bytes).ok();
                let compressed = compressed.filter(|compressed| compressed.len() < bytes.len());
                return compressed.map(|bytes| Payload::Bytes(Bytes::from(bytes))).ok_or(Payload::Bytes(bytes));
            }
            (Payload::Bytes(bytes), None) => {
                CompressedStream::of_bytes(coding, self.level, bytes, response.coder_memory())
            }
            (Payload::Stream(pieces) | Payload::SizedStream(_, pieces), _) => {
                CompressedStream::of_pieces(coding, pieces, response.coder_memory())
            }
            (other, _) => return Err(other),
        };
        Ok(Payload::stream(stream))
    }
}

/// Returns `true` if the memory of the worker has room for the encoder of a stream.
fn has_room(request: &HttpRequest) -> bool {
    request.in_flight().is_none_or(|in_flight| in_flight.memory().has_room_to_work(FASTEST_MEMORY))
}

/// Returns `true` if the response allows compression and its media type is worth compressing.
fn may_change(request: &HttpRequest, response: &HttpResponse) -> bool {
    // Headers set on the request replace the headers of the response.
    let header = |name: &HeaderName| request.response_header(name).or_else(|| response.header_value(name));
    let text = |name: &HeaderName| header(name).and_then(|value| value.to_str().ok());
    response.status() != StatusCode::PARTIAL_CONTENT
        && text(&CONTENT_TYPE).is_some_and(is_compressible)
        && header(&CONTENT_ENCODING).is_none()
        && text(&ACCEPT_RANGES).is_none_or(|ranges| ranges.eq_ignore_ascii_case("none"))
        && !has_directive(response, request, "no-transform")
        && DIGESTS.iter().all(|name| header(name).is_none())
}

/// Returns `true` if the `Cache-Control` header of the response contains the given directive.
fn has_directive(response: &HttpResponse, request: &HttpRequest, directive: &str) -> bool {
    if let Some(value) = request.response_header(&CACHE_CONTROL) {
        return names(value, directive);
    }
    response.header_value(&CACHE_CONTROL).is_some()
        && response.headers().get_all(CACHE_CONTROL).iter().any(|value| names(value, directive))
}

fn names(value: &HeaderValue, directive: &str) -> bool {
    value
        .as_bytes()
        .split(|byte| *byte == b',')
        .any(|part| part.trim_ascii().eq_ignore_ascii_case(directive.as_bytes()))
}

/// Parses an `ETag`. Returns `None` if it is invalid or already has a content coding as a suffix.
fn tag(value: &HeaderValue) -> Option<EntityTag> {
    EntityTag::parse(value.to_str().ok()?).filter(|tag| tag.coding().is_none())
}
