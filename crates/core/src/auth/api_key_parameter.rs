//! The parameter of a request that carries an API key.

use crate::build_errors::BuildErrors;
use crate::http::{HeaderName, HttpRequest, SingleValueError};
use crate::operation::{ApiKeyLocation, SecurityScheme};

/// The parameter that carries an API key: a header, a query parameter or a cookie of a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiKeyParameter {
    location: ApiKeyLocation,
    name: String,
    /// The name as that of a header, if it is one.
    header: Option<HeaderName>,
}

impl ApiKeyParameter {
    /// A header.
    #[must_use]
    pub fn header(name: impl Into<String>) -> Self {
        let name = name.into();
        Self { location: ApiKeyLocation::Header, header: HeaderName::from_bytes(name.as_bytes()).ok(), name }
    }

    /// A query parameter.
    #[must_use]
    pub fn query(name: impl Into<String>) -> Self {
        Self { location: ApiKeyLocation::Query, name: name.into(), header: None }
    }

    /// A cookie.
    #[must_use]
    pub fn cookie(name: impl Into<String>) -> Self {
        Self { location: ApiKeyLocation::Cookie, name: name.into(), header: None }
    }

    /// Returns the place that a scheme describes; `None` if its credentials are no API keys.
    #[must_use]
    pub fn from_scheme(scheme: &SecurityScheme) -> Option<Self> {
        let SecurityScheme::ApiKey { location, name, .. } = scheme else { return None };
        Some(match location {
            ApiKeyLocation::Header => Self::header(name),
            ApiKeyLocation::Query => Self::query(name),
            ApiKeyLocation::Cookie => Self::cookie(name),
        })
    }

    /// Returns the description of this place.
    #[must_use]
    pub fn scheme(&self) -> SecurityScheme {
        SecurityScheme::api_key(self.location, self.name.clone())
    }

    /// Checks the name of the header, parameter or cookie.
    ///
    /// # Errors
    /// It has characters that such a name cannot have.
    pub fn check(&self) -> Result<(), BuildErrors> {
        // Names of headers and of cookies have the same characters (RFC 6265, section 4.1.1).
        let is_token = HeaderName::from_bytes(self.name.as_bytes()).is_ok();
        let (what, is_name) = match self.location {
            ApiKeyLocation::Query => ("query parameter", !self.name.is_empty()),
            ApiKeyLocation::Cookie => ("cookie", is_token),
            ApiKeyLocation::Header => ("header", is_token),
        };
        if is_name { Ok(()) } else { Err(BuildErrors::one(format!("`{}` is not the name of a {what}", self.name))) }
    }

    /// Returns the key of a request, if it has one.
    ///
    /// # Errors
    /// The reason for which the key cannot be read, such as several keys.
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
