//! The violations of a request: those of its shape, with the part of the request where each stands.

use std::fmt;

use http::HeaderName;
use restwright_schema::{Violation, Violations};
use serde::Serialize;

use super::{Problem, catalogue};

/// The part of a request where a violation stands, or a parameter travels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum ViolationLocation {
    /// The body.
    Body,
    /// A segment of the path.
    Path,
    /// The query string.
    Query,
    /// A header.
    Header,
    /// A cookie.
    Cookie,
}

impl ViolationLocation {
    /// Returns the name on the wire, as in OpenAPI's `in`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Body => "body",
            Self::Path => "path",
            Self::Query => "query",
            Self::Header => "header",
            Self::Cookie => "cookie",
        }
    }
}

impl fmt::Display for ViolationLocation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// A violation and the part of the request where it stands.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct RequestViolation {
    /// The part of the request.
    pub location: ViolationLocation,
    /// The violation, with its place inside that part.
    pub violation: Violation,
}

/// The violations that the parts of a request report together; bounded.
#[derive(Debug)]
pub struct RequestViolations {
    list: Vec<RequestViolation>,
    limit: usize,
    truncated: bool,
    /// The header that is not valid UTF-8.
    no_text: Option<HeaderName>,
}

impl RequestViolations {
    /// Creates a list of at most `limit` violations.
    #[inline]
    #[must_use]
    pub fn new(limit: usize) -> Self {
        Self { list: Vec::new(), limit, truncated: false, no_text: None }
    }

    /// Adds a violation; past the limit it is counted as left out.
    pub fn push(&mut self, location: ViolationLocation, violation: Violation) {
        self.push_with(location, || violation);
    }

    /// Adds the violation that `make` makes; past the limit it is counted as left out and not made, so that a flood of them
    /// costs little.
    pub fn push_with(&mut self, location: ViolationLocation, make: impl FnOnce() -> Violation) {
        if self.list.len() < self.limit {
            self.list.push(RequestViolation { location, violation: make() });
        } else {
            self.truncated = true;
        }
    }

    /// Adds the violations of one part. For a parameter, `prefix` is its name after a slash; for a body it is empty.
    pub fn extend(&mut self, location: ViolationLocation, prefix: &str, violations: Violations) {
        self.truncated |= violations.truncated();
        for mut violation in violations {
            violation.pointer.insert_str(0, prefix);
            self.push(location, violation);
        }
    }

    /// Reports a header that is not valid UTF-8, which makes the response a 400. Returns `None`, since nothing was read.
    pub(crate) fn refuse_encoding<T>(&mut self, header: &HeaderName) -> Option<T> {
        self.no_text = Some(header.clone());
        None
    }

    /// Returns how many more are taken.
    #[must_use]
    pub fn remaining(&self) -> usize {
        self.limit.saturating_sub(self.list.len()).max(1)
    }

    /// Returns whether none were reported.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty() && self.no_text.is_none()
    }

    /// Returns the violations so far.
    pub fn iter(&self) -> std::slice::Iter<'_, RequestViolation> {
        self.list.iter()
    }

    /// Returns a 422 problem if there are violations; a 400 if a header is not valid UTF-8.
    ///
    /// # Errors
    /// The problem that lists them.
    pub fn into_result(self) -> Result<(), Problem> {
        if let Some(header) = self.no_text {
            let detail = format!("The header {header} is not valid UTF-8.");
            return Err(Problem::new(catalogue::MALFORMED_REQUEST)
                .detail(detail)
                .detail_key("malformed_request.header")
                .detail_param("header", header.as_str()));
        }
        if self.list.is_empty() {
            return Ok(());
        }
        let count = self.list.len();
        let detail = match (count, self.truncated) {
            (1, false) => "The request has 1 violation.".to_owned(),
            (_, false) => format!("The request has {count} violations."),
            (_, true) => format!("The request has more than {count} violations; these are the first."),
        };
        let key = if self.truncated { "invalid_request.first" } else { "invalid_request.all" };
        Err(Problem::new(catalogue::INVALID_REQUEST).detail(detail).detail_key(key).violations(self.list))
    }
}
