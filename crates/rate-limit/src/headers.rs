//! Describes and sets the rate limit headers of responses, such as `X-RateLimit-Remaining`.

use std::time::Duration;

use restwright_core::http::{HeaderName, HeaderValue, HttpRequest};
use restwright_core::operation::{HeaderObject, SchemaUse};
use restwright_core::problem::catalogue;
use restwright_core::rate_limit::RateLimitFields;
use restwright_core::schema::SchemaObject;
use restwright_core::{BuildContext, BuildErrors};

use crate::limit_state::LimitState;

const LIMIT: HeaderName = HeaderName::from_static("x-ratelimit-limit");
const REMAINING: HeaderName = HeaderName::from_static("x-ratelimit-remaining");
const RESET: HeaderName = HeaderName::from_static("x-ratelimit-reset");
const RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit");
const POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");

/// Adds the rate limit headers and the 429 response to the operation in the OpenAPI document.
///
/// # Errors
/// Fails if the name of the limit is not valid in the `RateLimit` header.
pub(super) fn plan(name: &str, context: &mut BuildContext<'_>) -> Result<(), BuildErrors> {
    let fields: RateLimitFields = context.configuration().get().copied().unwrap_or_default();
    let operation = context.operation();
    // Optional, because a request that is rejected before its limits has no rate limit headers.
    let mut header = |name: &'static str, schema: SchemaObject, description: &str| {
        let header = HeaderObject::new(name, SchemaUse::output(schema)).description(description);
        operation.add_common_header(header.optional());
    };
    if fields.are_customary() {
        let number = || SchemaObject::int64().minimum(0);
        header("X-RateLimit-Limit", number(), "The number of requests that the tightest limit allows in a burst.");
        header("X-RateLimit-Remaining", number(), "The number of requests that the tightest limit still allows.");
        let reset = "The number of seconds until the tightest limit allows `X-RateLimit-Limit` requests again.";
        header("X-RateLimit-Reset", number(), reset);
    }
    if fields.are_of_draft() {
        let text = SchemaObject::string;
        let policy = "The tightest limit: its name, the requests that it allows in a burst, and the seconds until they are all allowed again.";
        header("RateLimit-Policy", text(), policy);
        let state = "The tightest limit: its name, the requests that it still allows, and the seconds until it allows the whole burst again.";
        header("RateLimit", text(), state);
    }
    operation.add_problem(catalogue::RATE_LIMITED);
    // The name is a string of structured fields (RFC 9651, section 3.3.3).
    if fields.are_of_draft() && !name.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return Err(BuildErrors::one(format!(
            "the rate limit `{name}` has a name that `RateLimit` cannot carry; use visible ASCII characters and spaces"
        )));
    }
    Ok(())
}

/// Sets the rate limit headers of the response.
pub(super) fn set(fields: RateLimitFields, request: &mut HttpRequest, state: &LimitState) {
    let (limit, remaining, reset) = (state.quota().limit(), state.remaining(), seconds(state.until_full()));
    if fields.are_customary() {
        request.set_response_header(LIMIT, HeaderValue::from(limit));
        request.set_response_header(REMAINING, HeaderValue::from(remaining));
        request.set_response_header(RESET, HeaderValue::from(reset));
    }
    if fields.are_of_draft() {
        let name = state.name().replace('\\', "\\\\").replace('"', "\\\"");
        let window = seconds(state.quota().interval().saturating_mul(limit)).max(1);
        let mut set = |header: HeaderName, text: String| {
            if let Ok(value) = HeaderValue::try_from(text) {
                request.set_response_header(header, value);
            }
        };
        set(POLICY, format!("\"{name}\";q={limit};w={window}"));
        set(RATE_LIMIT, format!("\"{name}\";r={remaining};t={reset}"));
    }
}

/// Converts a duration to whole seconds, rounded up.
pub(super) fn seconds(duration: Duration) -> u64 {
    duration.as_secs() + u64::from(duration.subsec_nanos() > 0)
}
