//! The contract of a body that is written.

use crate::build_context::BuildContext;
use crate::build_errors::BuildErrors;
use crate::http::HttpResponse;
use crate::operation::ResponseObject;
use crate::problem::Result;

/// The body of a response. Types with a shape are written as JSON; [`RawBody`](super::RawBody) and
/// [`StreamingBody`](super::StreamingBody) send bytes.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be written as the body of a response",
    label = "not a body",
    note = "to write it as JSON, derive both `serde::Serialize` and `Schema` for it and for the types in it",
    note = "`RawBody` and `StreamingBody` send bytes of any media type"
)]
pub trait WriteBody: Sized {
    /// The state computed once per route when the Api is built.
    type Plan: Send + Sync + 'static;

    /// Decides once how to describe.
    ///
    /// # Errors
    /// Mistakes in the declaration; the Api does not start.
    fn plan(context: &mut BuildContext<'_>) -> Result<Self::Plan, BuildErrors>;

    /// Adds the representation to the description of the response.
    fn describe(plan: &Self::Plan, response: &mut ResponseObject);

    /// Puts the body, with its `Content-Type`, into the response.
    ///
    /// # Errors
    /// 500 when the value cannot be written.
    fn write(self, plan: &Self::Plan, response: &mut HttpResponse) -> Result<()>;
}
