//! [`SearchText`]: what `contains`, `starts_with` and `ends_with` look for.

use std::fmt;

use crate::fold::fold;

/// A text that is looked for regardless of case, as it was given and as it is compared; `%`, `_` and `\` are plain characters.
#[derive(Clone, PartialEq, Eq)]
pub struct SearchText {
    text: String,
    folded: String,
}

impl SearchText {
    /// A text to look for.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        let text = text.into();
        Self { folded: fold(&text), text }
    }

    /// As it was given.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// In its [folding](crate::fold).
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
