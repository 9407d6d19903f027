//! Defines [`Checks`], the context of custom checks, and [`Invalid`], the error that a custom check returns.

use std::any::TypeId;
use std::borrow::Cow;

use serde_json::{Map, Value};

use crate::code::Code;
use crate::path::Path;
use crate::shape::schema::Schema;
use crate::violation::{Violation, Violations};

/// The error that a custom check returns.
///
/// A check is a function `fn(&T) -> Result<(), Invalid>`. The error can also be a `&str` or a `String`. The code is
/// then [`Code::INVALID`].
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
    // Boxed, so the `Result` of a check stays small.
    Box<CheckRejection>,
);

#[derive(Clone, Debug, PartialEq)]
struct CheckRejection {
    code: Code,
    message: Cow<'static, str>,
    params: Map<String, Value>,
    pointer: String,
}

impl Invalid {
    /// Creates an error with a stable code and an English message.
    #[must_use]
    pub fn new(code: impl Into<Code>, message: impl Into<Cow<'static, str>>) -> Self {
        let (code, message) = (code.into(), message.into());
        Self(Box::new(CheckRejection { code, message, params: Map::new(), pointer: String::new() }))
    }

    /// Adds a parameter to the error. Clients receive it in `params` of the violation.
    #[must_use]
    pub fn param(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.0.params.insert(name.into(), value.into());
        self
    }

    /// Sets the location of the error, as a JSON Pointer relative to the checked value, such as `/birth_date`.
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

/// Converts a violation to the error of a custom check. The pointer of the violation is relative to the checked value.
impl From<Violation> for Invalid {
    fn from(Violation { pointer, code, message, params }: Violation) -> Self {
        Self(Box::new(CheckRejection { code, message: message.into(), params, pointer }))
    }
}

/// The context in which custom checks run. It contains the current location in the value, and the violations found so
/// far.
#[derive(Debug)]
pub struct Checks<'c> {
    path: Path<'c>,
    violations: &'c mut Violations,
    /// Checks the variants that serde read, if the value contains untagged unions.
    variants: Option<&'c dyn VariantCheck>,
    /// `true` if the `validator::Validate` implementation of an enclosing value also validates this value.
    walked: bool,
}

/// Checks a value against the variant of an untagged union that serde read.
pub(super) trait VariantCheck: std::fmt::Debug {
    fn check(&self, union: TypeId, index: usize, path: &Path<'_>, violations: &mut Violations);
}

impl<'c> Checks<'c> {
    /// Creates a context for the root of a value.
    pub fn new(violations: &'c mut Violations) -> Self {
        Self { path: Path::Root, violations, variants: None, walked: false }
    }

    /// Creates a context for a value that was read from JSON with untagged unions.
    pub(super) fn with_variants(variants: &'c dyn VariantCheck, violations: &'c mut Violations) -> Self {
        Self { path: Path::Root, violations, variants: Some(variants), walked: false }
    }

    /// Checks the value at the current location against the variant of the untagged union `T` that was read.
    ///
    /// serde reads the first variant that fits the Rust type. The value can match another variant, and violate the
    /// constraints of this one.
    pub fn variant<T: Schema + ?Sized>(&mut self, index: usize) {
        if let Some(variants) = self.variants {
            variants.check(typeid::of::<T>(), index, &self.path, self.violations);
        }
    }

    /// Adds a violation at the current location if `result` is an error.
    pub fn check<E: Into<Invalid>>(&mut self, result: Result<(), E>) {
        if let Err(error) = result {
            self.refuse(error.into());
        }
    }

    /// Adds a violation at the current location.
    pub fn refuse(&mut self, invalid: impl Into<Invalid>) {
        let CheckRejection { code, message, params, pointer } = *invalid.into().0;
        let pointer = Path::Written(&self.path, &pointer).pointer();
        self.violations.push(Violation { pointer, code, message: message.into_owned(), params });
    }

    /// Runs the custom checks of a property. `name` is the JSON name of the property.
    pub fn property<T: Schema + ?Sized>(&mut self, name: &str, value: &T) {
        self.at(name, |checks| value.run_checks(checks));
    }

    /// Runs the custom checks of an array item.
    pub fn item<T: Schema + ?Sized>(&mut self, index: usize, value: &T) {
        self.at_index(index, |checks| value.run_checks(checks));
    }

    /// Runs a closure with a context for a property. `name` is the JSON name of the property.
    pub fn at<R>(&mut self, name: &str, run: impl FnOnce(&mut Checks<'_>) -> R) -> R {
        let path = Path::Name(&self.path, name);
        run(&mut Checks { path, violations: self.violations, variants: self.variants, walked: self.walked })
    }

    /// Runs a closure with a context for an item of an array.
    pub fn at_index<R>(&mut self, index: usize, run: impl FnOnce(&mut Checks<'_>) -> R) -> R {
        let path = Path::Index(&self.path, index);
        run(&mut Checks { path, violations: self.violations, variants: self.variants, walked: self.walked })
    }
}

/// Methods for checks with the crate `validator`. They require the feature `validator`.
#[cfg(feature = "validator")]
impl Checks<'_> {
    /// Validates a value with `validator::Validate`, and reports its errors as violations. Does nothing if the
    /// `Validate` of an outer value already validates this value.
    pub fn validator<T: Schema + crate::shape::failures::HasFailures>(&mut self, value: &T) {
        if !self.walked
            && let Some(failures) = value.failures()
        {
            value.refuse_failures(failures, self);
        }
    }

    /// Runs checks on a nested value. If the `validator::Validate` of the outer value already validates the nested
    /// value, `walked` must be `true`. Otherwise, errors are reported twice.
    pub fn walked<R>(&mut self, walked: bool, run: impl FnOnce(&mut Checks<'_>) -> R) -> R {
        run(&mut Checks { path: self.path, violations: self.violations, variants: self.variants, walked })
    }

    pub(super) fn report(&mut self, violation: crate::pending_violation::PendingViolation) {
        self.violations.push(violation.at(&self.path));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_an_error_at_the_location_of_its_check() {
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
