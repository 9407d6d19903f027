//! Defines [`SetupError`], the error of a setting of the environment.

use std::error::Error;
use std::fmt;

use crate::build_errors::BuildErrors;

/// The reason why an application cannot be set up, such as a variable of the environment that is missing or invalid.
///
/// The message contains the name of the variable and what to write. It never contains the value, which may be a secret.
/// `Debug` prints the same message as `Display`.
#[derive(Clone, PartialEq, Eq)]
pub struct SetupError(String);

impl SetupError {
    /// Creates an error with a message.
    #[must_use]
    pub fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}

impl fmt::Display for SetupError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl fmt::Debug for SetupError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

impl Error for SetupError {}

/// Lets a function that declares an Api use `?` for its settings as well.
impl From<SetupError> for BuildErrors {
    fn from(error: SetupError) -> Self {
        Self::one(error.0)
    }
}
