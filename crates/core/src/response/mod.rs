//! The shape of an endpoint's output.

mod created;
mod data;
mod header;
mod no_content;

pub use created::Created;
pub use data::Data;
pub use header::HeaderPlan;
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
    /// What is decided once.
    type Plan: Send + Sync + 'static;

    /// Plans bodies and headers, and lists every mistake. It runs after the request's plan, so that it sees what was
    /// [imposed](BuildContext::imposed).
    ///
    /// # Errors
    /// Mistakes in the declaration; the Api does not start.
    fn plan(planner: &mut BuildContext<'_>) -> Result<Self::Plan, BuildErrors>;

    /// Adds to the operation each status that this may answer with.
    fn describe(plan: &Self::Plan, operation: &mut Operation);

    /// Makes the answer.
    ///
    /// # Errors
    /// 500 when the value cannot be written.
    fn respond(self, plan: &Self::Plan, request: &HttpRequest) -> Result<HttpResponse>;
}

/// Describes the response of a status by the summary of its route, since the type says nothing about the endpoint.
fn describe_by_route(operation: &mut Operation, status: StatusCode) -> &mut ResponseObject {
    let summary = operation.summary.clone();
    let response = operation.response(status);
    response.description = response.description.take().or(summary);
    response
}
