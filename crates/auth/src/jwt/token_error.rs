//! Why a token does not let its bearer in.

use std::borrow::Cow;

use restwright_core::auth::{Authentication, Rejection};

use crate::jwks::Outage;

pub(super) enum Refusal {
    /// The token is wrong; the reason is for the trace.
    Wrong(Cow<'static, str>),
    /// It cannot be said now.
    Outage(Outage),
}

impl From<Refusal> for Authentication {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            // One text for every reason, so that an answer helps nobody to guess.
            Refusal::Wrong(reason) => Self::Rejected(
                Rejection::new(reason)
                    .error("invalid_token")
                    .description("The access token is malformed, expired, or not valid here"),
            ),
            Refusal::Outage(Outage { reason, retry_after }) => Self::Unavailable { reason, retry_after },
        }
    }
}

impl From<Outage> for Refusal {
    fn from(outage: Outage) -> Self {
        Self::Outage(outage)
    }
}

impl From<&'static str> for Refusal {
    fn from(reason: &'static str) -> Self {
        Self::Wrong(Cow::Borrowed(reason))
    }
}

impl From<String> for Refusal {
    fn from(reason: String) -> Self {
        Self::Wrong(Cow::Owned(reason))
    }
}

/// What a token says, for the trace: escaped, and not longer than a line.
pub(super) fn quoted(text: &str) -> String {
    let shown: String = text.chars().take(64).collect();
    format!("{shown:?}")
}
