//! Defines [`Patch`], a property of a partial update.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::shape::checks::Checks;
use crate::shape::registry::Registry;
use crate::shape::schema::Schema;
use crate::shape::schema_type::SchemaType;

/// A property of a partial update, which is either absent or has a new value.
///
/// `Patch<Option<T>>` also allows null as the new value. The field requires `#[serde(default)]`. If it is also
/// serialized, add `#[serde(skip_serializing_if = "Patch::is_absent")]`.
///
/// ```
/// use restwright_schema::Patch;
/// use serde::Deserialize;
///
/// #[derive(Deserialize)]
/// struct Changes {
///     #[serde(default)]
///     name: Patch<String>,
///     #[serde(default)]
///     note: Patch<Option<String>>,
/// }
///
/// let changes: Changes = serde_json::from_str(r#"{"note": null}"#).unwrap();
/// let (mut name, mut note) = ("Rex".to_owned(), Some("good dog".to_owned()));
/// changes.name.apply(&mut name);
/// changes.note.apply(&mut note);
/// assert_eq!((name.as_str(), note), ("Rex", None));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Patch<T> {
    /// The property was not sent and stays unchanged.
    #[default]
    Absent,
    /// The property was sent with a new value.
    Value(T),
}

impl<T> Patch<T> {
    /// Returns `true` if the property was not sent.
    pub fn is_absent(&self) -> bool {
        matches!(self, Self::Absent)
    }

    /// Stores the new value in `target`, if there is one.
    pub fn apply(self, target: &mut T) {
        if let Self::Value(value) = self {
            *target = value;
        }
    }

    /// Returns the new value, if there is one.
    pub fn into_option(self) -> Option<T> {
        match self {
            Self::Absent => None,
            Self::Value(value) => Some(value),
        }
    }

    /// Returns a reference to the new value, if there is one.
    pub fn value(&self) -> Option<&T> {
        match self {
            Self::Absent => None,
            Self::Value(value) => Some(value),
        }
    }
}

impl<T> From<T> for Patch<T> {
    fn from(value: T) -> Self {
        Self::Value(value)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Patch<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::deserialize(deserializer).map(Self::Value)
    }
}

/// Serializes an absent property as null, unless serde skips the field.
impl<T: Serialize> Serialize for Patch<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Absent => serializer.serialize_none(),
            Self::Value(value) => value.serialize(serializer),
        }
    }
}

impl<T: Schema> Schema for Patch<T> {
    type Changes = Self;

    const OPTIONAL: bool = true;
    const NULLABLE: bool = T::NULLABLE;
    const REQUIRES_DEFAULT: bool = true;

    fn schema_type(registry: &mut Registry) -> SchemaType {
        T::schema_type(registry)
    }

    fn run_checks(&self, checks: &mut Checks<'_>) {
        if let Self::Value(value) = self {
            value.run_checks(checks);
        }
    }

    #[cfg(feature = "validator")]
    fn refuse_failures(&self, failures: crate::shape::failures::Failures, checks: &mut Checks<'_>) {
        match self {
            Self::Value(value) => value.refuse_failures(failures, checks),
            Self::Absent => failures.refuse(checks),
        }
    }
}
