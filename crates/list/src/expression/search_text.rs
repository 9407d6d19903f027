//! Defines [`SearchText`], the operand of `contains`, `starts_with` and `ends_with`.

use std::fmt;

use crate::fold::fold;

/// A search string that is compared without regard to case. It stores the original string and its case folding. `%`,
/// `_` and `\` have no special meaning.
#[derive(Clone, PartialEq, Eq)]
pub struct SearchText {
    text: String,
    folded: String,
}

impl SearchText {
    /// Creates a search string.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        let text = text.into();
        Self { folded: fold(&text), text }
    }

    /// Returns the original string.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the [case folding](crate::fold) of the string.
    #[must_use]
    pub fn folded(&self) -> &str {
        &self.folded
    }
}

impl fmt::Debug for SearchText {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.text, formatter)
    }
}
