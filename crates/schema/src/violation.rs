//! Defines [`Violation`] and [`Violations`], the errors in a value, each with its JSON Pointer.

use std::fmt;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::code::Code;

/// One error in a value, with its location, code and message.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Violation {
    /// The JSON Pointer (RFC 6901) from the root to the invalid value. It is empty for the root.
    ///
    /// Names that clients choose are cut after 128 characters.
    pub pointer: String,
    /// The code of the violation. It is stable across releases.
    pub code: Code,
    /// The message, which is an English phrase without a final period.
    pub message: String,
    /// The parameters of the message. They are usually the violated constraint, such as `{"minimum": 1}`.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub params: Map<String, Value>,
}

impl Violation {
    /// Creates a violation without parameters.
    #[must_use]
    pub fn new(pointer: impl Into<String>, code: impl Into<Code>, message: impl Into<String>) -> Self {
        Self { pointer: pointer.into(), code: code.into(), message: message.into(), params: Map::new() }
    }

    /// Adds a message parameter to `params`.
    #[must_use]
    pub fn param(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.params.insert(name.into(), value.into());
        self
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {} ({})", self.pointer, self.message, self.code)
    }
}

/// The default maximum number of reported violations.
pub const DEFAULT_MAX_VIOLATIONS: usize = 100;

/// The violations of a value, up to a limit.
///
/// Further violations are dropped, and [`Violations::truncated`] then returns `true`. The limit is at least 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Violations {
    list: Vec<Violation>,
    limit: usize,
    truncated: bool,
}

impl Violations {
    /// Creates an empty list that accepts at most `limit` violations.
    #[must_use]
    pub fn with_limit(limit: usize) -> Self {
        Self { list: Vec::new(), limit: limit.max(1), truncated: false }
    }

    /// Creates a list with one violation.
    #[must_use]
    pub fn one(violation: Violation) -> Self {
        let mut violations = Self::default();
        violations.push(violation);
        violations
    }

    /// Adds a violation unless the limit is reached.
    pub fn push(&mut self, violation: Violation) {
        if self.list.len() < self.limit {
            self.list.push(violation);
        } else {
            self.truncated = true;
        }
    }

    /// Adds the violations of a nested value. `prefix` is the JSON Pointer of the nested value.
    pub fn append(&mut self, prefix: &str, part: Self) {
        self.truncated |= part.truncated;
        for mut violation in part.list {
            violation.pointer.insert_str(0, prefix);
            self.push(violation);
        }
    }

    /// Adds the variant of a tagged union to the violations from `start` on, unless they name an inner variant.
    pub(crate) fn name_variant(&mut self, start: usize, variant: &str) {
        for violation in self.list.iter_mut().skip(start) {
            violation.params.entry("variant").or_insert_with(|| variant.into());
        }
    }

    /// Replaces each violation with the result of a function.
    #[must_use]
    pub fn map(mut self, change: impl FnMut(Violation) -> Violation) -> Self {
        self.list = self.list.into_iter().map(change).collect();
        self
    }

    /// Returns an iterator over the violations, in the order in which they were found.
    pub fn iter(&self) -> std::slice::Iter<'_, Violation> {
        self.list.iter()
    }

    /// Returns the number of violations in the list.
    #[must_use]
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Returns `true` if there are no violations.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Returns the maximum number of violations in the list.
    #[must_use]
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// Returns the number of violations that can still be added.
    #[must_use]
    pub fn remaining(&self) -> usize {
        self.limit - self.list.len()
    }

    /// Returns `true` if violations were dropped because the limit was reached.
    #[must_use]
    pub fn truncated(&self) -> bool {
        self.truncated
    }

    /// Returns `true` if further checks can be skipped, because the limit was reached and a violation was dropped.
    pub(crate) fn is_over(&self) -> bool {
        self.truncated
    }

    /// Returns the violations as an error, or `Ok` if there are no violations.
    ///
    /// # Errors
    /// Returns the list if it contains a violation.
    pub fn into_result(self) -> Result<(), Self> {
        if self.is_empty() { Ok(()) } else { Err(self) }
    }
}

impl Default for Violations {
    fn default() -> Self {
        Self::with_limit(DEFAULT_MAX_VIOLATIONS)
    }
}

impl IntoIterator for Violations {
    type Item = Violation;
    type IntoIter = std::vec::IntoIter<Violation>;

    fn into_iter(self) -> Self::IntoIter {
        self.list.into_iter()
    }
}

impl<'v> IntoIterator for &'v Violations {
    type Item = &'v Violation;
    type IntoIter = std::slice::Iter<'v, Violation>;

    fn into_iter(self) -> Self::IntoIter {
        self.list.iter()
    }
}

impl fmt::Display for Violations {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, violation) in self.list.iter().enumerate() {
            if index > 0 {
                formatter.write_str("; ")?;
            }
            fmt::Display::fmt(violation, formatter)?;
        }
        if self.truncated { formatter.write_str("; and more") } else { Ok(()) }
    }
}

impl std::error::Error for Violations {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stops_at_the_limit_and_reports_it() {
        let mut violations = Violations::with_limit(2);
        for index in 0..2 {
            violations.push(Violation::new(format!("/{index}"), Code::TYPE, "wrong"));
        }
        assert!(!violations.truncated());
        violations.push(Violation::new("/2", Code::TYPE, "wrong"));
        assert_eq!((violations.len(), violations.truncated()), (2, true));
    }

    #[test]
    fn appends_violations_below_a_name() {
        let mut violations = Violations::default();
        violations.append("/filter", Violations::one(Violation::new("/0", Code::TYPE, "wrong")));
        assert_eq!(violations.iter().next().unwrap().pointer, "/filter/0");
    }
}
