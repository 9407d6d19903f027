//! An application's own errors.

use super::ProblemKind;

/// The problems that an error type becomes; what `#[derive(Problem)]` implements, together with `From<Self> for Problem`.
///
/// A route that may answer with them says so with [`Route::problems`](crate::Route::problems), which documents them.
pub trait ProblemSet {
    /// Each kind of problem that a value of this type may become.
    fn kinds() -> Vec<ProblemKind>;
}
