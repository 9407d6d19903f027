//! Defines the trait for error types that convert to problems.

use super::{Problem, ProblemKind};

/// An error type that converts to known kinds of problem. `?` in a handler converts it.
///
/// `#[derive(Problem)]` implements this trait. [`Route::problems`](crate::Route::problems) documents the kinds on a
/// route.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not convert to a problem",
    label = "write `.map_err(Problem::internal)?` for an error of the server, or derive `Problem` for your own error type",
    note = "derive `Problem` for an enum, with `#[problem(status = 404)]` on each variant"
)]
pub trait ProblemSet {
    /// Returns all kinds of problem that values of this type can convert to.
    fn kinds() -> Vec<ProblemKind>;

    /// Converts the error to a problem.
    fn into_problem(self) -> Problem;
}

impl<E: ProblemSet> From<E> for Problem {
    fn from(error: E) -> Self {
        error.into_problem()
    }
}
