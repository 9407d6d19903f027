//! The contract of a body that is read.

use std::future::Future;

use crate::build_context::BuildContext;
use crate::build_errors::BuildErrors;
use crate::http::IncomingBody;
use crate::operation::Operation;
use crate::part::RequestHead;
use crate::problem::{RequestViolations, Result};

/// The body of a request. Types with a shape are read as JSON; [`RawBody`](super::RawBody) and
/// [`StreamedBody`](super::StreamedBody) take bytes of any media type.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be read from the body of a request",
    label = "not a body",
    note = "to read it as JSON, derive both `serde::Deserialize` and `Schema` for it and for the types in it",
    note = "`RawBody` and `StreamedBody` take bytes of any media type"
)]
pub trait ReadBody: Sized {
    /// The state computed once per route when the Api is built.
    type Plan: Send + Sync + 'static;

    /// Decides once how to read and describe.
    ///
    /// # Errors
    /// Mistakes in the declaration; the Api does not start.
    fn plan(context: &mut BuildContext<'_>) -> Result<Self::Plan, BuildErrors>;

    /// Adds the body to the operation.
    fn describe(plan: &Self::Plan, operation: &mut Operation);

    /// Reads the body, or reports what is wrong with its value and returns `None`.
    ///
    /// # Errors
    /// The problems of a body that cannot be read at all: 400, 408, 413, 415.
    fn read(
        plan: &Self::Plan,
        head: &RequestHead<'_>,
        body: &mut IncomingBody,
        violations: &mut RequestViolations,
    ) -> impl Future<Output = Result<Option<Self>>>;
}
