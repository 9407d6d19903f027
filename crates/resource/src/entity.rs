//! Defines [`Entity`], a trait for records that stores can save, and [`Version`], the version of an entity.

use std::fmt;

use restwright_list::{Record, Value};

use crate::generated;

/// A [`Record`] that a store can save. The store can set its fields.
///
/// ```
/// use restwright_list::{Record, Value};
/// use restwright_resource::Entity;
///
/// #[derive(Clone)]
/// struct Pet {
///     id: i64,
///     shelter: String,
///     name: String,
/// }
///
/// impl Record for Pet {
///     fn has_field(field: &str) -> bool {
///         matches!(field, "id" | "shelter" | "name")
///     }
///
///     fn value(&self, field: &str) -> Value<'_> {
///         match field {
///             "id" => Value::from(&self.id),
///             "shelter" => Value::from(&self.shelter),
///             "name" => Value::from(&self.name),
///             _ => Value::Null,
///         }
///     }
/// }
///
/// impl Entity for Pet {
///     fn set_value(&mut self, field: &str, value: Value<'static>) -> bool {
///         match (field, value) {
///             ("id", Value::Integer(id)) => i64::try_from(id).map(|id| self.id = id).is_ok(),
///             ("shelter", Value::Text(shelter)) => {
///                 self.shelter = shelter.into_owned();
///                 true
///             }
///             _ => false,
///         }
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an entity that stores keep",
    label = "does not let a store set its identifier and its scope",
    note = "implement `Record` and `Entity` for it, or derive `Resource`"
)]
pub trait Entity: Record + Send + Sync + 'static {
    /// Sets the value of a field. Returns `false` if the entity does not contain the field, or if the field does not accept the value.
    ///
    /// Stores set the identifier, if they generate it, and the fields of the [`Scope`](crate::Scope). They also round date-times down to whole
    /// microseconds and change `-0.0` to `0.0`. If a date-time cannot be set, they reject one that is finer than a microsecond. Other fields need not
    /// be settable.
    fn set_value(&mut self, field: &str, value: Value<'static>) -> bool;

    /// Returns the name of the entity's Rust type, for error messages.
    fn type_name(&self) -> &'static str {
        std::any::type_name::<Self>()
    }
}

/// The version of an entity, which changes with each update.
///
/// The versions of one identifier never repeat, even if the entity is deleted and inserted again. Compare versions of the same identifier
/// for equality only: a larger version is not necessarily a later version.
///
/// ```
/// use restwright_resource::Version;
///
/// let version = Version::new(7);
/// assert_ne!(version, version.next());
/// assert_eq!(version.to_string(), "7");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Version(i64);

impl Version {
    /// Creates a version from a stored number.
    #[must_use]
    pub const fn new(number: i64) -> Self {
        Self(number)
    }

    /// Returns a random version from 1 to 2^52 for a new entity.
    ///
    /// A store that starts at a random version and continues with [`next`](Self::next) need not keep the versions of deleted entities.
    #[must_use]
    pub fn random() -> Self {
        Self(i64::try_from(generated::version_bits() & ((1 << 52) - 1)).unwrap_or_default() + 1)
    }

    /// Returns the version that follows this version.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0.wrapping_add(1))
    }

    /// Returns the number of the version, which a store can save.
    #[must_use]
    pub const fn number(self) -> i64 {
        self.0
    }
}

impl fmt::Display for Version {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, formatter)
    }
}

/// An entity with its current version in the store.
#[derive(Clone, Debug, PartialEq)]
pub struct Versioned<R> {
    /// The entity that the store returned.
    pub entity: R,
    /// The version of the entity.
    pub version: Version,
}

impl<R> Versioned<R> {
    /// Combines an entity with its version.
    #[must_use]
    pub const fn new(entity: R, version: Version) -> Self {
        Self { entity, version }
    }
}

/// Reads the fields of the contained entity.
impl<R: Record> Record for Versioned<R> {
    fn has_field(field: &str) -> bool {
        R::has_field(field)
    }

    fn value(&self, field: &str) -> Value<'_> {
        self.entity.value(field)
    }
}
