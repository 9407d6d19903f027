//! The headers of limited responses.

use std::time::Duration;

use restwright_core::http::{HeaderName, HeaderValue, HttpRequest};
use restwright_core::operation::{HeaderObject, Operation, SchemaUse};
use restwright_core::problem::catalogue;
use restwright_core::rate_limit::BucketState;
use restwright_core::schema::SchemaObject;

const LIMIT: HeaderName = HeaderName::from_static("x-ratelimit-limit");
const REMAINING: HeaderName = HeaderName::from_static("x-ratelimit-remaining");
const RESET: HeaderName = HeaderName::from_static("x-ratelimit-reset");

/// Describes the headers that [`set`] sets, and the 429.
pub(super) fn describe(operation: &mut Operation) {
    // Optional, since a request that is refused before it reaches its limits has none of them.
    let mut header = |name: &'static str, description: &str| {
        let schema = SchemaUse::output(SchemaObject::int64().minimum(0));
        operation.add_common_header(HeaderObject::new(name, schema).description(description).optional());
    };
    header("X-RateLimit-Limit", "The number of requests that the tightest limit admits at once.");
    header("X-RateLimit-Remaining", "The number of requests that the tightest limit still admits now.");
    header(
        "X-RateLimit-Reset",
        "The number of seconds until the tightest limit admits `X-RateLimit-Limit` requests again.",
    );
    operation.add_problem(catalogue::RATE_LIMITED);
}

/// Sets the headers of the response.
pub(super) fn set(request: &mut HttpRequest, state: &BucketState) {
    request.set_response_header(LIMIT, HeaderValue::from(state.limit()));
    request.set_response_header(REMAINING, HeaderValue::from(state.remaining()));
    request.set_response_header(RESET, HeaderValue::from(seconds(state.until_full())));
}

/// Rounds up to whole seconds.
pub(super) fn seconds(duration: Duration) -> u64 {
    duration.as_secs() + u64::from(duration.subsec_nanos() > 0)
}
