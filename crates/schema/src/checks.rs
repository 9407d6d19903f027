//! [`Checks`] and [`Invalid`]: custom checks.

use std::borrow::Cow;

use serde_json::{Map, Value};

use crate::code::Code;
use crate::path::Path;
use crate::schema::Schema;
use crate::violation::{Violation, Violations};

/// The error of a custom check.
///
/// A check is a function `fn(&T) -> Result<(), Invalid>`; the error may also be a `&str` or a `String`, which is [`Code::INVALID`].
///
/// ```
/// use restwright_schema::Invalid;
///
/// fn even(value: &i64) -> Result<(), Invalid> {
///     if value % 2 == 0 { Ok(()) } else { Err(Invalid::new("odd", "must be even").param("divisor", 2)) }
/// }
/// assert!(even(&3).is_err());
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Invalid(
    // Boxed, so that a check's `Result` stays small.
    Box<Refusal>,
);

#[derive(Clone, Debug, PartialEq)]
struct Refusal {
    code: Code,
    message: Cow<'static, str>,
    params: Map<String, Value>,
    pointer: String,
}

impl Invalid {
    /// An error with a stable code and an English sentence.
    #[must_use]
    pub fn new(code: impl Into<Code>, message: impl Into<Cow<'static, str>>) -> Self {
        let (code, message) = (code.into(), message.into());
        Self(Box::new(Refusal { code, message, params: Map::new(), pointer: String::new() }))
    }

    /// The same with one more param for the client.
    #[must_use]
    pub fn param(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.0.params.insert(name.into(), value.into());
        self
    }

    /// The same about a place below the checked value, as a JSON Pointer: `/birth_date`.
    #[must_use]
    pub fn at(mut self, pointer: impl Into<String>) -> Self {
        self.0.pointer = pointer.into();
        self
    }
}

impl From<&'static str> for Invalid {
    fn from(message: &'static str) -> Self {
        Self::new(Code::INVALID, message)
    }
}

impl From<String> for Invalid {
    fn from(message: String) -> Self {
        Self::new(Code::INVALID, message)
    }
}

/// The violation of a schema is that of the value around it.
impl From<Violation> for Invalid {
    fn from(Violation { pointer, code, message, params }: Violation) -> Self {
        Self(Box::new(Refusal { code, message: message.into(), params, pointer }))
    }
}

/// The place in a value at which custom checks run, and the violations that they found.
#[derive(Debug)]
pub struct Checks<'c> {
    path: Path<'c>,
    violations: &'c mut Violations,
    /// True if the `validator::Validate` of a value around this place walks into it.
    walked: bool,
}

impl<'c> Checks<'c> {
    /// Checks from the root of a value.
    pub fn new(violations: &'c mut Violations) -> Self {
        Self { path: Path::Root, violations, walked: false }
    }

    /// Adds a violation if the check of the value at this place failed.
    pub fn check<E: Into<Invalid>>(&mut self, result: Result<(), E>) {
        if let Err(error) = result {
            self.refuse(error.into());
        }
    }

    /// Adds a violation of the value at this place.
    pub fn refuse(&mut self, invalid: impl Into<Invalid>) {
        let Refusal { code, message, params, pointer } = *invalid.into().0;
        let pointer = Path::Written(&self.path, &pointer).pointer();
        self.violations.push(Violation { pointer, code, message: message.into_owned(), params });
    }

    /// Validates a property, under the name that it has on the wire.
    pub fn property<T: Schema + ?Sized>(&mut self, name: &str, value: &T) {
        self.at(name, |checks| value.run_checks(checks));
    }

    /// Validates an item of an array.
    pub fn item<T: Schema + ?Sized>(&mut self, index: usize, value: &T) {
        self.at_index(index, |checks| value.run_checks(checks));
    }

    /// Runs checks at a property, under the name that it has on the wire.
    pub fn at<R>(&mut self, name: &str, run: impl FnOnce(&mut Checks<'_>) -> R) -> R {
        let path = Path::Name(&self.path, name);
        run(&mut Checks { path, violations: self.violations, walked: self.walked })
    }

    pub(crate) fn at_index<R>(&mut self, index: usize, run: impl FnOnce(&mut Checks<'_>) -> R) -> R {
        let path = Path::Index(&self.path, index);
        run(&mut Checks { path, violations: self.violations, walked: self.walked })
    }
}

/// Checks of the crate `validator`, behind the feature of that name.
#[cfg(feature = "validator")]
impl Checks<'_> {
    /// Runs the `validator::Validate` of the value at this place, unless that of a value around it walks into it.
    pub fn validator<T: Schema + crate::failures::HasFailures>(&mut self, value: &T) {
        if !self.walked
            && let Some(failures) = value.failures()
        {
            value.refuse_failures(failures, self);
        }
    }

    /// Runs checks of a part, with whether the `validator::Validate` of the value at this place walks into it.
    pub fn walked<R>(&mut self, walked: bool, run: impl FnOnce(&mut Checks<'_>) -> R) -> R {
        run(&mut Checks { path: self.path, violations: self.violations, walked })
    }

    pub(crate) fn report(&mut self, violation: crate::pending_violation::PendingViolation) {
        self.violations.push(violation.at(&self.path));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_stands_where_its_check_ran() {
        let mut violations = Violations::default();
        let mut checks = Checks::new(&mut violations);
        checks.at("owner", |checks| {
            checks.check(Err::<(), _>("must differ"));
            checks.refuse(Invalid::new("too_young", "must be grown up").param("years", 18).at("/birth_date"));
        });
        checks.check(Ok::<(), Invalid>(()));
        let found: Vec<_> = violations.iter().map(|found| (found.pointer.as_str(), found.code.as_str())).collect();
        assert_eq!(found, [("/owner", "invalid"), ("/owner/birth_date", "too_young")]);
    }
}
