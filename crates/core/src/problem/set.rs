//! An application's own errors.

use super::ProblemKind;

/// The problems that an error type becomes; what `#[derive(Problem)]` implements, together with `From<Self> for Problem`.
///
/// A route that may answer with them says so with [`Route::problems`](crate::Route::problems), which documents them.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a set of problems",
    label = "not a set of problems",
    note = "derive `Problem` for the error: an enum with `#[problem(status = 404)]` on each variant"
)]
pub trait ProblemSet {
    /// Each kind of problem that a value of this type may become.
    fn kinds() -> Vec<ProblemKind>;
}
