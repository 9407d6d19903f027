//! Defines [`Changes`], a partial update (RFC 7396) of a value.

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::code::Code;
use crate::shape::checks::{Checks, Invalid};
use crate::shape::patch::Patch;
use crate::shape::schema::Schema;
use crate::violation::Violations;

/// A partial update of a value of the type `T`.
///
/// `#[schema(changes)]` on a struct generates a type whose fields are [`Patch`]es.
/// [`Schema::Changes`](crate::Schema::Changes) refers to it. For any other type, `Changes` is the type itself, because
/// a new value replaces the old value. `examples/by_hand.rs` shows a handwritten implementation.
pub trait Changes<T: ?Sized> {
    /// `true` if an update may omit properties. Omitted properties stay unchanged.
    const PARTIAL: bool;

    /// Applies the changes to `target`, and reports violations to `checks`. Use `target` only if there are no
    /// violations.
    ///
    /// For example, a violation is reported if the changes create a nested value and omit one of its required
    /// properties.
    fn apply_to(self, target: &mut T, checks: &mut Checks<'_>)
    where
        Self: Sized,
        T: Sized;

    /// Creates a new value from the changes. If a required property is absent, reports a violation and returns `None`.
    fn create(self, checks: &mut Checks<'_>) -> Option<T>
    where
        Self: Sized,
        T: Sized;

    /// Applies the changes to a copy of a value, and then runs the checks of its type.
    ///
    /// # Errors
    /// Returns the violations of the changed value, such as a missing property of a new nested value.
    fn apply(self, current: &T) -> Result<T, Violations>
    where
        Self: Sized,
        T: Clone + Schema,
    {
        let mut violations = Violations::default();
        let mut changed = current.clone();
        self.apply_to(&mut changed, &mut Checks::new(&mut violations));
        if violations.is_empty() {
            changed.run_checks(&mut Checks::new(&mut violations));
        }
        violations.into_result().map(|()| changed)
    }
}

/// Implements [`Changes`] for types without partial updates. A new value replaces the whole old value.
impl<T: ?Sized> Changes<T> for T {
    const PARTIAL: bool = false;

    fn apply_to(self, target: &mut T, _: &mut Checks<'_>)
    where
        Self: Sized,
    {
        *target = self;
    }

    fn create(self, _: &mut Checks<'_>) -> Option<T>
    where
        Self: Sized,
    {
        Some(self)
    }
}

/// Methods for a property that is never null.
impl<C> Patch<C> {
    /// Applies the changes to `target`, unless the property is absent. `name` is the JSON name of the property.
    pub fn change<T>(self, name: &str, target: &mut T, checks: &mut Checks<'_>)
    where
        C: Changes<T>,
    {
        if let Self::Value(changes) = self {
            checks.at(name, |checks| changes.apply_to(target, checks));
        }
    }

    /// Creates the value of a required property from the changes. `name` is the JSON name of the property. Returns
    /// `None` and reports violations if a required property is absent.
    pub fn create<T>(self, name: &str, checks: &mut Checks<'_>) -> Option<T>
    where
        C: Changes<T>,
    {
        checks.at(name, |checks| match self {
            Self::Value(changes) => changes.create(checks),
            Self::Absent => {
                checks.refuse(Invalid::new(Code::REQUIRED, "is required"));
                None
            }
        })
    }
}

/// Methods for a property that accepts null. Null is a value of the property, or resets it to its default.
impl<C> Patch<Option<C>> {
    /// Applies the changes to an optional property. Null removes the value. If the property has no value yet, the
    /// changes create one.
    pub fn change_option<T>(self, name: &str, target: &mut Option<T>, checks: &mut Checks<'_>)
    where
        C: Changes<T>,
    {
        match (self, target) {
            (Self::Absent, _) => {}
            (Self::Value(None), target) => *target = None,
            (Self::Value(Some(changes)), Some(target)) => checks.at(name, |checks| changes.apply_to(target, checks)),
            (Self::Value(Some(changes)), target) => *target = checks.at(name, |checks| changes.create(checks)),
        }
    }

    /// Applies the changes to a property with a default. Null resets the property to `default`.
    pub fn change_or_default<T>(self, name: &str, target: &mut T, default: impl FnOnce() -> T, checks: &mut Checks<'_>)
    where
        C: Changes<T>,
    {
        match self {
            Self::Absent => {}
            Self::Value(None) => *target = default(),
            Self::Value(Some(changes)) => checks.at(name, |checks| changes.apply_to(target, checks)),
        }
    }

    /// Applies the changes to a property with a JSON default in its schema. Null resets the property to this default.
    pub fn change_or_declared<T>(
        self,
        name: &str,
        target: &mut T,
        default: impl FnOnce() -> Value,
        checks: &mut Checks<'_>,
    ) where
        C: Changes<T>,
        T: DeserializeOwned,
    {
        match self {
            Self::Value(None) => {
                if let Some(value) = declared(name, default, checks) {
                    *target = value;
                }
            }
            Self::Value(Some(changes)) => checks.at(name, |checks| changes.apply_to(target, checks)),
            Self::Absent => {}
        }
    }

    /// Creates the value of a property from the changes, or from the JSON default in its schema. Uses the default if
    /// the property is absent or null. Returns `None` and reports violations if the property cannot be created.
    pub fn create_or_declared<T>(
        self,
        name: &str,
        default: impl FnOnce() -> Value,
        checks: &mut Checks<'_>,
    ) -> Option<T>
    where
        C: Changes<T>,
        T: DeserializeOwned,
    {
        match self {
            Self::Absent | Self::Value(None) => declared(name, default, checks),
            Self::Value(Some(changes)) => checks.at(name, |checks| changes.create(checks)),
        }
    }

    /// Creates the value of an optional property from the changes. Returns `Some(None)` if the property is absent or
    /// null. Returns `None` and reports violations if the changes omit a property that `T` requires.
    pub fn create_option<T>(self, name: &str, checks: &mut Checks<'_>) -> Option<Option<T>>
    where
        C: Changes<T>,
    {
        match self {
            Self::Absent | Self::Value(None) => Some(None),
            Self::Value(Some(changes)) => checks.at(name, |checks| changes.create(checks)).map(Some),
        }
    }

    /// Creates the value of a property from the changes, or from `default`. Uses `default` if the property is absent or
    /// null. Returns `None` and reports violations if the changes omit a property that `T` requires.
    pub fn create_or_default<T>(self, name: &str, default: impl FnOnce() -> T, checks: &mut Checks<'_>) -> Option<T>
    where
        C: Changes<T>,
    {
        match self {
            Self::Absent | Self::Value(None) => Some(default()),
            Self::Value(Some(changes)) => checks.at(name, |checks| changes.create(checks)),
        }
    }
}

/// Deserializes a default value that is declared in JSON. The default matches the schema, but the Rust type may still
/// reject it.
fn declared<T: DeserializeOwned>(name: &str, default: impl FnOnce() -> Value, checks: &mut Checks<'_>) -> Option<T> {
    let read = T::deserialize(default());
    if read.is_err() {
        checks.at(name, |checks| checks.refuse(Invalid::new(Code::NULL, "must not be null")));
    }
    read.ok()
}
