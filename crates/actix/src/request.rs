//! The head of a request, read from actix-http's own.

use std::net::SocketAddr;

use actix_http::header::HeaderMap as ActixHeaders;
use actix_http::header::{CONTENT_LENGTH, TRANSFER_ENCODING};
use actix_http::{Payload, Request};
use http::HeaderName;
use restwright_runtime::core::http::HostRequest;

use crate::http_compat;
use crate::message_framing::Framing;

/// A request without its body.
pub(crate) struct RequestHead(pub(crate) Request);

impl HostRequest for RequestHead {
    fn path(&self) -> &str {
        self.0.path()
    }

    fn query(&self) -> Option<&str> {
        self.0.uri().query()
    }

    fn header(&self, name: &HeaderName) -> Option<&[u8]> {
        http_compat::find(&self.0.head().headers, name)
    }

    fn each_header<'h>(&'h self, visit: &mut dyn FnMut(&'h str, &'h [u8])) {
        each_header(&self.0.head().headers, visit);
    }

    fn peer(&self) -> Option<SocketAddr> {
        self.0.peer_addr()
    }
}

pub(crate) fn each_header<'h>(headers: &'h ActixHeaders, visit: &mut dyn FnMut(&'h str, &'h [u8])) {
    headers.iter().for_each(|(name, value)| visit(name.as_str(), value.as_bytes()));
}

impl Framing {
    /// Reads the framing from a head that actix-http checked for consistency (RFC 9112, section 6.3).
    pub(crate) fn from_headers(payload: &Payload, headers: &ActixHeaders) -> Self {
        if matches!(payload, Payload::None) {
            return Self::Absent;
        }
        let length = headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.trim().parse().ok());
        match length {
            Some(0) => Self::Absent,
            Some(length) => Self::Length(length),
            None if headers.contains_key(TRANSFER_ENCODING) => Self::Chunked,
            // A CONNECT or an upgrade without a body.
            None => Self::Absent,
        }
    }
}
