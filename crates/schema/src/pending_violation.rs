//! Defines [`PendingViolation`], a violation without its pointer. Checks report it to a [`ViolationSink`].
//!
//! The guided read and the complete walk share the checks, and use different sinks.

use serde_json::{Map, Value};

use crate::code::Code;
use crate::path::Path;
use crate::violation::{Violation, Violations};

/// A violation whose pointer is not yet known.
#[derive(Debug)]
pub(crate) struct PendingViolation {
    code: Code,
    message: String,
    params: Map<String, Value>,
}

impl PendingViolation {
    pub(crate) fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), params: Map::new() }
    }

    pub(crate) fn param(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.params.insert(name.to_owned(), value.into());
        self
    }

    /// Replaces the message of the violation.
    #[cfg(feature = "validator")]
    pub(crate) fn with_message(mut self, message: impl Into<String>) -> Self {
        self.message = message.into();
        self
    }

    /// Creates the violation for a value of the wrong type, with a message such as "must be a string, not an array".
    pub(crate) fn wrong_type(expected: &str, actual: &'static str) -> Self {
        Self::new(Code::TYPE, format!("must be {}, not {}", with_article(expected), with_article(actual)))
            .param("expected", expected)
            .param("actual", actual)
    }

    /// Converts the violation of a string to the violation of a property name, such as "has a name that must be one of: a, b".
    pub(crate) fn of_name(self) -> Self {
        Self { code: Code::PROPERTY_NAME, message: format!("has a name that {}", self.message), params: self.params }
    }

    pub(crate) fn null() -> Self {
        Self::new(Code::NULL, "must not be null")
    }

    pub(crate) fn at(self, path: &Path<'_>) -> Violation {
        Violation { pointer: path.pointer(), code: self.code, message: self.message, params: self.params }
    }
}

/// Returns a noun with its article, such as "a string" or "an object".
pub(crate) fn with_article(noun: &str) -> String {
    match noun.chars().next() {
        _ if noun == "null" => noun.to_owned(),
        Some('a' | 'e' | 'i' | 'o') => format!("an {noun}"),
        _ => format!("a {noun}"),
    }
}

/// Returns a count with its noun, such as "1 item" or "3 items".
pub(crate) fn counted(count: usize, singular: &str, plural: &str) -> String {
    format!("{count} {}", if count == 1 { singular } else { plural })
}

/// Receives the violations that a check finds.
///
/// The sink of the guided read only records that a value is invalid. The sink of the complete walk collects the
/// violations.
pub(crate) trait ViolationSink {
    fn report(&mut self, violation: impl FnOnce() -> PendingViolation);

    /// Returns `true` if expensive checks are deferred to the complete walk, which reads the body a second time.
    fn defers(&mut self) -> bool {
        false
    }
}

/// A sink that only records whether a value is invalid.
#[derive(Debug, Default)]
pub(crate) struct ValiditySink {
    pub(crate) refused: bool,
    /// `true` if an expensive check was skipped.
    pub(crate) deferred: bool,
}

impl ViolationSink for ValiditySink {
    #[inline]
    fn report(&mut self, _: impl FnOnce() -> PendingViolation) {
        self.refused = true;
    }

    fn defers(&mut self) -> bool {
        self.deferred = true;
        true
    }
}

/// A sink that collects the violations of the value at one path.
#[derive(Debug)]
pub(crate) struct SinkAt<'r> {
    pub(crate) path: &'r Path<'r>,
    pub(crate) violations: &'r mut Violations,
}

impl ViolationSink for SinkAt<'_> {
    fn report(&mut self, violation: impl FnOnce() -> PendingViolation) {
        self.violations.push(violation().at(self.path));
    }
}

/// A sink for the violations of a property name.
#[derive(Debug)]
pub(crate) struct NameSink<'r>(pub(crate) SinkAt<'r>);

impl ViolationSink for NameSink<'_> {
    fn report(&mut self, violation: impl FnOnce() -> PendingViolation) {
        self.0.report(|| violation().of_name());
    }
}
