//! [`Pattern`]: a checked subset of ECMA-262 regular expressions.

use std::fmt;

use regex::Regex;

/// A compiled pattern that knows its source.
#[derive(Clone)]
pub(crate) struct Pattern {
    source: String,
    regex: Regex,
}

impl Pattern {
    pub(crate) fn new(source: &str) -> Result<Self, String> {
        let regex = Regex::new(source).map_err(|error| error.to_string())?;
        Ok(Self { source: source.to_owned(), regex })
    }

    pub(crate) fn source(&self) -> &str {
        &self.source
    }

    pub(crate) fn is_match(&self, text: &str) -> bool {
        self.regex.is_match(text)
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.source == other.source
    }
}

impl fmt::Debug for Pattern {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "/{}/", self.source)
    }
}
