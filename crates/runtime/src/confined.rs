//! Defines [`Confined`], which keeps responses out of caches that serve other callers (RFC 9111).

use http::HeaderValue;
use restwright_core::operation::{ApiKeyLocation, HeaderObject, Operation, SchemaUse, SecurityScheme};
use restwright_core::runtime::cache_control;
use restwright_core::schema::SchemaObject;

/// The mark of a route whose responses belong to the caller. Its responses get `Cache-Control` and `Vary`.
#[derive(Debug)]
pub(crate) struct Confined {
    /// The request headers that contain the credentials. A key in the query is part of the URL, which caches compare.
    pub(crate) vary: Option<HeaderValue>,
}

/// Of responses with an entity tag. Only caches of the caller store them, and revalidate them before each use.
pub(crate) static REVALIDATED: HeaderValue = HeaderValue::from_static("private, no-cache");

/// Of all other responses of such a route, and of all problems.
pub(crate) static NOT_STORED: HeaderValue = HeaderValue::from_static("no-store");

/// Of public responses with the time of their last change, from which caches would guess a lifetime (RFC 9111, section
/// 4.2.2).
pub(crate) static NOT_GUESSED: HeaderValue = HeaderValue::from_static("no-cache");

impl Confined {
    /// Creates the mark of a route that accepts the credentials of these schemes.
    pub(crate) fn new(schemes: impl Iterator<Item = SecurityScheme>) -> Self {
        let mut names: Vec<String> = Vec::new();
        for scheme in schemes {
            let name = match scheme {
                SecurityScheme::ApiKey { location: ApiKeyLocation::Header, name, .. } => name,
                SecurityScheme::ApiKey { location: ApiKeyLocation::Cookie, .. } => "Cookie".to_owned(),
                SecurityScheme::ApiKey { location: ApiKeyLocation::Query, .. } => continue,
                _ => "Authorization".to_owned(),
            };
            if !names.iter().any(|known| known.eq_ignore_ascii_case(&name)) {
                names.push(name);
            }
        }
        Self { vary: HeaderValue::try_from(names.join(", ")).ok().filter(|names| !names.is_empty()) }
    }

    /// Adds the headers of all responses to an OpenAPI operation.
    pub(crate) fn describe(&self, operation: &mut Operation) {
        operation.add_common_header(cache_control());
        if self.vary.is_some() {
            let vary = HeaderObject::new("Vary", SchemaUse::output(SchemaObject::string()));
            let vary = vary.description("The request headers that the response depends on.");
            // A path that cannot be decoded is a 400 without a route.
            operation.add_common_header(vary.optional());
        }
    }
}

/// Adds `Cache-Control` to the OpenAPI responses that contain the time of their last change.
pub(crate) fn describe_lifetimes(operation: &mut Operation) {
    let has_time = |header: &HeaderObject| header.name.eq_ignore_ascii_case("Last-Modified");
    let timed = operation.inline_responses().filter(|response| response.inline_headers().any(has_time));
    let timed: Vec<_> = timed.map(|response| response.status).collect();
    for status in timed {
        operation.response(status).add_header(cache_control().optional());
    }
}
