//! Reads request heads, which actix-http decodes.

use std::future::poll_fn;
use std::io;
use std::net::SocketAddr;
use std::task::{Context, Poll, ready};

use actix_http::error::ParseError;
use actix_http::h1::{Codec, Message, MessageType};
use actix_http::header::{HOST, HeaderMap};
use actix_http::{Method as TheirMethod, Request, ServiceConfig, Version as TheirVersion};
use bytes::{Buf, BytesMut};
use http::{HeaderName, Method, Version};
use restwright_runtime::HeadError;
use restwright_runtime::core::http::HostRequest;
use tokio_util::codec::Decoder;

use super::HttpConnection;
use super::body_framing::BodyDecoder;
use super::host_field;
use crate::http_compat;

/// The size limit in bytes at which actix-http rejects an incomplete request head.
const LONGEST_HEAD: usize = 128 * 1024;

/// The maximum length of a request line in bytes. A longer line results in a 414 (RFC 9112, section 3).
const LONGEST_LINE: usize = 65_534;

/// A request head that is rejected.
pub(super) struct RefusedHead {
    pub(super) error: HeadError,
    /// The method that the error response assumes, which is `HEAD` for a `HEAD` request and otherwise `GET`.
    pub(super) method: Method,
    /// `true` if the client began a TLS handshake.
    pub(super) is_tls: bool,
    /// `true` if the whole request is read.
    pub(super) is_read: bool,
}

impl RefusedHead {
    fn new(error: HeadError, is_head: bool, is_tls: bool) -> Self {
        Self { error, method: if is_head { Method::HEAD } else { Method::GET }, is_tls, is_read: false }
    }
}

/// Reads the next request head, or returns the reason for rejecting it. Returns `None` if the connection closes.
pub(super) async fn next_head(
    connection: &HttpConnection,
    codec: &ServiceConfig,
) -> io::Result<Option<Result<DecodedRequest, RefusedHead>>> {
    // The number of bytes of an incomplete head that were already decoded.
    let mut decoded = 0;
    let mut has_ended = false;
    poll_fn(|context| {
        connection.state.register_connection(context);
        loop {
            if has_ended {
                // An incomplete head is decoded again from its start, so a malformed head is rejected regardless of how
                // it was split.
                decoded = 0;
            }
            if let Some(head) = decode(&mut connection.input.borrow_mut(), &mut decoded, connection, codec) {
                connection.release_memory();
                return Poll::Ready(Ok(Some(head)));
            }
            if has_ended {
                return Poll::Ready(Ok(None));
            }
            if connection.state.is_head_late() {
                let is_first = connection.state.is_new();
                let input = connection.input.borrow();
                let refused = || RefusedHead::new(HeadError::Late, is_head_request(&input), is_tls(&input));
                return Poll::Ready(Ok(is_first.then(|| Err(refused()))));
            }
            // Sends the output that the client may wait for.
            ready!(connection.poll_flush(context))?;
            connection.release_buffers();
            match connection.poll_read(context) {
                Poll::Ready(Ok(1..)) => {}
                Poll::Ready(Ok(0)) => has_ended = true,
                Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
                // A request that arrived before the connection began to close is handled.
                Poll::Pending if connection.state.is_closing() => return Poll::Ready(Ok(None)),
                Poll::Pending if is_held(connection, context) => return Poll::Pending,
                Poll::Pending => connection.state.give_up(),
            }
        }
    })
    .await
}

/// Adds the memory of an incomplete request head to the memory account. Returns `false` if the worker has too little
/// memory left.
fn is_held(connection: &HttpConnection, context: &Context<'_>) -> bool {
    let input = connection.input.borrow();
    connection.state.head_received(input.len());
    input.is_empty() || connection.hold(input.capacity(), input.len(), context)
}

/// Decodes a request head from the input buffer. Returns `None` if more input is needed.
fn decode(
    input: &mut BytesMut,
    decoded: &mut usize,
    connection: &HttpConnection,
    codec: &ServiceConfig,
) -> Option<Result<DecodedRequest, RefusedHead>> {
    if input.is_empty() {
        return None;
    }
    connection.state.head_begun();
    skip_empty_lines(input);
    if !may_be_complete(input, *decoded) {
        return None;
    }
    *decoded = input.len();
    let line_length = if input.len() > LONGEST_LINE { first_line_length(input) } else { 0 };
    let is_head = is_head_request(input);
    let is_tls = is_tls(input);
    // No form of a request target has a fragment (RFC 9112, section 3.2).
    let target = <[u8]>::split(input, |byte| *byte == b' ').nth(1).unwrap_or_default();
    let has_fragment = target.iter().take_while(|byte| **byte != b'\n').any(|byte| *byte == b'#');
    let refuse = |error| Some(Err(RefusedHead::new(error, is_head, is_tls)));
    let mut codec = Codec::new(codec.clone());
    let message = match codec.decode(input) {
        Ok(message) => message?,
        Err(_) if line_length > LONGEST_LINE => return refuse(HeadError::TargetTooLong),
        Err(ParseError::TooLarge) => return refuse(HeadError::TooLarge),
        Err(_) => return refuse(HeadError::Malformed),
    };
    let Message::Item(request) = message else { return refuse(HeadError::Malformed) };
    // A URI of actix-http drops the fragment, so a proxy and the Api would see different targets.
    if has_fragment {
        return refuse(HeadError::Malformed);
    }
    let head = DecodedRequest {
        peer: connection.peer,
        has_body: codec.message_type() != MessageType::None,
        // After a CONNECT or upgrade, the bytes may not be a request. actix-http does not treat a CONNECT with a length
        // as a stream.
        keeps_alive: codec.keep_alive()
            && codec.message_type() != MessageType::Stream
            && *request.method() != TheirMethod::CONNECT,
        request,
    };
    if head.has_valid_host() { Some(Ok(head)) } else { refuse(HeadError::Malformed) }
}

/// Returns `false` if decoding would need more input, because the input has no line end since the last decoding.
fn may_be_complete(input: &[u8], decoded: usize) -> bool {
    let new = input.get(decoded..).unwrap_or_default();
    let has_news = if decoded == 0 { !new.is_empty() } else { new.contains(&b'\n') };
    has_news || input.len() >= LONGEST_HEAD
}

fn is_head_request(input: &[u8]) -> bool {
    input.starts_with(b"HEAD ")
}

/// Returns `true` if the input begins a TLS handshake (RFC 8446, section 5.1).
fn is_tls(input: &[u8]) -> bool {
    input.starts_with(&[22, 3])
}

fn first_line_length(input: &[u8]) -> usize {
    input.iter().position(|byte| *byte == b'\n').unwrap_or(input.len())
}

/// Skips empty lines before a request (RFC 9112, section 2.2).
fn skip_empty_lines(input: &mut BytesMut) {
    loop {
        match input.get(..) {
            Some([b'\n', ..]) => input.advance(1),
            Some([b'\r', b'\n', ..]) => input.advance(2),
            _ => return,
        }
    }
}

/// A request without its body.
pub(super) struct DecodedRequest {
    request: Request,
    peer: Option<SocketAddr>,
    has_body: bool,
    /// True if the connection may stay open after the response.
    pub(super) keeps_alive: bool,
}

impl DecodedRequest {
    pub(super) fn version(&self) -> Version {
        if self.request.version() < TheirVersion::HTTP_11 { Version::HTTP_10 } else { Version::HTTP_11 }
    }

    pub(super) fn method(&self) -> Method {
        http_compat::method(self.request.method())
    }

    /// Rejects the request without handling it.
    pub(super) fn refuse(&self, error: HeadError) -> RefusedHead {
        let is_head = self.request.method() == TheirMethod::HEAD;
        RefusedHead { is_read: !self.has_body, ..RefusedHead::new(error, is_head, false) }
    }

    /// Returns the decoder for the request body, or `None` if the request has no body.
    pub(super) fn body(&self) -> Option<BodyDecoder> {
        if self.has_body { BodyDecoder::from_headers(&self.request.head().headers) } else { None }
    }

    /// Returns whether the client waits for `100 Continue` before it sends the body.
    pub(super) fn expects_continue(&self) -> bool {
        self.request.head().expect()
    }

    fn has_valid_host(&self) -> bool {
        self.request.head().headers.get(HOST).is_none_or(|host| host_field::is_valid(host.as_bytes()))
    }
}

impl HostRequest for DecodedRequest {
    fn path(&self) -> &str {
        self.request.path()
    }

    fn query(&self) -> Option<&str> {
        self.request.uri().query()
    }

    fn header(&self, name: &HeaderName) -> Option<&[u8]> {
        http_compat::find(&self.request.head().headers, name)
    }

    fn each_value<'h>(&'h self, name: &HeaderName, visit: &mut dyn FnMut(&'h [u8])) {
        http_compat::each_value(&self.request.head().headers, name, visit);
    }

    fn each_header<'h>(&'h self, visit: &mut dyn FnMut(&'h str, &'h [u8])) {
        each_header(&self.request.head().headers, visit);
    }

    fn peer(&self) -> Option<SocketAddr> {
        self.peer
    }

    fn can_upgrade(&self) -> bool {
        self.version() == Version::HTTP_11
    }
}

pub(crate) fn each_header<'h>(headers: &'h HeaderMap, visit: &mut dyn FnMut(&'h str, &'h [u8])) {
    headers.iter().for_each(|(name, value)| visit(name.as_str(), value.as_bytes()));
}

#[cfg(test)]
mod tests {
    use super::{LONGEST_HEAD, may_be_complete};

    #[test]
    fn decodes_a_head_again_only_after_a_line_end() {
        let longest = vec![b'x'; LONGEST_HEAD];
        for (input, decoded, expected) in [
            (&b"G"[..], 0, true),
            (b"GET / HTTP/1.1\r\nX: x", 16, false),
            (b"GET / HTTP/1.1\r\nX: x\r\n", 16, true),
            (b"GET / HTTP/1.1\r\nX: x\r\n", 22, false),
            (&longest, 1, true),
        ] {
            assert_eq!(may_be_complete(input, decoded), expected, "{}", String::from_utf8_lossy(input));
        }
    }
}
