//! Defines [`RouteEntry`], a route of a finished application.

use std::sync::Arc;

use http::Method;
use http::header::{ACCEPT, CONTENT_RANGE};
use restwright_core::auth::Identity;
use restwright_core::http::HttpRequest;
use restwright_core::operation::{Operation, ParameterLocation};
use restwright_core::problem::catalogue;
use restwright_core::route::RouteInfo;
use restwright_core::runtime::{SharedMiddleware, accepts};
use restwright_core::{Problem, Result};

use super::endpoint::Endpoint;
use super::guard::AccessGuard;
use crate::confined::Confined;

/// A route of a finished application. Contains the middlewares, the guard and the endpoint in the order in which they
/// run.
pub(crate) struct RouteEntry {
    pub(crate) info: Arc<RouteInfo>,
    pub(crate) before: Vec<SharedMiddleware>,
    /// The guard, which authenticates and authorizes requests. It is `None` for a public route.
    pub(crate) guard: Option<AccessGuard>,
    /// The mark of a route whose responses belong to the caller. It is `None` for a public route.
    pub(crate) confined: Option<Confined>,
    /// The identity of guests on a public route, or `None` if guests have no scopes.
    pub(crate) guest: Option<Identity>,
    pub(crate) after: Vec<SharedMiddleware>,
    pub(crate) media_types: Vec<String>,
    pub(crate) endpoint: Box<dyn Endpoint>,
    pub(crate) body_limit: usize,
    pub(crate) hidden: bool,
    pub(crate) access: String,
    /// `true` for a `PUT` that does not read `Content-Range`.
    pub(crate) replaces_whole: bool,
}

impl RouteEntry {
    /// Fails with 400 if the body of a `PUT` is only a part of the content (RFC 9110, section 14.5); other methods ignore
    /// `Content-Range` (section 14.4). Fails with 406 if `Accept` allows none of the media types in the responses.
    pub(crate) fn check(&self, request: &HttpRequest) -> Result<()> {
        if self.replaces_whole && request.header_bytes(&CONTENT_RANGE).is_some() {
            return Err(Problem::new(catalogue::MALFORMED_REQUEST)
                .detail(
                    "A `PUT` replaces the whole content, so it must not have `Content-Range`. Send the whole content.",
                )
                .detail_key("malformed_request.content_range"));
        }
        let Some(accept) = request.header_bytes(&ACCEPT).filter(|accept| *accept != b"*/*") else { return Ok(()) };
        let Ok(accept) = str::from_utf8(accept) else { return Ok(()) };
        let admits = |accept: &str| self.media_types.iter().any(|media_type| accepts(accept, media_type));
        if self.media_types.is_empty() || admits(accept) {
            return Ok(());
        }
        // The header may have several lines, which form one list (RFC 9110, section 5.2).
        let lines = request.header_values(&ACCEPT);
        if lines.len() > 1 && admits(&String::from_utf8_lossy(&lines.join(&b","[..]))) {
            return Ok(());
        }
        Err(Problem::new(catalogue::NOT_ACCEPTABLE)
            .detail(format!("The response is {}, which `Accept` does not allow.", self.media_types.join(" or ")))
            .detail_key("not_acceptable.media_types")
            .detail_param("media_types", self.media_types.clone()))
    }
}

/// Returns `true` for a `PUT` whose operation does not declare the header `Content-Range`.
pub(crate) fn replaces_whole(operation: &Operation) -> bool {
    let declares = operation.parameters.iter().any(|parameter| {
        parameter.location == ParameterLocation::Header && parameter.name.eq_ignore_ascii_case(CONTENT_RANGE.as_str())
    });
    operation.method == Method::PUT && !declares && !operation.unlisted_headers.contains(&CONTENT_RANGE)
}
