//! Defines [`Entity`], a trait for records that stores can save, and [`Version`], the version of an entity.

use std::fmt;

use restwright_list::{Record, Value};

use crate::definition::EntityDefinition;
use crate::generated;
use crate::row::{Row, RowError};

/// A [`Record`] that a store can save. It converts itself to a [`Row`] and back.
///
/// ```
/// use restwright_list::{Record, Value};
/// use restwright_resource::{Entity, EntityDefinition, Row, RowError, assign};
///
/// struct Pet {
///     id: i64,
///     shelter: String,
///     tags: Vec<String>,
/// }
///
/// impl Record for Pet {
///     fn has_field(field: &str) -> bool {
///         matches!(field, "id" | "shelter")
///     }
///
///     fn value(&self, field: &str) -> Value<'_> {
///         match field {
///             "id" => Value::from(&self.id),
///             "shelter" => Value::from(&self.shelter),
///             _ => Value::Null,
///         }
///     }
/// }
///
/// impl Entity for Pet {
///     fn from_row(row: &mut Row) -> Result<Self, RowError> {
///         Ok(Self { id: row.take("id")?, shelter: row.take("shelter")?, tags: row.take_json("tags")? })
///     }
///
///     fn to_row(&self, definition: &EntityDefinition) -> Result<Row, RowError> {
///         let row = Row::new(definition).with("id", &self.id).with("shelter", &self.shelter);
///         row.with_json("tags", &self.tags)
///     }
///
///     fn set_value(&mut self, field: &str, value: Value<'static>) -> bool {
///         match field {
///             "id" => assign(&mut self.id, value),
///             "shelter" => assign(&mut self.shelter, value),
///             _ => false,
///         }
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an entity that stores keep",
    label = "cannot be converted to a row",
    note = "implement `Record` and `Entity` for it, or derive `Resource`"
)]
pub trait Entity: Record + Send + Sync + 'static {
    /// Creates the entity from a row that a store returned. It may take the values out of the row.
    ///
    /// # Errors
    /// A field of the entity cannot contain its value.
    fn from_row(row: &mut Row) -> Result<Self, RowError>
    where
        Self: Sized;

    /// Converts the entity to a row with the fields of a definition.
    ///
    /// # Errors
    /// A value cannot be serialized to JSON.
    fn to_row(&self, definition: &EntityDefinition) -> Result<Row, RowError>;

    /// Sets a value that the service sets. Returns `false` if the entity does not contain the field, or if the field does not accept the value.
    ///
    /// Endpoints set the fields of the [`Scope`](crate::Scope), the managed times and the keys of files. Other fields need not be settable.
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
