//! Checks the opening handshake (RFC 6455, section 4.2).

use http::Method;
use http::header::{
    CONNECTION, HOST, HeaderName, HeaderValue, ORIGIN, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_VERSION, UPGRADE,
};
use restwright_core::http::{HttpRequest, OriginAllowed};
use restwright_core::problem::catalogue;
use restwright_core::{Problem, Result};
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;

/// The name of the protocol in `Upgrade`.
pub(crate) const WEBSOCKET: &str = "websocket";

/// The only version of the protocol.
const VERSION: &str = "13";

/// Checks a handshake, and returns the value of `Sec-WebSocket-Accept`.
///
/// # Errors
/// 426 if the request is no handshake of version 13, 400 if its key is malformed, and 403 if the page that sent it has
/// another origin, which the Api does not allow.
pub(crate) fn accept_key(request: &HttpRequest) -> Result<HeaderValue> {
    let is_handshake = *request.method() == Method::GET
        && request.can_upgrade()
        && has_token(request, &UPGRADE, WEBSOCKET)
        && has_token(request, &CONNECTION, "upgrade")
        && request.header_values(&SEC_WEBSOCKET_VERSION).iter().map(Vec::as_slice).eq([VERSION.as_bytes()]);
    if !is_handshake {
        return Err(Problem::new(catalogue::UPGRADE_REQUIRED)
            .detail("This operation is a WebSocket. Send a WebSocket handshake of version 13 over HTTP/1.1.")
            .detail_key("upgrade_required.websocket")
            .header(UPGRADE, HeaderValue::from_static(WEBSOCKET))
            .header(SEC_WEBSOCKET_VERSION, HeaderValue::from_static(VERSION)));
    }
    let keys = request.header_values(&SEC_WEBSOCKET_KEY);
    let accept = match keys.as_slice() {
        [key] if is_key(key) => HeaderValue::try_from(derive_accept_key(key)).ok(),
        _ => None,
    };
    let Some(accept) = accept else {
        return Err(Problem::new(catalogue::MALFORMED_REQUEST)
            .detail("`Sec-WebSocket-Key` must be 16 bytes in base64, in one header.")
            .detail_key("malformed_request.websocket"));
    };
    check_origin(request)?;
    Ok(accept)
}

/// Returns `true` if a header contains a token in its comma-separated list, regardless of case.
fn has_token(request: &HttpRequest, name: &HeaderName, token: &str) -> bool {
    request.header_values(name).iter().any(|value| {
        let mut tokens = value.split(|byte| *byte == b',').map(<[u8]>::trim_ascii);
        tokens.any(|known| known.eq_ignore_ascii_case(token.as_bytes()))
    })
}

/// Returns `true` if a key is 16 bytes in base64. The last of its 22 digits has only two bits of data.
fn is_key(key: &[u8]) -> bool {
    let is_digit = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    match key {
        [digits @ .., last, b'=', b'='] => {
            digits.len() == 21 && digits.iter().all(is_digit) && matches!(last, b'A' | b'Q' | b'g' | b'w')
        }
        _ => false,
    }
}

/// Rejects pages of other origins. Browsers send cookies with every handshake and apply no CORS rules to it, so any page
/// could otherwise act as its visitor. Other clients send no `Origin`.
fn check_origin(request: &HttpRequest) -> Result<()> {
    let origins = request.header_values(&ORIGIN);
    if origins.is_empty() || request.extensions().get::<OriginAllowed>().is_some() {
        return Ok(());
    }
    let host = request.header_values(&HOST);
    let is_same = match (origins.as_slice(), host.as_slice()) {
        ([origin], [host]) => authority(origin).is_some_and(|authority| is_same_authority(origin, authority, host)),
        _ => false,
    };
    if is_same {
        return Ok(());
    }
    let origin = String::from_utf8_lossy(origins.first().map(Vec::as_slice).unwrap_or_default()).into_owned();
    Err(Problem::new(catalogue::ORIGIN_NOT_ALLOWED)
        .detail("Pages of this origin may not connect. The Api can allow the origin in its CORS settings.")
        .detail_key("origin_not_allowed.page")
        .detail_param("origin", origin))
}

/// Returns the host and the port of an HTTP origin.
fn authority(origin: &[u8]) -> Option<&[u8]> {
    origin.strip_prefix(b"https://").or_else(|| origin.strip_prefix(b"http://"))
}

/// Returns `true` if the authority of an origin is the `Host` of the request. A client may write the default port.
fn is_same_authority(origin: &[u8], authority: &[u8], host: &[u8]) -> bool {
    let port: &[u8] = if origin.starts_with(b"https") { b":443" } else { b":80" };
    authority.eq_ignore_ascii_case(host)
        || host.strip_suffix(port).is_some_and(|host| authority.eq_ignore_ascii_case(host))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_16_bytes_in_base64() {
        for (key, expected) in [
            ("dGhlIHNhbXBsZSBub25jZQ==", true),
            ("AAAAAAAAAAAAAAAAAAAAAA==", true),
            ("AAAAAAAAAAAAAAAAAAAAAB==", false),
            ("dGhlIHNhbXBsZSBub25jZQ", false),
            ("dGhlIHNhbXBsZSBub25jZQ===", false),
            ("dGhlIHNhbXBsZSBub25jZ*==", false),
            ("", false),
        ] {
            assert_eq!(is_key(key.as_bytes()), expected, "{key}");
        }
    }

    #[test]
    fn origins_are_compared_with_the_host() {
        for (origin, host, expected) in [
            ("https://example.com", "example.com", true),
            ("https://example.com", "example.com:443", true),
            ("http://example.com", "example.com:80", true),
            ("https://example.com", "EXAMPLE.com", true),
            ("http://localhost:3000", "localhost:3000", true),
            ("http://localhost:3000", "localhost:8080", false),
            ("http://example.com", "example.com:443", false),
            ("https://example.com", "example.com.evil.example", false),
            ("https://evil.example", "example.com", false),
            ("null", "example.com", false),
            ("file://example.com", "example.com", false),
        ] {
            let same = authority(origin.as_bytes())
                .is_some_and(|authority| is_same_authority(origin.as_bytes(), authority, host.as_bytes()));
            assert_eq!(same, expected, "{origin} {host}");
        }
    }
}
