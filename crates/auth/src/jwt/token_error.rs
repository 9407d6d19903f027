//! Defines the reasons for rejecting a token.

use std::borrow::Cow;

use restwright_core::auth::{Authentication, Rejection};

use crate::jwks::KeyOutage;

/// The reason why a token is rejected.
pub(super) enum TokenError {
    /// The token is invalid. The reason is logged.
    Wrong(Cow<'static, str>),
    /// The keys that verify the token are not available.
    Outage(KeyOutage),
}

impl From<TokenError> for Authentication {
    fn from(error: TokenError) -> Self {
        match error {
            TokenError::Wrong(reason) => Self::Rejected(Rejection::invalid_token(reason)),
            TokenError::Outage(KeyOutage { reason, retry_after }) => Self::Unavailable { reason, retry_after },
        }
    }
}

impl From<KeyOutage> for TokenError {
    fn from(outage: KeyOutage) -> Self {
        Self::Outage(outage)
    }
}

impl From<&'static str> for TokenError {
    fn from(reason: &'static str) -> Self {
        Self::Wrong(Cow::Borrowed(reason))
    }
}

impl From<String> for TokenError {
    fn from(reason: String) -> Self {
        Self::Wrong(Cow::Owned(reason))
    }
}

/// Quotes and escapes a string from a token for the log. Only the first 64 characters of the string are included.
pub(super) fn quoted(text: &str) -> String {
    let shown: String = text.chars().take(64).collect();
    format!("{shown:?}")
}
