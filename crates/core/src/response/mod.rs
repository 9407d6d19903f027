//! Defines [`Response`], the trait for types that endpoints return.

mod created;
mod data;
mod events;
mod header;
mod no_content;

pub use created::Created;
pub use data::Data;
pub use events::{Event, EventStream, EventsPlan};
pub use header::{HeaderField, HeaderPlan};
pub use no_content::NoContent;

use http::StatusCode;

use crate::build_context::BuildContext;
use crate::build_errors::BuildErrors;
use crate::http::{HttpRequest, HttpResponse};
use crate::operation::{Operation, ResponseObject};
use crate::problem::Result;

/// The response type of an endpoint, with a status, headers and a body. It is usually derived.
///
/// A derived struct has one status; a derived enum has one status per variant. Fields with `#[header("Name")]` are
/// headers, and the field with `#[body]` is the body. A struct without these attributes is the body. [`Data`],
/// [`Created`] and [`NoContent`] are predefined responses.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the response of an endpoint",
    label = "not a response",
    note = "write `#[derive(Response)] #[response(status = 200)]` on the struct that the endpoint returns, or return `Data(value)`"
)]
pub trait Response: Sized + 'static {
    /// The state that is computed once per route, when the Api is built.
    type Plan: Send + Sync + 'static;

    /// Computes the data that this response type needs to write the responses of one route.
    ///
    /// It runs after the `plan` method of the request, so it can read the values that request parts passed with
    /// [`impose`](BuildContext::impose).
    ///
    /// # Errors
    /// All errors in the declaration. Building the Api then fails.
    fn plan(context: &mut BuildContext<'_>) -> Result<Self::Plan, BuildErrors>;

    /// Adds the responses for all possible statuses to the OpenAPI operation.
    fn describe(plan: &Self::Plan, operation: &mut Operation);

    /// Converts the value to an HTTP response.
    ///
    /// # Errors
    /// 500 if the value cannot be serialized.
    fn respond(self, plan: &Self::Plan, request: &HttpRequest) -> Result<HttpResponse>;
}

/// Returns the response for a status, with the summary of the route as its description. A description that already
/// exists is not replaced.
fn describe_by_route(operation: &mut Operation, status: StatusCode) -> &mut ResponseObject {
    let summary = operation.summary.clone();
    let response = operation.response(status);
    response.description = response.description.take().or(summary);
    response
}
