//! What is wrong with an application before it starts.

use std::fmt;

/// Every mistake that building an Api found; a complete sentence each, with what to do instead.
///
/// `Debug` prints the same list as `Display`, so that `fn main() -> Result<(), ..>` shows it as it is.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct BuildErrors {
    messages: Vec<String>,
}

impl BuildErrors {
    /// An empty list.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A list of one.
    #[must_use]
    pub fn one(message: impl Into<String>) -> Self {
        Self { messages: vec![message.into()] }
    }

    /// Adds a mistake, unless it is known.
    pub fn push(&mut self, message: impl Into<String>) {
        let message = message.into();
        if !self.messages.contains(&message) {
            self.messages.push(message);
        }
    }

    /// Keeps the value, or adds the mistakes that stood in its way.
    pub fn take<T>(&mut self, outcome: Result<T, Self>) -> Option<T> {
        outcome.map_err(|errors| errors.messages.into_iter().for_each(|message| self.push(message))).ok()
    }

    /// `value` when nothing was wrong and it is there.
    ///
    /// # Errors
    /// The mistakes that were found.
    pub fn finish<T>(self, value: Option<T>) -> Result<T, Self> {
        match value {
            Some(value) if self.messages.is_empty() => Ok(value),
            _ => Err(self),
        }
    }

    /// The mistakes.
    #[must_use]
    pub fn messages(&self) -> &[String] {
        &self.messages
    }

    /// Whether nothing is wrong.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    /// The same mistakes, each with its place in front.
    #[must_use]
    pub fn at(self, place: impl fmt::Display) -> Self {
        Self { messages: self.messages.iter().map(|message| format!("{place}: {message}")).collect() }
    }
}

impl fmt::Display for BuildErrors {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.messages.len();
        writeln!(
            formatter,
            "the Api cannot be built, {count} {} to mend:",
            if count == 1 { "thing is" } else { "things are" }
        )?;
        self.messages.iter().try_for_each(|message| writeln!(formatter, "  - {message}"))
    }
}

impl fmt::Debug for BuildErrors {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

impl std::error::Error for BuildErrors {}
