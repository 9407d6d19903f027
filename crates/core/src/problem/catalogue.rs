//! The problems that the framework returns.

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

        /// All problems that the framework returns.
        pub const ALL: &[ProblemKind] = &[$($name),+];
    };
}

catalogue! {
    /// The head is malformed, `Content-Type` is repeated, or the path, the query string or a header is not valid UTF-8 when decoded.
    MALFORMED_REQUEST = BAD_REQUEST "malformed_request" "Malformed request";
    /// The body is not JSON; the detail has line and column.
    MALFORMED_BODY = BAD_REQUEST "malformed_body" "Malformed body";
    /// The body ended before its announced length, or its framing was wrong.
    INCOMPLETE_BODY = BAD_REQUEST "incomplete_body" "Incomplete body";
    /// The body is not what its `Content-Encoding` says, or ends in the middle of it; the detail says which.
    UNDECODABLE_BODY = BAD_REQUEST "undecodable_body" "Undecodable body";
    /// The header `Idempotency-Key` is repeated, malformed, or missing where it is required; the detail says which.
    INVALID_IDEMPOTENCY_KEY = BAD_REQUEST "invalid_idempotency_key" "Invalid idempotency key";
    /// Credentials are missing or wrong.
    UNAUTHENTICATED = UNAUTHORIZED "unauthenticated" "Authentication required";
    /// The caller is authenticated and may not do this.
    FORBIDDEN = FORBIDDEN "forbidden" "Forbidden";
    /// Nothing is at this path.
    NOT_FOUND = NOT_FOUND "not_found" "Not found";
    /// The path exists and does not take this method; `Allow` has those that it takes.
    METHOD_NOT_ALLOWED = METHOD_NOT_ALLOWED "method_not_allowed" "Method not allowed";
    /// No media type that the response could have is accepted.
    NOT_ACCEPTABLE = NOT_ACCEPTABLE "not_acceptable" "Not acceptable";
    /// The head of the request did not arrive in time. The connection closes.
    HEAD_TIMEOUT = REQUEST_TIMEOUT "head_timeout" "Request timeout";
    /// The body did not come in time.
    BODY_TIMEOUT = REQUEST_TIMEOUT "body_timeout" "Request timeout";
    /// The change would contradict what is there, such as a value that has to be unique; the detail says what.
    CONFLICT = CONFLICT "conflict" "Conflict";
    /// The first request with this idempotency key is still being handled; `Retry-After` has the seconds until the next attempt.
    IDEMPOTENCY_IN_PROGRESS = CONFLICT "idempotency_in_progress" "Request in progress";
    /// A precondition on the state of the resource does not hold; it is another one by now.
    PRECONDITION_FAILED = PRECONDITION_FAILED "precondition_failed" "Precondition failed";
    /// The body is larger than the route admits.
    BODY_TOO_LARGE = PAYLOAD_TOO_LARGE "body_too_large" "Body too large";
    /// The path and the query string are longer together than the server reads. The connection closes.
    TARGET_TOO_LONG = URI_TOO_LONG "target_too_long" "URI too long";
    /// The body has no media type, or one that the route does not take.
    UNSUPPORTED_MEDIA_TYPE = UNSUPPORTED_MEDIA_TYPE "unsupported_media_type" "Unsupported media type";
    /// The body has a content coding that is not taken, or several; `Accept-Encoding` has those that are.
    UNSUPPORTED_CODING = UNSUPPORTED_MEDIA_TYPE "unsupported_coding" "Unsupported content coding";
    /// The request breaks rules; `errors` lists each with its place.
    INVALID_REQUEST = UNPROCESSABLE_ENTITY "invalid_request" "Invalid request";
    /// The idempotency key was used for another request; a new request needs a new key.
    IDEMPOTENCY_KEY_REUSED = UNPROCESSABLE_ENTITY "idempotency_key_reused" "Idempotency key reused";
    /// The change needs a precondition, `If-Match` with the tag of the state that it is made to.
    PRECONDITION_REQUIRED = PRECONDITION_REQUIRED "precondition_required" "Precondition required";
    /// The head of the request is larger than the server reads, or has too many header fields. The connection closes.
    HEAD_TOO_LARGE = REQUEST_HEADER_FIELDS_TOO_LARGE "head_too_large" "Request header fields too large";
    /// More requests than a limit admits; `Retry-After` has the seconds until the next one.
    RATE_LIMITED = TOO_MANY_REQUESTS "rate_limited" "Too many requests";
    /// As many requests of the caller are being handled as a limit admits at a time; the next is admitted when one of them ends.
    CONCURRENCY_LIMITED = TOO_MANY_REQUESTS "concurrency_limited" "Too many requests at a time";
    /// Something went wrong inside; the log has the cause, under the request id.
    INTERNAL = INTERNAL_SERVER_ERROR "internal_error" "Internal server error";
    /// The response took longer than the route's deadline.
    DEADLINE_EXCEEDED = SERVICE_UNAVAILABLE "deadline_exceeded" "Deadline exceeded";
    /// The server handles as many requests as it can.
    OVERLOADED = SERVICE_UNAVAILABLE "overloaded" "Overloaded";
    /// Something that this service depends on is down.
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
