//! How callers prove who they are.

use std::collections::BTreeMap;

use serde::Serialize;

/// The schemes that together let a caller in, each with the scopes that it needs; an empty one lets a guest in.
pub type SecurityRequirement = BTreeMap<String, Vec<String>>;

/// A way to prove who calls.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum SecurityScheme {
    /// An HTTP authentication scheme in `Authorization`.
    Http {
        /// Such as `bearer`.
        scheme: String,
        /// A hint at the format of the token.
        #[serde(skip_serializing_if = "Option::is_none")]
        bearer_format: Option<String>,
        /// What it is.
        #[serde(skip_serializing_if = "Option::is_none")]
        description: Option<String>,
    },
    /// A key in a header, the query string or a cookie.
    ApiKey {
        /// Where it travels.
        #[serde(rename = "in")]
        location: &'static str,
        /// The name of the header, parameter or cookie.
        name: String,
        /// What it is.
        #[serde(skip_serializing_if = "Option::is_none")]
        description: Option<String>,
    },
    /// OAuth 2.0.
    #[serde(rename = "oauth2")]
    OAuth2 {
        /// The flows by name.
        flows: BTreeMap<String, OAuthFlow>,
        /// What it is.
        #[serde(skip_serializing_if = "Option::is_none")]
        description: Option<String>,
    },
    /// OpenID Connect Discovery.
    OpenIdConnect {
        /// Where the provider describes itself.
        open_id_connect_url: String,
        /// What it is.
        #[serde(skip_serializing_if = "Option::is_none")]
        description: Option<String>,
    },
}

/// One OAuth 2.0 flow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OAuthFlow {
    /// Where the user agrees.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub authorization_url: Option<String>,
    /// Where tokens are issued.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token_url: Option<String>,
    /// Where tokens are renewed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refresh_url: Option<String>,
    /// What the scopes mean, by name.
    pub scopes: BTreeMap<String, String>,
}
