//! [`Part`]: a piece of a request that is read from its head.

use super::RequestHead;
use crate::build_context::BuildContext;
use crate::build_errors::BuildErrors;
use crate::operation::Operation;
use crate::problem::RequestViolations;

/// A piece of a request that is read from its head: filters, a page, an [`Identity`](crate::auth::Identity).
///
/// The plan is made once, when the Api is built; describing and reading both go by it, so that the document says what is
/// read. A part may impose something on the response in its plan, with [`BuildContext::impose`], and share what it reads with
/// other parts of the request, with [`RequestHead::shared`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a part of a request",
    label = "neither a single value, nor the body, nor a part",
    note = "mark a single value with `#[segment]`, `#[query]`, `#[header(\"Name\")]` or `#[cookie]`, and the body with `#[body]`",
    note = "for a struct of such fields that several requests share, derive `Part`"
)]
pub trait Part: Sized {
    /// The state computed once per route when the Api is built.
    type Plan: Send + Sync + 'static;

    /// Computes the plan and checks the declaration.
    ///
    /// # Errors
    /// Mistakes in the declaration; building the Api fails.
    fn plan(context: &mut BuildContext<'_>) -> Result<Self::Plan, BuildErrors>;

    /// Adds to the operation what this part reads.
    fn describe(plan: &Self::Plan, operation: &mut Operation);

    /// Reads the part, or reports violations and returns `None`.
    fn read(plan: &Self::Plan, head: &RequestHead<'_>, violations: &mut RequestViolations) -> Option<Self>;
}
