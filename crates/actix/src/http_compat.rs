//! Methods, statuses and headers between the two generations of the `http` crate: actix-http's 0.2 and ours.

use std::sync::LazyLock;

use actix_http::header::{HeaderMap as Theirs, HeaderName as TheirName, HeaderValue as TheirValue};
use actix_http::{Method as TheirMethod, StatusCode as TheirStatus};
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use restwright_core::http::HttpRequest;

/// Pairs the names that most requests and answers have, which then need no parsing.
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
    "location" => LOCATION,
    "retry-after" => RETRY_AFTER,
    "www-authenticate" => WWW_AUTHENTICATE,
    "x-request-id" => REQUEST_ID,
    // What each answer of a limited route has.
    "x-ratelimit-limit" => LIMIT,
    "x-ratelimit-remaining" => REMAINING,
    "x-ratelimit-reset" => RESET,
);

/// The values that most answers have, which then need no copy.
static JSON: TheirValue = TheirValue::from_static("application/json");
static PROBLEM: TheirValue = TheirValue::from_static("application/problem+json");
static NUMBERS: LazyLock<Vec<TheirValue>> = LazyLock::new(|| (0..1000_u64).map(TheirValue::from).collect());

pub(crate) fn method(method: &TheirMethod) -> Method {
    match *method {
        TheirMethod::GET => Method::GET,
        TheirMethod::POST => Method::POST,
        TheirMethod::PUT => Method::PUT,
        TheirMethod::PATCH => Method::PATCH,
        TheirMethod::DELETE => Method::DELETE,
        TheirMethod::HEAD => Method::HEAD,
        TheirMethod::OPTIONS => Method::OPTIONS,
        // Both crates admit the tokens of RFC 9110, section 5.6.2, so that the other branch is not reached.
        _ => Method::from_bytes(method.as_str().as_bytes()).unwrap_or(Method::TRACE),
    }
}

pub(crate) fn status(status: StatusCode) -> TheirStatus {
    match status {
        StatusCode::OK => TheirStatus::OK,
        _ => TheirStatus::from_u16(status.as_u16()).unwrap_or(TheirStatus::INTERNAL_SERVER_ERROR),
    }
}

/// The first value of a header of a request.
pub(crate) fn find<'h>(headers: &'h Theirs, name: &HeaderName) -> Option<&'h [u8]> {
    let value = match known(name) {
        Some(name) => headers.get(name),
        None => headers.get(name.as_str()),
    };
    value.map(TheirValue::as_bytes)
}

/// Sends the headers of an answer, and those that the pipeline leaves to the host: what was set on the request, which wins,
/// and its id.
pub(crate) fn send(headers: &HeaderMap, request: &HttpRequest, into: &mut Theirs) {
    for (name, value) in headers {
        if request.answer_header(name).is_none() {
            append(name, value, into);
        }
    }
    for (name, value) in request.answer_headers() {
        append(name, value, into);
    }
    if let Ok(value) = TheirValue::from_bytes(request.id().as_bytes()) {
        into.insert(REQUEST_ID.clone(), value);
    }
}

fn append(name: &HeaderName, value: &HeaderValue, into: &mut Theirs) {
    let Some(value) = translate(value) else { return };
    if let Some(name) = known(name) {
        into.append(name.clone(), value);
    } else if let Ok(name) = TheirName::from_bytes(name.as_str().as_bytes()) {
        into.append(name, value);
    }
}

fn translate(value: &HeaderValue) -> Option<TheirValue> {
    match value.as_bytes() {
        b"application/json" => Some(JSON.clone()),
        b"application/problem+json" => Some(PROBLEM.clone()),
        bytes => small_number(bytes).cloned().or_else(|| TheirValue::from_bytes(bytes).ok()),
    }
}

/// One to three digits, without leading zeros.
fn small_number(bytes: &[u8]) -> Option<&'static TheirValue> {
    let leads = bytes.first().is_some_and(|first| first.is_ascii_digit() && (*first != b'0' || bytes.len() == 1));
    if !leads || bytes.len() > 3 {
        return None;
    }
    let digit = |byte: &u8| byte.is_ascii_digit().then(|| usize::from(byte - b'0'));
    let number = bytes.iter().try_fold(0, |number, byte| Some(number * 10 + digit(byte)?))?;
    NUMBERS.get(number)
}

#[cfg(test)]
mod tests {
    use restwright_core::http::BodyStream;

    use super::*;
    use crate::request::RequestHead;

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
    fn small_numbers_are_themselves() {
        for text in ["0", "7", "10", "42", "999"] {
            assert_eq!(small_number(text.as_bytes()).map(TheirValue::as_bytes), Some(text.as_bytes()));
        }
        for text in ["", "00", "07", "1000", "-1", "1a", " 1", "1.5"] {
            assert_eq!(small_number(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn headers_keep_names_values_and_repetitions() {
        let mut headers = HeaderMap::new();
        for (name, value) in [
            ("content-type", "application/json"),
            ("x-own", "1"),
            ("x-replaced", "a"),
            ("set-cookie", "a"),
            ("set-cookie", "b"),
        ] {
            headers.append(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        let mut request = HttpRequest::new(Method::GET, RequestHead(actix_http::Request::new()), BodyStream::empty());
        for (name, value) in [("x-ratelimit-limit", "600"), ("x-replaced", "b")] {
            request.set_answer_header(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        let mut sent = Theirs::new();
        send(&headers, &request, &mut sent);
        let mut pairs: Vec<_> = sent.iter().map(|(name, value)| (name.as_str(), value.to_str().unwrap())).collect();
        pairs.sort_unstable();
        let expected = [
            ("content-type", "application/json"),
            ("set-cookie", "a"),
            ("set-cookie", "b"),
            ("x-own", "1"),
            ("x-ratelimit-limit", "600"),
            ("x-replaced", "b"),
            ("x-request-id", std::str::from_utf8(request.id().as_bytes()).unwrap()),
        ];
        assert_eq!(pairs, expected);
        assert_eq!(find(&sent, &http::header::CONTENT_TYPE), Some(&b"application/json"[..]));
        assert_eq!(find(&sent, &HeaderName::from_static("x-own")), Some(&b"1"[..]));
    }
}
