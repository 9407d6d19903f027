//! A route of a finished application.

use std::sync::Arc;

use http::header::ACCEPT;

use crate::auth::Identity;
use crate::body::accepts;
use crate::endpoint::Endpoint;
use crate::http::HttpRequest;
use crate::middleware::SharedMiddleware;
use crate::pipeline::Guard;
use crate::problem::{Problem, Result, catalogue};
use crate::route::RouteInfo;

/// An endpoint with everything that stands in front of it.
pub(crate) struct Entry {
    pub(crate) info: Arc<RouteInfo>,
    pub(crate) before: Vec<SharedMiddleware>,
    pub(crate) guard: Option<Guard>,
    /// Who calls a public route, when guests have scopes.
    pub(crate) guest: Option<Identity>,
    pub(crate) after: Vec<SharedMiddleware>,
    pub(crate) endpoint: Box<dyn Endpoint>,
    pub(crate) body_limit: usize,
    pub(crate) hidden: bool,
    pub(crate) access: String,
    pub(crate) media_types: Vec<String>,
}

impl Entry {
    /// 406 when `Accept` admits none of the media types that the endpoint answers with.
    pub(crate) fn check_acceptable(&self, request: &HttpRequest) -> Result<()> {
        let Some(accept) = request.header_bytes(&ACCEPT).filter(|accept| *accept != b"*/*") else { return Ok(()) };
        let Ok(accept) = str::from_utf8(accept) else { return Ok(()) };
        let admits = |accept: &str| self.media_types.iter().any(|media_type| accepts(accept, media_type));
        if self.media_types.is_empty() || admits(accept) {
            return Ok(());
        }
        // The header may be given in several lines, which are one list (RFC 9110, section 5.2).
        let lines = request.header_values(&ACCEPT);
        if lines.len() > 1 && admits(&String::from_utf8_lossy(&lines.join(&b","[..]))) {
            return Ok(());
        }
        Err(Problem::new(catalogue::NOT_ACCEPTABLE)
            .detail(format!("The answer is {}, which `Accept` does not admit.", self.media_types.join(" or "))))
    }
}
