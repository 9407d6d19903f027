//! Methods, statuses and headers between the two generations of the `http` crate: actix-http's 0.2 and ours.

use actix_http::header::{self as theirs, HeaderMap as Theirs, HeaderName as TheirName, HeaderValue as TheirValue};
use actix_http::{Method as TheirMethod, StatusCode as TheirStatus};
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header as ours};
use restwright_core::http::RequestId;

/// Pairs the names that most requests and answers have, which then need no parsing.
macro_rules! known_names {
    ($($name:ident),+) => {
        fn known(name: &HeaderName) -> Option<&'static TheirName> {
            match *name {
                $(ours::$name => {
                    static NAME: TheirName = theirs::$name;
                    Some(&NAME)
                })+
                _ if *name == RequestId::HEADER => Some(&REQUEST_ID),
                _ => None,
            }
        }

        #[cfg(test)]
        fn all_known() -> Vec<HeaderName> {
            vec![$(ours::$name),+, RequestId::HEADER]
        }
    };
}

known_names!(
    ACCEPT,
    AUTHORIZATION,
    CACHE_CONTROL,
    CONTENT_LENGTH,
    CONTENT_TYPE,
    COOKIE,
    ETAG,
    IF_MATCH,
    IF_NONE_MATCH,
    LOCATION,
    RETRY_AFTER,
    WWW_AUTHENTICATE
);

static REQUEST_ID: TheirName = TheirName::from_static("x-request-id");

/// The values that most answers have, which then need no copy.
static JSON: TheirValue = TheirValue::from_static("application/json");
static PROBLEM: TheirValue = TheirValue::from_static("application/problem+json");

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

/// Copies the headers of an answer.
pub(crate) fn send(headers: &HeaderMap, into: &mut Theirs) {
    for (name, value) in headers {
        let parsed;
        let name = match known(name) {
            Some(name) => name,
            None => match TheirName::from_bytes(name.as_str().as_bytes()) {
                Ok(name) => {
                    parsed = name;
                    &parsed
                }
                Err(_) => continue,
            },
        };
        if let Some(value) = send_value(value) {
            into.append(name.clone(), value);
        }
    }
}

/// Sets the header of the request's id.
pub(crate) fn send_id(id: &RequestId, into: &mut Theirs) {
    if let Ok(value) = TheirValue::from_bytes(id.as_bytes()) {
        into.insert(REQUEST_ID.clone(), value);
    }
}

fn send_value(value: &HeaderValue) -> Option<TheirValue> {
    match value.as_bytes() {
        b"application/json" => Some(JSON.clone()),
        b"application/problem+json" => Some(PROBLEM.clone()),
        bytes => TheirValue::from_bytes(bytes).ok(),
    }
}

#[cfg(test)]
mod tests {
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
        for name in all_known() {
            assert_eq!(known(&name).map(TheirName::as_str), Some(name.as_str()));
        }
        assert_eq!(known(&HeaderName::from_static("x-own")), None);
    }

    #[test]
    fn headers_keep_names_values_and_repetitions() {
        let mut headers = HeaderMap::new();
        for (name, value) in
            [("content-type", "application/json"), ("x-own", "1"), ("set-cookie", "a"), ("set-cookie", "b")]
        {
            headers.append(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        let mut sent = Theirs::new();
        send(&headers, &mut sent);
        let mut pairs: Vec<_> = sent.iter().map(|(name, value)| (name.as_str(), value.to_str().unwrap())).collect();
        pairs.sort_unstable();
        assert_eq!(
            pairs,
            [("content-type", "application/json"), ("set-cookie", "a"), ("set-cookie", "b"), ("x-own", "1")]
        );
        assert_eq!(find(&sent, &ours::CONTENT_TYPE), Some(&b"application/json"[..]));
        assert_eq!(find(&sent, &HeaderName::from_static("x-own")), Some(&b"1"[..]));
    }
}
