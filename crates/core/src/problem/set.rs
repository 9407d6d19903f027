//! [`ProblemSet`]: the kinds of problem of an error type.

use super::ProblemKind;

/// An error type that converts to a known set of problems. `#[derive(Problem)]` implements it, together with
/// `From<Self> for Problem`.
///
/// [`Route::problems`](crate::Route::problems) documents them on a route.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a set of problems",
    label = "not a set of problems",
    note = "derive `Problem` for the error: an enum with `#[problem(status = 404)]` on each variant"
)]
pub trait ProblemSet {
    /// Returns each kind of problem that a value of this type may convert to.
    fn kinds() -> Vec<ProblemKind>;
}
