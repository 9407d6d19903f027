//! The output of an endpoint.

mod created;
mod data;
mod header;
mod no_content;

pub use created::Created;
pub use data::Data;
pub use header::{HeaderField, HeaderPlan};
pub use no_content::NoContent;

use http::StatusCode;

use crate::build_context::BuildContext;
use crate::build_errors::BuildErrors;
use crate::http::{HttpRequest, HttpResponse};
use crate::operation::{Operation, ResponseObject};
use crate::problem::Result;

/// The output of an endpoint: a status, headers and a body; usually derived.
///
/// A derived struct has one status, a derived enum one per variant. Fields with `#[header("Name")]` are headers, the one
/// with `#[body]` is the body; a struct with neither is its own body. [`Data`], [`Created`] and [`NoContent`] are ready.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the response of an endpoint",
    label = "not a response",
    note = "write `#[derive(Response)] #[response(status = 200)]` on the struct that the endpoint returns"
)]
pub trait Response: Sized + 'static {
    /// The state computed once per route when the Api is built.
    type Plan: Send + Sync + 'static;

    /// Plans bodies and headers. It runs after the request's plan, so that it sees what was
    /// [imposed](BuildContext::imposed).
    ///
    /// # Errors
    /// Every mistake in the declaration; building the Api fails.
    fn plan(context: &mut BuildContext<'_>) -> Result<Self::Plan, BuildErrors>;

    /// Adds each possible status to the operation.
    fn describe(plan: &Self::Plan, operation: &mut Operation);

    /// Converts the value into the response.
    ///
    /// # Errors
    /// 500 if the value cannot be written.
    fn respond(self, plan: &Self::Plan, request: &HttpRequest) -> Result<HttpResponse>;
}

/// Describes the response of a status by the summary of its route, since the type says nothing about the endpoint.
fn describe_by_route(operation: &mut Operation, status: StatusCode) -> &mut ResponseObject {
    let summary = operation.summary.clone();
    let response = operation.response(status);
    response.description = response.description.take().or(summary);
    response
}
