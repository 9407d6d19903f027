//! Defines the trait for types that are read from the head of a request.

use super::RequestHead;
use crate::build_context::BuildContext;
use crate::build_errors::BuildErrors;
use crate::operation::Operation;
use crate::problem::RequestViolations;

/// A type that is read from the head of a request, such as filters, a page or an [`Identity`](crate::auth::Identity).
///
/// The plan is computed once, when the Api is built. Both `describe` and `read` use it, so the document matches the
/// behaviour.
///
/// The `plan` method of a part can pass a value to the response with [`BuildContext::impose`]. The `read` methods of
/// parts can share values with [`RequestHead::shared`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a part of a request",
    label = "must be a single value, the body or a request part",
    note = "mark a single value with `#[segment]`, `#[query]`, `#[header(\"Name\")]` or `#[cookie]`, and the body with `#[body]`",
    note = "for a struct of such fields that several requests share, derive `Part`"
)]
pub trait Part: Sized {
    /// The state that is computed once per route, when the Api is built.
    type Plan: Send + Sync + 'static;

    /// Computes the data that this part needs to read the requests of one route.
    ///
    /// # Errors
    /// Errors in the declaration. Building the Api then fails.
    fn plan(context: &mut BuildContext<'_>) -> Result<Self::Plan, BuildErrors>;

    /// Adds the parameters and problems of this part to the OpenAPI operation.
    fn describe(plan: &Self::Plan, operation: &mut Operation);

    /// Reads the part from a request. If the part is invalid, reports violations and returns `None`.
    fn read(plan: &Self::Plan, head: &RequestHead<'_>, violations: &mut RequestViolations) -> Option<Self>;
}
