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
        let Some(accept) = request.header(&ACCEPT) else { return Ok(()) };
        if self.media_types.is_empty() || self.media_types.iter().any(|media_type| accepts(accept, media_type)) {
            return Ok(());
        }
        Err(Problem::new(catalogue::NOT_ACCEPTABLE)
            .detail(format!("The answer is {}, which `Accept` does not admit.", self.media_types.join(" or "))))
    }
}
