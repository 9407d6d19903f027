//! Defines the trait for the request types of endpoints.

mod declared_query;
mod nothing;
mod reader;

pub use reader::Reader;

use std::future::Future;

use crate::build_context::BuildContext;
use crate::build_errors::BuildErrors;
use crate::operation::Operation;
use crate::problem::Result;

/// The request type of an endpoint. It contains request parts and at most one body, and is usually derived.
///
/// In a derived request, `#[segment]`, `#[query]`, `#[header("Name")]` and `#[cookie]` mark parameters, and `#[body]`
/// marks the body. Every other field is a [`Part`](crate::Part). `()` is a request that reads nothing.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the request of an endpoint",
    label = "not a request",
    note = "write `#[derive(Request)]` on a struct whose fields are the request parts"
)]
pub trait Request: Sized + 'static {
    /// The state that is computed once per route, when the Api is built.
    type Plan: Send + Sync + 'static;

    /// Computes the data that this request type needs to read the requests of one route.
    ///
    /// # Errors
    /// All errors in the declaration. Building the Api then fails.
    fn plan(context: &mut BuildContext<'_>) -> Result<Self::Plan, BuildErrors>;

    /// Adds the parameters, the body and the problems of the request to the OpenAPI operation.
    fn describe(plan: &Self::Plan, operation: &mut Operation);

    /// Reads all parts and the body of the request. If any of them is invalid, reports all violations and returns
    /// `None`.
    fn read(plan: &Self::Plan, reader: &mut Reader<'_>) -> impl Future<Output = Result<Option<Self>>>;
}
