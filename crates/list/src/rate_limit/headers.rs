//! What an answer says of its limit.

use std::sync::LazyLock;

use restwright_core::http::{HeaderName, HeaderValue, HttpRequest};
use restwright_core::operation::{HeaderObject, Operation, SchemaUse};
use restwright_core::problem::catalogue;
use restwright_core::schema::int64;

use super::bucket_state::{BucketState, seconds};

const LIMIT: HeaderName = HeaderName::from_static("x-ratelimit-limit");
const REMAINING: HeaderName = HeaderName::from_static("x-ratelimit-remaining");
const RESET: HeaderName = HeaderName::from_static("x-ratelimit-reset");

/// Describes what [`set`] sets, and the refusal.
pub(super) fn describe(operation: &mut Operation) {
    // Optional, since a request that is turned away before its limits are reached has none of them.
    let mut header = |name: &'static str, description: &str| {
        let schema = SchemaUse::output(int64(name).minimum(0));
        operation.add_common_header(HeaderObject::new(name, schema).description(description).optional());
    };
    header("X-RateLimit-Limit", "How many requests the tightest limit admits at once.");
    header("X-RateLimit-Remaining", "How many more requests the tightest limit admits now.");
    header(
        "X-RateLimit-Reset",
        "After how many seconds the tightest limit admits as many again as `X-RateLimit-Limit` says.",
    );
    operation.add_problem(catalogue::RATE_LIMITED);
}

/// Sets the headers of the answer.
pub(super) fn set(request: &mut HttpRequest, standing: &BucketState) {
    let small = &**SMALL;
    request.set_answer_header(LIMIT, number(small, u64::from(standing.limit)));
    request.set_answer_header(REMAINING, number(small, u64::from(standing.remaining)));
    request.set_answer_header(RESET, number(small, seconds(standing.until_full)));
}

/// The numbers that most answers say. Their texts live as long as the process, so that a copy neither allocates nor counts
/// references, over which workers would wait for each other.
static SMALL: LazyLock<Vec<HeaderValue>> =
    LazyLock::new(|| (0..=1024).map(|number: u64| HeaderValue::from_static(number.to_string().leak())).collect());

fn number(small: &[HeaderValue], number: u64) -> HeaderValue {
    let text = usize::try_from(number).ok().and_then(|number| small.get(number));
    text.cloned().unwrap_or_else(|| HeaderValue::from(number))
}
