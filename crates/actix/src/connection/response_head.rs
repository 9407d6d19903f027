//! Writes response heads (RFC 9112, sections 4 and 6).

use std::fmt::Write;

use bytes::BytesMut;
use http::header::{CONNECTION, CONTENT_LENGTH, DATE, TRAILER, TRANSFER_ENCODING, UPGRADE};
use http::{HeaderName, StatusCode, Version};
use restwright_runtime::core::http::{HttpResponse, Payload};

use super::date::Date;

/// The framing of a response body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ResponseFraming {
    /// The response has neither a body nor `Content-Length`.
    None,
    /// The value of `Content-Length`. It is the length of the body, or for `HEAD` the length that `GET` would return.
    Length(u64),
    Chunked,
    /// The body ends when the connection closes.
    Close,
    /// The connection continues with another protocol.
    Upgrade,
}

impl ResponseFraming {
    /// Returns the framing for a response payload. Drops the payload if the status allows no body (RFC 9110, section
    /// 6.4.1).
    pub(super) fn new(payload: &mut Payload, status: StatusCode, version: Version, head_only: bool) -> Self {
        let is_bodiless =
            status.is_informational() || matches!(status, StatusCode::NO_CONTENT | StatusCode::NOT_MODIFIED);
        if is_bodiless && !matches!(payload, Payload::Upgrade(_)) {
            *payload = Payload::Empty;
            return Self::None;
        }
        match payload {
            Payload::Empty if head_only => Self::None,
            Payload::Bytes(bytes) => Self::Length(u64::try_from(bytes.len()).unwrap_or(u64::MAX)),
            // HTTP/1.0 has no chunked coding.
            Payload::Stream(_) if version == Version::HTTP_10 => Self::Close,
            Payload::Stream(_) => Self::Chunked,
            Payload::SizedStream(length, _) | Payload::Omitted(length) => Self::Length(*length),
            Payload::Upgrade(_) => Self::Upgrade,
            _ => Self::Length(0),
        }
    }
}

/// The values in a response head that the host determines, such as the version and the date.
pub(super) struct ResponseHead<'a> {
    pub(super) version: Version,
    pub(super) framing: ResponseFraming,
    /// True if the connection closes after the response.
    pub(super) closes: bool,
    pub(super) date: &'a Date,
    /// The name of the field that follows the body.
    pub(super) trailer: Option<&'a HeaderName>,
}

/// The size in bytes that is sufficient for most response heads. It is reserved in the output buffer.
const USUAL_BYTES: usize = 384;

impl ResponseHead<'_> {
    /// Writes the status line and the headers of a response.
    pub(super) fn write(&self, response: &HttpResponse, output: &mut BytesMut) {
        output.reserve(USUAL_BYTES);
        let is_old = self.version == Version::HTTP_10;
        let status = response.status();
        output.extend_from_slice(if is_old { b"HTTP/1.0 " } else { b"HTTP/1.1 " });
        output.extend_from_slice(status.as_str().as_bytes());
        output.extend_from_slice(b" ");
        output.extend_from_slice(status.canonical_reason().unwrap_or_default().as_bytes());
        output.extend_from_slice(b"\r\n");
        match self.framing {
            ResponseFraming::None | ResponseFraming::Close | ResponseFraming::Upgrade => {}
            ResponseFraming::Length(length) => {
                write_field(output, "content-length", itoa::Buffer::new().format(length).as_bytes());
            }
            ResponseFraming::Chunked => {
                write_field(output, "transfer-encoding", b"chunked");
                self.trailer.into_iter().for_each(|name| write_field(output, "trailer", name.as_str().as_bytes()));
            }
        }
        match (self.closes, is_old) {
            _ if self.framing == ResponseFraming::Upgrade => {}
            (true, false) => write_field(output, "connection", b"close"),
            (false, true) => write_field(output, "connection", b"keep-alive"),
            (true, true) | (false, false) => {}
        }
        let (mut is_dated, mut has_upgrade) = (false, false);
        response.each_header(|name, value| {
            if [CONNECTION, TRANSFER_ENCODING, TRAILER].contains(name) {
                return;
            }
            // A 304 may have the `Content-Length` of the `GET` response (RFC 9110, section 8.6).
            if *name == CONTENT_LENGTH && status != StatusCode::NOT_MODIFIED {
                return;
            }
            is_dated |= *name == DATE;
            has_upgrade |= *name == UPGRADE;
            write_field(output, name.as_str(), value);
        });
        if !is_dated {
            self.date.with(|date| write_field(output, "date", date.as_bytes()));
        }
        // RFC 9110, section 7.8.
        if has_upgrade {
            write_field(output, "connection", b"upgrade");
        }
        output.extend_from_slice(b"\r\n");
    }
}

pub(super) fn write_field(output: &mut BytesMut, name: &str, value: &[u8]) {
    output.extend_from_slice(name.as_bytes());
    output.extend_from_slice(b": ");
    output.extend_from_slice(value);
    output.extend_from_slice(b"\r\n");
}

/// Writes a chunk of a chunked response body (RFC 9112, section 7.1).
pub(super) fn write_chunk(data: &[u8], output: &mut BytesMut) {
    // Writing to memory cannot fail.
    let _ = write!(output, "{:x}\r\n", data.len());
    output.extend_from_slice(data);
    output.extend_from_slice(b"\r\n");
}
