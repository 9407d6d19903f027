//! [`Schema`]: Rust types with a schema.

use crate::changes::Changes;
use crate::checks::Checks;
use crate::registry::Registry;
use crate::schema_type::SchemaType;

/// A Rust type with a schema.
///
/// `#[derive(Schema)]` writes it; `examples/by_hand.rs` shows what it writes.
///
/// ```
/// use restwright_schema::{Checks, SchemaSide, SchemaType, PropertyCollection, Registry, Schema, typed};
/// use serde::Deserialize;
///
/// #[derive(Deserialize)]
/// struct Pet {
///     name: String,
///     weight_kg: Option<f64>,
/// }
///
/// impl Schema for Pet {
///     type Changes = Self;
///
///     fn schema_type(registry: &mut Registry) -> SchemaType {
///         registry.define::<Self, _>("Pet", |registry| {
///             PropertyCollection::new("Pet")
///                 .property(typed::<String>(registry, "name").min_length(1))
///                 .property(typed::<Option<f64>>(registry, "weight_kg").exclusive_minimum(0))
///         })
///     }
/// }
///
/// let mut registry = Registry::new();
/// let schema_type = Pet::schema_type(&mut registry);
/// let schema = registry.compile(&schema_type, SchemaSide::Input, None);
/// let pet: Pet = schema.read(br#"{"name": "Rex"}"#, 100).unwrap();
/// assert_eq!((pet.name.as_str(), pet.weight_kg), ("Rex", None));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no schema",
    label = "`Schema` is not implemented for this type",
    note = "for a type of your own: `#[derive(Schema)]`",
    note = "for a type of another crate, a newtype that names a type of the same JSON: \
            `#[derive(Serialize, Deserialize, Schema)] #[schema(as = String)] struct Name({Self});`",
    note = "types of some crates have schemas behind features of `restwright`: chrono, jiff, rust_decimal, time, url, uuid"
)]
pub trait Schema {
    /// The type of a partial update: what `#[schema(changes)]` makes, or `Self` for a value that is replaced as a whole.
    type Changes: ?Sized + Schema + Changes<Self>;

    /// True if a property of this type may be absent when it is read: `Option<T>` and `Patch<T>`.
    const OPTIONAL: bool = false;

    /// True if null is a value of this type: `Option<T>` and `Patch<Option<T>>`.
    const NULLABLE: bool = false;

    /// True if serde rejects an absent property of this type without `#[serde(default)]`: `Patch<T>`.
    ///
    /// `#[derive(Schema)]` requires `#[serde(default)]` on a field of such a type.
    const REQUIRES_DEFAULT: bool = false;

    /// Returns the type of its values; a schema with a name is defined in the registry and returned as a reference.
    fn schema_type(registry: &mut Registry) -> SchemaType;

    /// Runs the type's own checks on a value that satisfies its schema.
    ///
    /// A type that contains others runs theirs, too.
    fn run_checks(&self, checks: &mut Checks<'_>) {
        let _ = checks;
    }

    /// Reports what the crate `validator` found wrong with a value, under its names on the wire.
    ///
    /// A type that contains others hands theirs on. By default the keys of validator are the names.
    #[cfg(feature = "validator")]
    fn refuse_failures(&self, failures: crate::failures::Failures, checks: &mut Checks<'_>) {
        failures.refuse(checks);
    }
}
