//! Converts methods and header names between `http` 0.2, which actix-http uses, and `http` 1.

use actix_http::Method as TheirMethod;
use actix_http::header::{HeaderMap as Theirs, HeaderName as TheirName, HeaderValue as TheirValue};
use http::{HeaderName, Method};

/// Defines the function `known`, which converts the names of common headers without parsing them.
macro_rules! known_names {
    ($($text:literal => $name:ident),+ $(,)?) => {
        $(static $name: TheirName = TheirName::from_static($text);)+

        pub(crate) fn known(name: &HeaderName) -> Option<&'static TheirName> {
            // The headers that are read for every request, or set on every response.
            if *name == http::header::ACCEPT {
                return Some(&ACCEPT);
            }
            if *name == http::header::CONTENT_TYPE {
                return Some(&CONTENT_TYPE);
            }
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
    "accept-encoding" => ACCEPT_ENCODING,
    "authorization" => AUTHORIZATION,
    "cache-control" => CACHE_CONTROL,
    "content-length" => CONTENT_LENGTH,
    "content-type" => CONTENT_TYPE,
    "cookie" => COOKIE,
    "etag" => ETAG,
    "if-match" => IF_MATCH,
    "if-none-match" => IF_NONE_MATCH,
    "if-range" => IF_RANGE,
    "link" => LINK,
    "location" => LOCATION,
    "origin" => ORIGIN,
    "retry-after" => RETRY_AFTER,
    "traceparent" => TRACEPARENT,
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
        // Both crates accept the tokens of RFC 9110, section 5.6.2, so the fallback is never used.
        _ => Method::from_bytes(method.as_str().as_bytes()).unwrap_or(Method::TRACE),
    }
}

/// Returns the first value of the request header `name`.
pub(crate) fn find<'h>(headers: &'h Theirs, name: &HeaderName) -> Option<&'h [u8]> {
    let value = match known(name) {
        Some(name) => headers.get(name),
        None => headers.get(name.as_str()),
    };
    value.map(TheirValue::as_bytes)
}

/// Calls `visit` with every value of the request header `name`.
pub(crate) fn each_value<'h>(headers: &'h Theirs, name: &HeaderName, visit: &mut dyn FnMut(&'h [u8])) {
    let values = match known(name) {
        Some(name) => headers.get_all(name),
        None => headers.get_all(name.as_str()),
    };
    values.for_each(|value| visit(value.as_bytes()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_keep_their_names() {
        for name in ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "CONNECT", "PURGE"] {
            assert_eq!(method(&TheirMethod::from_bytes(name.as_bytes()).unwrap()).as_str(), name);
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
    fn a_header_is_found_by_a_known_name_and_by_another() {
        let mut headers = Theirs::new();
        for name in ["content-type", "x-own"] {
            headers.append(TheirName::from_static(name), TheirValue::from_static(name));
        }
        for name in ["content-type", "x-own"] {
            assert_eq!(find(&headers, &HeaderName::from_static(name)), Some(name.as_bytes()));
        }
        assert_eq!(find(&headers, &http::header::ACCEPT), None);
    }
}
