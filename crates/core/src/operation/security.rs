//! Defines OpenAPI security schemes and requirements.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

use super::keyed::{Keyed, by_key};

/// An OpenAPI security scheme. It describes the credentials that an authenticator accepts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
#[non_exhaustive]
pub enum SecurityScheme {
    /// An HTTP authentication scheme in the `Authorization` header (RFC 9110, section 11).
    #[non_exhaustive]
    Http {
        /// The name of the scheme, such as `bearer`.
        scheme: String,
        /// A hint about the format of the token, such as `JWT`.
        #[serde(skip_serializing_if = "Option::is_none")]
        bearer_format: Option<String>,
        /// The description of the scheme, in CommonMark.
        #[serde(skip_serializing_if = "Option::is_none")]
        description: Option<String>,
    },
    /// An API key in a header, the query string or a cookie.
    #[non_exhaustive]
    ApiKey {
        /// The location of the key in a request.
        #[serde(rename = "in")]
        location: ApiKeyLocation,
        /// The name of the header, query parameter or cookie.
        name: String,
        /// The description of the scheme, in CommonMark.
        #[serde(skip_serializing_if = "Option::is_none")]
        description: Option<String>,
    },
    /// An OAuth 2.0 scheme.
    #[serde(rename = "oauth2")]
    #[non_exhaustive]
    OAuth2 {
        /// The OAuth 2.0 flows. There is at most one flow of each kind.
        #[serde(serialize_with = "by_key")]
        flows: Vec<OAuthFlow>,
        /// The description of the scheme, in CommonMark.
        #[serde(skip_serializing_if = "Option::is_none")]
        description: Option<String>,
    },
    /// An OpenID Connect scheme. Clients read its settings from the provider's discovery document.
    #[non_exhaustive]
    OpenIdConnect {
        /// The URL of the provider's discovery document.
        #[serde(rename = "openIdConnectUrl")]
        url: String,
        /// The description of the scheme, in CommonMark.
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

    /// Creates the HTTP authentication scheme `bearer`. `format` is the format of the tokens, such as `JWT`.
    #[must_use]
    pub fn bearer(format: impl Into<String>) -> Self {
        Self::Http { scheme: "bearer".to_owned(), bearer_format: Some(format.into()), description: None }
    }

    /// Creates a scheme for API keys in a header, query parameter or cookie.
    #[must_use]
    pub fn api_key(location: ApiKeyLocation, name: impl Into<String>) -> Self {
        Self::ApiKey { location, name: name.into(), description: None }
    }

    /// Creates an OAuth 2.0 scheme. If several flows have the same kind, only the last one is kept.
    #[must_use]
    pub fn oauth2(flows: impl IntoIterator<Item = OAuthFlow>) -> Self {
        let mut kept: Vec<OAuthFlow> = Vec::new();
        for flow in flows {
            kept.retain(|earlier| earlier.kind != flow.kind);
            kept.push(flow);
        }
        Self::OAuth2 { flows: kept, description: None }
    }

    /// Creates an OpenID Connect scheme. `url` is the URL of the provider's discovery document.
    #[must_use]
    pub fn open_id_connect(url: impl Into<String>) -> Self {
        Self::OpenIdConnect { url: url.into(), description: None }
    }

    /// Sets the description of the scheme.
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

/// The location of an API key in a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ApiKeyLocation {
    /// The key is in a header.
    Header,
    /// The key is in the query string.
    Query,
    /// The key is in a cookie.
    Cookie,
}

impl ApiKeyLocation {
    /// Returns the value of the OpenAPI field `in`, such as `header` or `query`.
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

/// The kind of an OAuth 2.0 flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum OAuthFlowKind {
    /// The authorization code grant (RFC 6749, section 4.1).
    AuthorizationCode,
    /// The client credentials grant (RFC 6749, section 4.4).
    ClientCredentials,
    /// The implicit grant (RFC 6749, section 4.2).
    Implicit,
    /// The resource owner password credentials grant (RFC 6749, section 4.3).
    Password,
}

impl OAuthFlowKind {
    /// Returns the OpenAPI name of the flow, such as `authorizationCode`.
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

/// An OAuth 2.0 flow and its URLs (OpenAPI 3.1, OAuth Flow Object).
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
    /// The kind of the flow.
    #[serde(skip)]
    pub kind: OAuthFlowKind,
    /// The URL of the authorization endpoint.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub authorization_url: Option<String>,
    /// The URL of the token endpoint.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token_url: Option<String>,
    /// The URL of the endpoint that refreshes tokens, if it differs from the token endpoint.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refresh_url: Option<String>,
    /// The names of the available scopes, with their descriptions.
    pub scopes: BTreeMap<String, String>,
}

impl OAuthFlow {
    /// Creates the authorization code flow, in which users consent in a browser. The client exchanges a code for
    /// tokens.
    #[must_use]
    pub fn authorization_code(authorization_url: impl Into<String>, token_url: impl Into<String>) -> Self {
        Self::new(OAuthFlowKind::AuthorizationCode, Some(authorization_url.into()), Some(token_url.into()))
    }

    /// Creates the client credentials flow, in which a client requests tokens for itself, without a user.
    #[must_use]
    pub fn client_credentials(token_url: impl Into<String>) -> Self {
        Self::new(OAuthFlowKind::ClientCredentials, None, Some(token_url.into()))
    }

    /// Creates the implicit flow, in which a browser receives tokens in a URL. RFC 9700 advises against this flow.
    #[must_use]
    pub fn implicit(authorization_url: impl Into<String>) -> Self {
        Self::new(OAuthFlowKind::Implicit, Some(authorization_url.into()), None)
    }

    /// Creates the password flow, in which a client exchanges a user's password for tokens. RFC 9700 forbids this flow.
    #[must_use]
    pub fn password(token_url: impl Into<String>) -> Self {
        Self::new(OAuthFlowKind::Password, None, Some(token_url.into()))
    }

    /// Sets the URL of the endpoint that refreshes tokens.
    #[must_use]
    pub fn refresh_url(mut self, url: impl Into<String>) -> Self {
        self.refresh_url = Some(url.into());
        self
    }

    /// Adds a scope with a description.
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

/// A set of security schemes that a request must satisfy together. An empty set allows requests without credentials.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[serde(transparent)]
#[non_exhaustive]
pub struct SecurityRequirement {
    /// The names of the security schemes, each with its required scopes.
    pub schemes: BTreeMap<String, Vec<String>>,
}
