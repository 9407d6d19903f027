//! Contains helpers for headers and cookies that may occur only once.

use std::error::Error;
use std::fmt;

/// An error in a header or a cookie that may occur only once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum SingleValueError {
    /// The header or cookie occurs several times.
    Repeated,
    /// The value is not UTF-8.
    NotText,
}

impl fmt::Display for SingleValueError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Repeated => "several values with the same name",
            Self::NotText => "a value that is not UTF-8",
        })
    }
}

impl Error for SingleValueError {}

/// Returns the only value as a string, or `None` if there is no value.
pub(super) fn single(value: Option<&[u8]>, count: usize) -> Result<Option<&str>, SingleValueError> {
    if count > 1 {
        return Err(SingleValueError::Repeated);
    }
    value.map(std::str::from_utf8).transpose().map_err(|_not_utf8| SingleValueError::NotText)
}
