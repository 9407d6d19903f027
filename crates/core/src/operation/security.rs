//! The ways in which callers authenticate.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

use super::keyed::{Keyed, by_key};

/// A way to authenticate; an authenticator describes its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
#[non_exhaustive]
pub enum SecurityScheme {
    /// An HTTP authentication scheme in `Authorization` (RFC 9110, section 11).
    #[non_exhaustive]
    Http {
        /// The scheme, such as `bearer`.
        scheme: String,
        /// A hint at the format of the token, such as `JWT`.
        #[serde(skip_serializing_if = "Option::is_none")]
        bearer_format: Option<String>,
        /// Its description, CommonMark.
        #[serde(skip_serializing_if = "Option::is_none")]
        description: Option<String>,
    },
    /// A key in a header, the query string or a cookie.
    #[non_exhaustive]
    ApiKey {
        /// The part of the request that carries the key.
        #[serde(rename = "in")]
        location: ApiKeyLocation,
        /// The name of the header, parameter or cookie.
        name: String,
        /// Its description, CommonMark.
        #[serde(skip_serializing_if = "Option::is_none")]
        description: Option<String>,
    },
    /// OAuth 2.0.
    #[serde(rename = "oauth2")]
    #[non_exhaustive]
    OAuth2 {
        /// The flows, one of a kind.
        #[serde(serialize_with = "by_key")]
        flows: Vec<OAuthFlow>,
        /// Its description, CommonMark.
        #[serde(skip_serializing_if = "Option::is_none")]
        description: Option<String>,
    },
    /// OpenID Connect Discovery.
    #[non_exhaustive]
    OpenIdConnect {
        /// The address of the provider's configuration.
        #[serde(rename = "openIdConnectUrl")]
        url: String,
        /// Its description, CommonMark.
        #[serde(skip_serializing_if = "Option::is_none")]
        description: Option<String>,
    },
}

impl SecurityScheme {
    /// Creates an HTTP authentication scheme, such as `bearer`.
    #[must_use]
    pub fn http(scheme: impl Into<String>) -> Self {
        Self::Http { scheme: scheme.into(), bearer_format: None, description: None }
    }

    /// Creates the HTTP authentication scheme `bearer` with tokens of a format, such as `JWT`.
    #[must_use]
    pub fn bearer(format: impl Into<String>) -> Self {
        Self::Http { scheme: "bearer".to_owned(), bearer_format: Some(format.into()), description: None }
    }

    /// Creates a scheme of keys in the header, query parameter or cookie of this name.
    #[must_use]
    pub fn api_key(location: ApiKeyLocation, name: impl Into<String>) -> Self {
        Self::ApiKey { location, name: name.into(), description: None }
    }

    /// Creates an OAuth 2.0 scheme. Of two flows of one kind the later counts.
    #[must_use]
    pub fn oauth2(flows: impl IntoIterator<Item = OAuthFlow>) -> Self {
        let mut kept: Vec<OAuthFlow> = Vec::new();
        for flow in flows {
            kept.retain(|earlier| earlier.kind != flow.kind);
            kept.push(flow);
        }
        Self::OAuth2 { flows: kept, description: None }
    }

    /// Creates an OpenID Connect scheme by the address of the provider's configuration.
    #[must_use]
    pub fn open_id_connect(url: impl Into<String>) -> Self {
        Self::OpenIdConnect { url: url.into(), description: None }
    }

    /// Sets the description.
    #[must_use]
    pub fn description(mut self, text: impl Into<String>) -> Self {
        let (Self::Http { description, .. }
        | Self::ApiKey { description, .. }
        | Self::OAuth2 { description, .. }
        | Self::OpenIdConnect { description, .. }) = &mut self;
        *description = Some(text.into());
        self
    }
}

/// The part of a request that carries an API key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ApiKeyLocation {
    /// A header.
    Header,
    /// The query string.
    Query,
    /// A cookie.
    Cookie,
}

impl ApiKeyLocation {
    /// Returns the name on the wire, as in OpenAPI's `in`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Header => "header",
            Self::Query => "query",
            Self::Cookie => "cookie",
        }
    }
}

impl fmt::Display for ApiKeyLocation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// The kind of an OAuth 2.0 flow, as OpenAPI has them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum OAuthFlowKind {
    /// RFC 6749, section 4.1.
    AuthorizationCode,
    /// RFC 6749, section 4.4.
    ClientCredentials,
    /// RFC 6749, section 4.2.
    Implicit,
    /// RFC 6749, section 4.3.
    Password,
}

impl OAuthFlowKind {
    /// Returns the name in OpenAPI, such as `authorizationCode`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::AuthorizationCode => "authorizationCode",
            Self::ClientCredentials => "clientCredentials",
            Self::Implicit => "implicit",
            Self::Password => "password",
        }
    }
}

/// An OAuth 2.0 flow with the addresses that its kind needs.
///
/// ```
/// use restwright_core::operation::{OAuthFlow, SecurityScheme};
///
/// let flow = OAuthFlow::authorization_code("https://login.example.com/authorize", "https://login.example.com/token")
///     .scope("pets:read", "See pets");
/// let scheme = SecurityScheme::oauth2([flow]);
/// # assert_eq!(serde_json::to_value(scheme)?["flows"]["authorizationCode"]["tokenUrl"], "https://login.example.com/token");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct OAuthFlow {
    /// The kind.
    #[serde(skip)]
    pub kind: OAuthFlowKind,
    /// The address at which users agree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub authorization_url: Option<String>,
    /// The address that issues tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token_url: Option<String>,
    /// The address that renews tokens, if it is another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refresh_url: Option<String>,
    /// The descriptions of scopes by their names.
    pub scopes: BTreeMap<String, String>,
}

impl OAuthFlow {
    /// Creates the flow by which users agree in a browser and the client exchanges a code for tokens.
    #[must_use]
    pub fn authorization_code(authorization_url: impl Into<String>, token_url: impl Into<String>) -> Self {
        Self::new(OAuthFlowKind::AuthorizationCode, Some(authorization_url.into()), Some(token_url.into()))
    }

    /// Creates the flow by which a client gets tokens for itself.
    #[must_use]
    pub fn client_credentials(token_url: impl Into<String>) -> Self {
        Self::new(OAuthFlowKind::ClientCredentials, None, Some(token_url.into()))
    }

    /// Creates the flow by which a browser receives tokens in an address; RFC 9700 advises against it.
    #[must_use]
    pub fn implicit(authorization_url: impl Into<String>) -> Self {
        Self::new(OAuthFlowKind::Implicit, Some(authorization_url.into()), None)
    }

    /// Creates the flow by which a client exchanges a user's password for tokens; RFC 9700 forbids it.
    #[must_use]
    pub fn password(token_url: impl Into<String>) -> Self {
        Self::new(OAuthFlowKind::Password, None, Some(token_url.into()))
    }

    /// Sets the address that renews tokens.
    #[must_use]
    pub fn refresh_url(mut self, url: impl Into<String>) -> Self {
        self.refresh_url = Some(url.into());
        self
    }

    /// Describes a scope.
    #[must_use]
    pub fn scope(mut self, name: impl Into<String>, description: impl Into<String>) -> Self {
        self.scopes.insert(name.into(), description.into());
        self
    }

    fn new(kind: OAuthFlowKind, authorization_url: Option<String>, token_url: Option<String>) -> Self {
        Self { kind, authorization_url, token_url, refresh_url: None, scopes: BTreeMap::new() }
    }
}

impl Keyed for OAuthFlow {
    fn key(&self) -> &str {
        self.kind.as_str()
    }
}

/// The schemes that together let a caller in, each with the scopes that it needs; an empty one lets a guest in.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[serde(transparent)]
#[non_exhaustive]
pub struct SecurityRequirement {
    /// The scopes by the scheme's name.
    pub schemes: BTreeMap<String, Vec<String>>,
}
