//! Defines the kinds of problem that the framework returns.

use std::borrow::Cow;

use http::StatusCode;

use super::ProblemKind;

macro_rules! catalogue {
    ($($(#[doc = $doc:literal])+ $name:ident = $status:ident $code:literal $title:literal;)+) => {
        $($(#[doc = $doc])+ pub const $name: ProblemKind = ProblemKind {
            status: StatusCode::$status,
            code: Cow::Borrowed($code),
            title: Cow::Borrowed($title),
            description: Some(Cow::Borrowed(concat!($($doc),+).trim_ascii_start())),
        };)+

        /// All kinds of problem that the framework returns.
        pub const ALL: &[ProblemKind] = &[$($name),+];
    };
}

catalogue! {
    /// The head is malformed, `Content-Type` is repeated or missing in a `QUERY` request, a `PUT` has `Content-Range`, or the path, the query string or a header is not valid UTF-8 when decoded.
    MALFORMED_REQUEST = BAD_REQUEST "malformed_request" "Malformed request";
    /// The body is not valid in its media type. For JSON, the detail contains the line and the column.
    MALFORMED_BODY = BAD_REQUEST "malformed_body" "Malformed body";
    /// The body ended before its declared length, or its framing is invalid.
    INCOMPLETE_BODY = BAD_REQUEST "incomplete_body" "Incomplete body";
    /// The body cannot be decoded by its `Content-Encoding`, or it ends early. The detail states the reason.
    UNDECODABLE_BODY = BAD_REQUEST "undecodable_body" "Undecodable body";
    /// The header `Idempotency-Key` is repeated, malformed, or missing where it is required. The detail states the reason.
    INVALID_IDEMPOTENCY_KEY = BAD_REQUEST "invalid_idempotency_key" "Invalid idempotency key";
    /// Credentials are missing or invalid.
    UNAUTHENTICATED = UNAUTHORIZED "unauthenticated" "Authentication required";
    /// The caller is authenticated but lacks permission for this operation.
    FORBIDDEN = FORBIDDEN "forbidden" "Forbidden";
    /// The request comes from a web page of another origin, which the Api does not allow.
    ORIGIN_NOT_ALLOWED = FORBIDDEN "origin_not_allowed" "Origin not allowed";
    /// Nothing exists at this path.
    NOT_FOUND = NOT_FOUND "not_found" "Not found";
    /// The path exists but does not support this method. `Allow` lists the supported methods.
    METHOD_NOT_ALLOWED = METHOD_NOT_ALLOWED "method_not_allowed" "Method not allowed";
    /// `Accept` or `Accept-Encoding` excludes every form of the response.
    NOT_ACCEPTABLE = NOT_ACCEPTABLE "not_acceptable" "Not acceptable";
    /// The head of the request did not arrive in time. The connection closes.
    HEAD_TIMEOUT = REQUEST_TIMEOUT "head_timeout" "Request timeout";
    /// The body did not arrive in time.
    BODY_TIMEOUT = REQUEST_TIMEOUT "body_timeout" "Request timeout";
    /// The change conflicts with the current state, for example with a value that must be unique. The detail states the reason.
    CONFLICT = CONFLICT "conflict" "Conflict";
    /// The first request with this idempotency key is still in progress. `Retry-After` contains the seconds to wait before a retry.
    IDEMPOTENCY_IN_PROGRESS = CONFLICT "idempotency_in_progress" "Request in progress";
    /// The current state of the resource does not meet a precondition of the request.
    PRECONDITION_FAILED = PRECONDITION_FAILED "precondition_failed" "Precondition failed";
    /// The body is larger than the route allows.
    BODY_TOO_LARGE = PAYLOAD_TOO_LARGE "body_too_large" "Body too large";
    /// The path and the query string together are longer than the server accepts. The connection closes.
    TARGET_TOO_LONG = URI_TOO_LONG "target_too_long" "URI too long";
    /// The body has no media type, or a media type that the route does not accept.
    UNSUPPORTED_MEDIA_TYPE = UNSUPPORTED_MEDIA_TYPE "unsupported_media_type" "Unsupported media type";
    /// The body has several content codings, or one that is not supported. `Accept-Encoding` lists the supported ones.
    UNSUPPORTED_CODING = UNSUPPORTED_MEDIA_TYPE "unsupported_coding" "Unsupported content coding";
    /// `Range` selects no byte of the file, or contains too many ranges. `Content-Range` contains the length of the file.
    RANGE_NOT_SATISFIABLE = RANGE_NOT_SATISFIABLE "range_not_satisfiable" "Range not satisfiable";
    /// The request is invalid. `errors` lists each violation with its location.
    INVALID_REQUEST = UNPROCESSABLE_ENTITY "invalid_request" "Invalid request";
    /// The idempotency key was already used for another request. A new request needs a new key.
    IDEMPOTENCY_KEY_REUSED = UNPROCESSABLE_ENTITY "idempotency_key_reused" "Idempotency key reused";
    /// The idempotency key belongs to a request that the caller made with other permissions.
    IDEMPOTENCY_RIGHTS_CHANGED = CONFLICT "idempotency_rights_changed" "Permissions changed since the first request";
    /// The operation is a WebSocket, so the request must be a WebSocket handshake of version 13.
    UPGRADE_REQUIRED = UPGRADE_REQUIRED "upgrade_required" "Upgrade required";
    /// The change requires the header `If-Match` with the `ETag` of the state to change.
    PRECONDITION_REQUIRED = PRECONDITION_REQUIRED "precondition_required" "Precondition required";
    /// The head of the request is larger than the server accepts, or has too many header fields. The connection closes.
    HEAD_TOO_LARGE = REQUEST_HEADER_FIELDS_TOO_LARGE "head_too_large" "Request header fields too large";
    /// A rate limit is exceeded. `Retry-After` contains the seconds until the next request is allowed.
    RATE_LIMITED = TOO_MANY_REQUESTS "rate_limited" "Too many requests";
    /// A limit on concurrent requests is reached. The next request is allowed when one of the current requests ends.
    CONCURRENCY_LIMITED = TOO_MANY_REQUESTS "concurrency_limited" "Too many concurrent requests";
    /// An unexpected error occurred. The log of the server contains the cause under the request id.
    INTERNAL = INTERNAL_SERVER_ERROR "internal_error" "Internal server error";
    /// The response took longer than the route's deadline.
    DEADLINE_EXCEEDED = SERVICE_UNAVAILABLE "deadline_exceeded" "Deadline exceeded";
    /// The server is at its maximum number of requests.
    OVERLOADED = SERVICE_UNAVAILABLE "overloaded" "Overloaded";
    /// A dependency of this service is unavailable.
    UNAVAILABLE = SERVICE_UNAVAILABLE "unavailable" "Service unavailable";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique_and_described() {
        let mut codes: Vec<_> = ALL.iter().map(|kind| &kind.code).collect();
        codes.sort();
        codes.dedup();
        assert_eq!(codes.len(), ALL.len());
        assert!(ALL.iter().all(|kind| kind.description.as_ref().is_some_and(|text| text.ends_with('.'))));
    }
}
