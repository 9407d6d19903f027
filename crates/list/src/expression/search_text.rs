//! [`SearchText`]: the operand of `contains`, `starts_with` and `ends_with`.

use std::fmt;

use crate::fold::fold;

/// A text that is looked for regardless of case, as it was given and as it is compared; `%`, `_` and `\` are plain characters.
#[derive(Clone, PartialEq, Eq)]
pub struct SearchText {
    text: String,
    folded: String,
}

impl SearchText {
    /// Creates a text to look for.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        let text = text.into();
        Self { folded: fold(&text), text }
    }

    /// Returns the text as it was given.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the text in its [case folding](crate::fold).
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
