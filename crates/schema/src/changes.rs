//! [`Changes`]: partial updates of values.

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::checks::{Checks, Invalid};
use crate::code::Code;
use crate::patch::Patch;
use crate::schema::Schema;
use crate::violation::Violations;

/// A partial update of a `T`.
///
/// `#[schema(changes)]` on a struct makes one whose fields are [`Patch`]es, and [`Schema::Changes`](crate::Schema::Changes) names it. Any other
/// type is its own: a new value replaces the old one. `examples/by_hand.rs` shows one that is written by hand.
pub trait Changes<T: ?Sized> {
    /// True if parts may be left out, which stay as they are.
    const PARTIAL: bool;

    /// Writes the changes into a value, and reports parts that a new value lacks. The value is to be used only when nothing was reported.
    fn apply_to(self, target: &mut T, checks: &mut Checks<'_>)
    where
        Self: Sized,
        T: Sized;

    /// Makes a new value of the changes, or reports the parts that it lacks.
    fn create(self, checks: &mut Checks<'_>) -> Option<T>
    where
        Self: Sized,
        T: Sized;

    /// Applies the changes to a copy of a value, whose own checks then run on the result.
    ///
    /// # Errors
    /// The violations of the result, such as a part that is missing where the changes make a new one.
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

/// A value that is replaced as a whole.
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

/// Changes to a property that is never null.
impl<C> Patch<C> {
    /// Applies the changes, if there are any, to the property of this name.
    pub fn change<T>(self, name: &str, target: &mut T, checks: &mut Checks<'_>)
    where
        C: Changes<T>,
    {
        if let Self::Value(changes) = self {
            checks.at(name, |checks| changes.apply_to(target, checks));
        }
    }

    /// Makes the property of this name, which a new value requires.
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

/// Changes to a property that may be null, or whose null stands for its default.
impl<C> Patch<Option<C>> {
    /// Applies the changes to an optional property: null clears it, and changes to an absent one make it.
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

    /// Applies the changes to a property with a default, which null sets.
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

    /// Applies the changes to a property with a default that its schema declares, which null sets.
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

    /// Makes a property with a default that its schema declares; `None` if a part of it is missing.
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

    /// Makes an optional property of a new value; `None` if a part of it is missing.
    pub fn create_option<T>(self, name: &str, checks: &mut Checks<'_>) -> Option<Option<T>>
    where
        C: Changes<T>,
    {
        match self {
            Self::Absent | Self::Value(None) => Some(None),
            Self::Value(Some(changes)) => checks.at(name, |checks| changes.create(checks)).map(Some),
        }
    }

    /// Makes a property with a default of a new value; `None` if a part of it is missing.
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

/// Returns a default that is declared as JSON. It fits the schema, but its type may still refuse it.
fn declared<T: DeserializeOwned>(name: &str, default: impl FnOnce() -> Value, checks: &mut Checks<'_>) -> Option<T> {
    let read = T::deserialize(default());
    if read.is_err() {
        checks.at(name, |checks| checks.refuse(Invalid::new(Code::NULL, "must not be null")));
    }
    read.ok()
}
