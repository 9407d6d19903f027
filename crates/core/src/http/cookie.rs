//! Cookies of a request (RFC 6265, section 4.2).

use std::error::Error;
use std::fmt;

/// Why a cookie that may come only once cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum CookieError {
    /// Several cookies have the name.
    Repeated,
    /// The value is not UTF-8.
    NotText,
}

impl fmt::Display for CookieError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Repeated => "several cookies of one name",
            Self::NotText => "a cookie that is not UTF-8",
        })
    }
}

impl Error for CookieError {}

/// The cookies of one `Cookie` line. They are bytes, so that one that is no text hides no other.
pub(super) fn pairs(line: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    line.split(|byte| *byte == b';').filter_map(|pair| {
        let equals = pair.iter().position(|byte| *byte == b'=')?;
        let (name, value) = pair.split_at_checked(equals)?;
        Some((name.trim_ascii(), unquoted(value.strip_prefix(b"=")?.trim_ascii())))
    })
}

/// A value may stand in quotes (RFC 6265, section 4.1.1).
fn unquoted(value: &[u8]) -> &[u8] {
    value.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\"")).unwrap_or(value)
}
