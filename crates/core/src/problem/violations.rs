//! Defines violations, which are the validation errors of a request.

use std::fmt;

use restwright_schema::{Violation, Violations};
use serde::Serialize;

use super::{Problem, catalogue};

/// The location of a violation in a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum ViolationLocation {
    /// The violation is in the body.
    Body,
    /// The violation is in a segment of the path.
    Path,
    /// The violation is in the query string.
    Query,
    /// The violation is in a header.
    Header,
    /// The violation is in a cookie.
    Cookie,
}

impl ViolationLocation {
    /// Returns the name of the location in lower case, such as `body` or `query`.
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

/// A violation and its location in the request.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct RequestViolation {
    /// The location of the violation in the request.
    pub location: ViolationLocation,
    /// The violation at this location. Its JSON Pointer is relative to the location.
    pub violation: Violation,
}

/// A list of the violations in a request, with a maximum length.
#[derive(Debug)]
pub struct RequestViolations {
    list: Vec<RequestViolation>,
    limit: usize,
    truncated: bool,
    /// The first problem that is not a violation.
    problem: Option<Problem>,
}

impl RequestViolations {
    /// Creates a list of at most `limit` violations.
    #[inline]
    #[must_use]
    pub fn new(limit: usize) -> Self {
        Self { list: Vec::new(), limit, truncated: false, problem: None }
    }

    /// Adds a violation. If the list is full, marks the list as truncated instead.
    pub fn push(&mut self, location: ViolationLocation, violation: Violation) {
        self.push_with(location, || violation);
    }

    /// Adds the violation that the function `make` creates. If the list is full, marks the list as truncated and does
    /// not call `make`.
    pub fn push_with(&mut self, location: ViolationLocation, make: impl FnOnce() -> Violation) {
        if self.list.len() < self.limit {
            self.list.push(RequestViolation { location, violation: make() });
        } else {
            self.truncated = true;
        }
    }

    /// Adds the violations of one location and prepends `prefix` to their JSON Pointers.
    ///
    /// The prefix is `/name` for the parameter `name`, and empty for the body.
    pub fn extend(&mut self, location: ViolationLocation, prefix: &str, violations: Violations) {
        self.truncated |= violations.truncated();
        for mut violation in violations {
            violation.pointer.insert_str(0, prefix);
            self.push(location, violation);
        }
    }

    /// Adds other violations. The violations of query parameters become violations of the body.
    pub(crate) fn append_to_body(&mut self, other: Self) {
        self.truncated |= other.truncated;
        self.problem = self.problem.take().or(other.problem);
        for RequestViolation { location, violation } in other.list {
            let is_query = location == ViolationLocation::Query;
            self.push(if is_query { ViolationLocation::Body } else { location }, violation);
        }
    }

    /// Reports a problem that is not a violation, such as a header in the wrong encoding. The response is then the first
    /// of these problems, regardless of the violations. Always returns `None`.
    pub fn reject<T>(&mut self, problem: Problem) -> Option<T> {
        self.problem.get_or_insert(problem);
        None
    }

    /// Returns the number of violations that can still be added, which is at least 1.
    #[must_use]
    pub fn remaining(&self) -> usize {
        self.limit.saturating_sub(self.list.len()).max(1)
    }

    /// Returns `true` if no violation and no problem was reported.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty() && self.problem.is_none()
    }

    /// Returns an iterator over the violations.
    pub fn iter(&self) -> std::slice::Iter<'_, RequestViolation> {
        self.list.iter()
    }

    /// Converts the violations to a problem. Returns `Ok` if no violation and no problem was reported.
    ///
    /// # Errors
    /// The first problem that was [reported](Self::reject). Otherwise 422 if there are violations.
    pub fn into_result(self) -> Result<(), Problem> {
        if let Some(problem) = self.problem {
            return Err(problem);
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
