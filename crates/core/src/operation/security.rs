//! How callers prove who they are.

use std::collections::BTreeMap;

use crate::problem::Location;

/// A way to prove who calls; an authenticator describes its own.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum SecurityScheme {
    /// An HTTP authentication scheme in `Authorization` (RFC 9110, section 11).
    Http {
        /// Such as `bearer`.
        scheme: String,
        /// A hint at the format of the token, such as `JWT`.
        bearer_format: Option<String>,
        /// What it is.
        description: Option<String>,
    },
    /// A key in a header, the query string or a cookie.
    ApiKey {
        /// Where it travels.
        location: Location,
        /// The name of the header, parameter or cookie.
        name: String,
        /// What it is.
        description: Option<String>,
    },
    /// OAuth 2.0.
    OAuth2 {
        /// The flows by their OpenAPI names, such as `authorizationCode`.
        flows: BTreeMap<String, OAuthFlow>,
        /// What it is.
        description: Option<String>,
    },
    /// OpenID Connect Discovery.
    OpenIdConnect {
        /// Where the provider describes itself.
        url: String,
        /// What it is.
        description: Option<String>,
    },
}

/// One OAuth 2.0 flow.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OAuthFlow {
    /// Where the user agrees.
    pub authorization_url: Option<String>,
    /// Where tokens are issued.
    pub token_url: Option<String>,
    /// Where tokens are renewed.
    pub refresh_url: Option<String>,
    /// What the scopes mean, by their names.
    pub scopes: BTreeMap<String, String>,
}

/// The schemes that together let a caller in, each with the scopes that it needs; an empty one lets a guest in.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct SecurityRequirement {
    /// The scopes by the scheme's name.
    pub schemes: BTreeMap<String, Vec<String>>,
}
