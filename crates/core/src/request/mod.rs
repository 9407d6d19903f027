//! The input of an endpoint.

mod declared_query;
mod nothing;
mod reader;

pub use reader::Reader;

use std::future::Future;

use crate::build_context::BuildContext;
use crate::build_errors::BuildErrors;
use crate::operation::Operation;
use crate::problem::Result;

/// The input of an endpoint: parts of the head and at most one body; usually derived.
///
/// A derived request marks single values with `#[segment]`, `#[query]`, `#[header("Name")]` and `#[cookie]`, the body with
/// `#[body]`; every other field is a [`Part`](crate::Part). `()` is a request that reads nothing.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the request of an endpoint",
    label = "not a request",
    note = "write `#[derive(Request)]` on a struct whose fields are the parts of the request"
)]
pub trait Request: Sized + 'static {
    /// The state computed once per route when the Api is built.
    type Plan: Send + Sync + 'static;

    /// Plans every part.
    ///
    /// # Errors
    /// Every mistake in the declaration; building the Api fails.
    fn plan(context: &mut BuildContext<'_>) -> Result<Self::Plan, BuildErrors>;

    /// Adds to the operation what the request reads.
    fn describe(plan: &Self::Plan, operation: &mut Operation);

    /// Reads every part, so that violations of all come back together; `None` if one reported any.
    fn read(plan: &Self::Plan, reader: &mut Reader<'_>) -> impl Future<Output = Result<Option<Self>>>;
}
