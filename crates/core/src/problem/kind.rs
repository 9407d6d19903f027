//! Defines the kinds of problem, each with a status, a code and a title.

use std::borrow::Cow;

use http::StatusCode;

/// A kind of problem, with its status, its stable code and its title.
///
/// An application adds its own kinds with `#[derive(Problem)]`, or as a constant:
/// ```
/// use restwright_core::http::StatusCode;
/// use restwright_core::Problem;
/// use restwright_core::problem::ProblemKind;
///
/// const SOLD_OUT: ProblemKind = ProblemKind::new(StatusCode::CONFLICT, "sold_out", "Sold out");
/// let problem = Problem::new(SOLD_OUT).detail("The last one went a minute ago.");
/// assert_eq!(problem.status(), 409);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProblemKind {
    /// The response status, which is 4xx or 5xx.
    pub status: StatusCode,
    /// The stable code that identifies the kind for clients, such as `not_found`.
    pub code: Cow<'static, str>,
    /// A short, human-readable summary of the problem. It is the same for each occurrence of the problem.
    pub title: Cow<'static, str>,
    /// The description in the OpenAPI document, which explains the cause of the problem and how to fix it.
    pub description: Option<Cow<'static, str>>,
}

impl ProblemKind {
    /// Creates a kind of problem without a description.
    #[must_use]
    pub const fn new(status: StatusCode, code: &'static str, title: &'static str) -> Self {
        Self { status, code: Cow::Borrowed(code), title: Cow::Borrowed(title), description: None }
    }

    /// Sets the description in the OpenAPI document.
    #[must_use]
    pub fn description(mut self, description: impl Into<Cow<'static, str>>) -> Self {
        self.description = Some(description.into());
        self
    }
}
