//! Defines the 204 response, which has no body.

use http::StatusCode;

use super::{Response, describe_by_route};
use crate::build_context::BuildContext;
use crate::build_errors::BuildErrors;
use crate::http::{HttpRequest, HttpResponse};
use crate::operation::Operation;
use crate::problem::Result;

/// A 204 response, which has no body.
///
/// In documents, its description is the summary of the route.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct NoContent;

impl Response for NoContent {
    type Plan = ();

    fn plan(_: &mut BuildContext<'_>) -> Result<(), BuildErrors> {
        Ok(())
    }

    fn describe((): &(), operation: &mut Operation) {
        describe_by_route(operation, StatusCode::NO_CONTENT);
    }

    fn respond(self, (): &(), _: &HttpRequest) -> Result<HttpResponse> {
        Ok(HttpResponse::new(StatusCode::NO_CONTENT))
    }
}
