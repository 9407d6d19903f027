//! Defines the request parameter that contains an API key.

use crate::build_errors::BuildErrors;
use crate::http::{HeaderName, HttpRequest, SingleValueError};
use crate::operation::{ApiKeyLocation, SecurityScheme};

/// The header, query parameter or cookie that contains an API key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiKeyParameter {
    location: ApiKeyLocation,
    name: String,
    /// The parsed header name, if the parameter is a header with a valid name.
    header: Option<HeaderName>,
}

impl ApiKeyParameter {
    /// Creates a parameter that reads the key from a header.
    #[must_use]
    pub fn header(name: impl Into<String>) -> Self {
        let name = name.into();
        Self { location: ApiKeyLocation::Header, header: HeaderName::from_bytes(name.as_bytes()).ok(), name }
    }

    /// Creates a parameter that reads the key from the query string.
    #[must_use]
    pub fn query(name: impl Into<String>) -> Self {
        Self { location: ApiKeyLocation::Query, name: name.into(), header: None }
    }

    /// Creates a parameter that reads the key from a cookie.
    #[must_use]
    pub fn cookie(name: impl Into<String>) -> Self {
        Self { location: ApiKeyLocation::Cookie, name: name.into(), header: None }
    }

    /// Converts an OpenAPI security scheme for API keys to the parameter that contains the key. Returns `None` for
    /// other security schemes.
    #[must_use]
    pub fn from_scheme(scheme: &SecurityScheme) -> Option<Self> {
        let SecurityScheme::ApiKey { location, name, .. } = scheme else { return None };
        Some(match location {
            ApiKeyLocation::Header => Self::header(name),
            ApiKeyLocation::Query => Self::query(name),
            ApiKeyLocation::Cookie => Self::cookie(name),
        })
    }

    /// Returns the OpenAPI security scheme that describes this parameter.
    #[must_use]
    pub fn scheme(&self) -> SecurityScheme {
        SecurityScheme::api_key(self.location, self.name.clone())
    }

    /// Checks that the name of the header, query parameter or cookie is valid.
    ///
    /// # Errors
    /// The name contains characters that are not allowed in this location.
    pub fn check(&self) -> Result<(), BuildErrors> {
        // Names of headers and cookies allow the same characters (RFC 6265, section 4.1.1).
        let is_token = HeaderName::from_bytes(self.name.as_bytes()).is_ok();
        let (what, is_name) = match self.location {
            ApiKeyLocation::Query => ("query parameter", !self.name.is_empty()),
            ApiKeyLocation::Cookie => ("cookie", is_token),
            ApiKeyLocation::Header => ("header", is_token),
        };
        if is_name { Ok(()) } else { Err(BuildErrors::one(format!("`{}` is not the name of a {what}", self.name))) }
    }

    /// Returns the API key that a request contains. Returns `None` if the request has no key.
    ///
    /// # Errors
    /// The reason why the key cannot be read, such as several keys.
    pub fn read<'r>(&self, request: &'r HttpRequest) -> Result<Option<&'r str>, &'static str> {
        let single = match (&self.header, self.location) {
            (Some(header), _) => request.only_header(header),
            (None, ApiKeyLocation::Query) => return self.read_query(request),
            _ => request.only_cookie(&self.name),
        };
        match single {
            Ok(text) => Ok(text),
            Err(SingleValueError::Repeated) => Err("several API keys"),
            Err(_) => Err("the API key is not UTF-8"),
        }
    }

    fn read_query<'r>(&self, request: &'r HttpRequest) -> Result<Option<&'r str>, &'static str> {
        let query = request.parsed_query().map_err(|_malformed| "the query is malformed")?;
        let mut values = query.values(&self.name);
        match (values.next(), values.next()) {
            (Some(_), Some(_)) => Err("several API keys"),
            (first, _) => Ok(first),
        }
    }
}
