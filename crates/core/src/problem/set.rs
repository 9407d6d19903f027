//! Defines the trait for error types that convert to problems.

use super::ProblemKind;

/// An error type that converts to known kinds of problem.
///
/// `#[derive(Problem)]` implements this trait and `From<Self> for Problem`.
///
/// [`Route::problems`](crate::Route::problems) documents these kinds on a route.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a set of problems",
    label = "not a set of problems",
    note = "derive `Problem` for the error: an enum with `#[problem(status = 404)]` on each variant"
)]
pub trait ProblemSet {
    /// Returns all kinds of problem that values of this type can convert to.
    fn kinds() -> Vec<ProblemKind>;
}
