//! Conversions of methods, statuses and headers between the two versions of the `http` crate: 0.2 of actix-http, and 1.

use actix_http::header::{HeaderMap as Theirs, HeaderName as TheirName, HeaderValue as TheirValue};
use actix_http::{Method as TheirMethod, StatusCode as TheirStatus};
use http::{HeaderName, Method, StatusCode};
use restwright_runtime::core::http::HttpResponse;

/// Pairs the names of common headers, so that they need no parsing.
macro_rules! known_names {
    ($($text:literal => $name:ident),+ $(,)?) => {
        $(static $name: TheirName = TheirName::from_static($text);)+

        fn known(name: &HeaderName) -> Option<&'static TheirName> {
            match name.as_str() {
                $($text => Some(&$name),)+
                _ => None,
            }
        }

        #[cfg(test)]
        const ALL_KNOWN: &[&str] = &[$($text),+];
    };
}

known_names!(
    "accept" => ACCEPT,
    "authorization" => AUTHORIZATION,
    "cache-control" => CACHE_CONTROL,
    "content-length" => CONTENT_LENGTH,
    "content-type" => CONTENT_TYPE,
    "cookie" => COOKIE,
    "etag" => ETAG,
    "if-match" => IF_MATCH,
    "if-none-match" => IF_NONE_MATCH,
    "link" => LINK,
    "location" => LOCATION,
    "retry-after" => RETRY_AFTER,
    "www-authenticate" => WWW_AUTHENTICATE,
    "x-ratelimit-limit" => RATE_LIMIT,
    "x-ratelimit-remaining" => RATE_LIMIT_REMAINING,
    "x-ratelimit-reset" => RATE_LIMIT_RESET,
    "x-request-id" => REQUEST_ID,
);

pub(crate) fn method(method: &TheirMethod) -> Method {
    match *method {
        TheirMethod::GET => Method::GET,
        TheirMethod::POST => Method::POST,
        TheirMethod::PUT => Method::PUT,
        TheirMethod::PATCH => Method::PATCH,
        TheirMethod::DELETE => Method::DELETE,
        TheirMethod::HEAD => Method::HEAD,
        TheirMethod::OPTIONS => Method::OPTIONS,
        // Both crates accept the tokens of RFC 9110, section 5.6.2, so the fallback is not reached.
        _ => Method::from_bytes(method.as_str().as_bytes()).unwrap_or(Method::TRACE),
    }
}

pub(crate) fn status(status: StatusCode) -> TheirStatus {
    match status {
        StatusCode::OK => TheirStatus::OK,
        _ => TheirStatus::from_u16(status.as_u16()).unwrap_or(TheirStatus::INTERNAL_SERVER_ERROR),
    }
}

/// Returns the first value of a header of a request.
pub(crate) fn find<'h>(headers: &'h Theirs, name: &HeaderName) -> Option<&'h [u8]> {
    let value = match known(name) {
        Some(name) => headers.get(name),
        None => headers.get(name.as_str()),
    };
    value.map(TheirValue::as_bytes)
}

/// Copies the headers of a response.
pub(crate) fn copy(response: &HttpResponse, into: &mut Theirs) {
    // The media type of nearly every response, which is not copied.
    static JSON: TheirValue = TheirValue::from_static("application/json");
    response.each_header(|name, value| {
        let value = if value == JSON.as_bytes() { Ok(JSON.clone()) } else { TheirValue::from_bytes(value) };
        let Ok(value) = value else { return };
        if let Some(name) = known(name) {
            into.append(name.clone(), value);
        } else if let Ok(name) = TheirName::from_bytes(name.as_str().as_bytes()) {
            into.append(name, value);
        }
    });
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[test]
    fn methods_and_statuses_keep_their_names() {
        for name in ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "CONNECT", "PURGE"] {
            assert_eq!(method(&TheirMethod::from_bytes(name.as_bytes()).unwrap()).as_str(), name);
        }
        for code in [200, 204, 404, 422, 599] {
            assert_eq!(status(StatusCode::from_u16(code).unwrap()).as_u16(), code);
        }
    }

    #[test]
    fn known_names_are_pairs() {
        for text in ALL_KNOWN {
            assert_eq!(known(&HeaderName::from_static(text)).map(TheirName::as_str), Some(*text));
        }
        assert_eq!(known(&HeaderName::from_static("x-own")), None);
    }

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
        assert_eq!(find(&sent, &http::header::CONTENT_TYPE), Some(&b"application/json"[..]));
        assert_eq!(find(&sent, &HeaderName::from_static("x-own")), Some(&b"1"[..]));
    }
}
