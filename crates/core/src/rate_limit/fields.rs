//! Defines the rate limit headers that responses include.

/// The rate limit headers that responses include. Select the headers with
/// [`Configuration::with`](crate::Configuration::with).
///
/// If a request is charged to several limits, the headers report the limit with the fewest remaining requests.
///
/// ```
/// use restwright_core::Configuration;
/// use restwright_core::rate_limit::RateLimitFields;
///
/// let configuration = Configuration::new("shop", "1.0.0").with(RateLimitFields::Both);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum RateLimitFields {
    /// Responses include `X-RateLimit-Limit`, `X-RateLimit-Remaining` and `X-RateLimit-Reset`, which most clients
    /// support.
    #[default]
    Customary,
    /// Responses include `RateLimit-Policy` and `RateLimit`, as defined by the Internet draft
    /// draft-ietf-httpapi-ratelimit-headers-10.
    ///
    /// Examples are `"search";q=50;w=5` and `"search";r=49;t=1`. `q` is the size of the bucket and `w` the seconds
    /// until an empty bucket is full. `r` is the number of remaining requests and `t` the seconds until the bucket is
    /// full.
    Draft,
    /// Responses include the `X-RateLimit-*` headers and the headers of the draft.
    Both,
}

impl RateLimitFields {
    /// Returns `true` if responses include the `X-RateLimit-*` headers.
    #[must_use]
    pub fn are_customary(self) -> bool {
        self != Self::Draft
    }

    /// Returns `true` if responses include `RateLimit` and `RateLimit-Policy`.
    #[must_use]
    pub fn are_of_draft(self) -> bool {
        self != Self::Customary
    }
}
