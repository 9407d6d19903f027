//! Defines [`HeaderNames`], a list of header names for CORS responses.

use http::{HeaderName, HeaderValue};
use restwright_runtime::core::Configuration;
use restwright_runtime::core::operation::{ApiKeyLocation, Operation, ParameterLocation, SecurityScheme};

/// A list of header names without duplicates, in order.
#[derive(Debug, Clone, Default)]
pub(super) struct HeaderNames(Vec<String>);

/// The headers that `Access-Control-Expose-Headers` omits. They are safelisted headers (Fetch, section 2.2.2), headers
/// that scripts never see, and headers for the browser itself.
const UNEXPOSED: [&str; 11] = [
    "cache-control",
    "content-language",
    "content-length",
    "content-type",
    "expires",
    "last-modified",
    "pragma",
    "set-cookie",
    "set-cookie2",
    "vary",
    "access-control-",
];

impl HeaderNames {
    /// The value of `Access-Control-Expose-Headers` for 404 and 405 responses, which have no route.
    pub(super) const UNROUTED: HeaderValue = HeaderValue::from_static("Allow, X-Request-Id");

    /// Parses header names. `*` is a valid name.
    pub(super) fn parse<S: AsRef<str>>(names: impl IntoIterator<Item = S>) -> Result<Self, String> {
        let mut parsed = Self::default();
        for name in names {
            let name = name.as_ref();
            HeaderName::try_from(name).map_err(|_no_token| {
                format!("`{name}` is not a header name (RFC 9110, section 5.1); use letters, digits and `-`")
            })?;
            parsed.add(name);
        }
        Ok(parsed)
    }

    /// Returns the request headers in which an operation accepts credentials.
    pub(super) fn of_credentials(operation: &Operation, configuration: &Configuration) -> Self {
        let names = operation.security.iter().flat_map(|requirement| requirement.schemes.keys());
        let mut headers = Self::default();
        for scheme in names.filter_map(|name| configuration.security_scheme(name)) {
            match scheme {
                SecurityScheme::ApiKey { location: ApiKeyLocation::Header, name, .. } => headers.add(&name),
                SecurityScheme::ApiKey { .. } => {}
                _ => headers.add("Authorization"),
            }
        }
        headers
    }

    /// Adds the request headers that an operation reads, except credentials.
    pub(super) fn add_read_by(&mut self, operation: &Operation) {
        if operation.request_body.is_some() {
            self.add("Content-Type");
        }
        let parameters = operation.parameters.iter();
        let headers = parameters.filter(|parameter| parameter.location == ParameterLocation::Header);
        headers.for_each(|header| self.add(&header.name));
        operation.unlisted_headers.iter().for_each(|name| self.add(name.as_str()));
    }

    /// Returns the response headers that an operation declares, for all statuses.
    pub(super) fn exposed(operation: &Operation) -> Self {
        let mut names = Self::default();
        let mut add = |name: &str| {
            let lower = name.to_ascii_lowercase();
            if !UNEXPOSED.iter().any(|known| lower == *known || known.ends_with('-') && lower.starts_with(known)) {
                names.add(name);
            }
        };
        operation.common_headers.iter().for_each(|header| add(&header.name));
        let successes = operation.inline_responses().flat_map(|response| response.inline_headers());
        successes.for_each(|header| add(&header.name));
        operation.failures().iter().flat_map(|failure| &failure.headers).for_each(|header| add(&header.name));
        names
    }

    pub(super) fn add(&mut self, name: &str) {
        if !self.0.iter().any(|known| known.eq_ignore_ascii_case(name)) {
            self.0.push(name.to_owned());
        }
    }

    pub(super) fn add_all(&mut self, others: &Self) {
        others.0.iter().for_each(|name| self.add(name));
    }

    pub(super) fn has_wildcard(&self) -> bool {
        self.0.iter().any(|name| name == "*")
    }

    /// Returns the names as a header value, or `None` if there are no names.
    pub(super) fn to_value(&self) -> Option<HeaderValue> {
        if self.0.is_empty() { None } else { HeaderValue::try_from(self.0.join(", ")).ok() }
    }
}
