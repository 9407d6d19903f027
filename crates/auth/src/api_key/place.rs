//! Where a key travels.

use std::borrow::Cow;

use restwright_core::BuildErrors;
use restwright_core::http::{HeaderName, HttpRequest, Query, SingleValueError};
use restwright_core::operation::ApiKeyLocation;

/// Where a key travels.
#[derive(Debug, Clone)]
pub(super) struct Place {
    pub(super) location: ApiKeyLocation,
    pub(super) name: String,
    header: Option<HeaderName>,
}

impl Place {
    pub(super) fn new(location: ApiKeyLocation, name: String) -> Self {
        let header = HeaderName::from_bytes(name.as_bytes()).ok().filter(|_| location == ApiKeyLocation::Header);
        Self { location, name, header }
    }

    pub(super) fn check(&self) -> Result<(), BuildErrors> {
        // Names of headers and of cookies have the same characters (RFC 6265, section 4.1.1).
        let is_token = HeaderName::from_bytes(self.name.as_bytes()).is_ok();
        let (what, is_name) = match self.location {
            ApiKeyLocation::Query => ("query parameter", !self.name.is_empty()),
            ApiKeyLocation::Cookie => ("cookie", is_token),
            _ => ("header", is_token),
        };
        if is_name { Ok(()) } else { Err(BuildErrors::one(format!("`{}` is not the name of a {what}", self.name))) }
    }

    /// The key of a request.
    pub(super) fn read<'r>(&self, request: &'r HttpRequest) -> Result<Option<Cow<'r, str>>, &'static str> {
        let single = match (&self.header, self.location) {
            (Some(header), _) => request.only_header(header),
            (None, ApiKeyLocation::Query) => return self.read_query(request),
            _ => request.only_cookie(&self.name),
        };
        match single {
            Ok(text) => Ok(text.map(Cow::Borrowed)),
            Err(SingleValueError::Repeated) => Err("several API keys"),
            Err(_) => Err("the API key is not UTF-8"),
        }
    }

    fn read_query<'r>(&self, request: &'r HttpRequest) -> Result<Option<Cow<'r, str>>, &'static str> {
        let query = Query::parse(request.query()).map_err(|_malformed| "the query is malformed")?;
        let mut values = query.values(&self.name);
        match (values.next(), values.next()) {
            (Some(_), Some(_)) => Err("several API keys"),
            (first, _) => Ok(first.map(|first| Cow::Owned(first.clone().into_owned()))),
        }
    }
}
