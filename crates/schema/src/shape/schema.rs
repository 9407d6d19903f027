//! Defines [`Schema`], the trait of Rust types with a JSON schema.

use crate::shape::changes::Changes;
use crate::shape::checks::Checks;
use crate::shape::registry::Registry;
use crate::shape::schema_type::SchemaType;

/// A Rust type with a JSON schema.
///
/// Use `#[derive(Schema)]` to implement it. `examples/by_hand.rs` shows the generated code.
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
    note = "for your own type, write `#[derive(Schema)]`",
    note = "for a type of another crate, a newtype that names a type of the same JSON: \
            `#[derive(Serialize, Deserialize, Schema)] #[schema(as = String)] struct Name({Self});`",
    note = "features of `restwright` add schemas for types of other crates: chrono, jiff, rust_decimal, time, url, uuid"
)]
pub trait Schema {
    /// The type that represents a partial update of this type. It is the type that `#[schema(changes)]` generates, or
    /// `Self` for a value that is always replaced as a whole.
    type Changes: ?Sized + Schema + Changes<Self>;

    /// `true` if a property of this type may be absent in input, as for `Option<T>` and `Patch<T>`.
    const OPTIONAL: bool = false;

    /// `true` if this type accepts null, as for `Option<T>` and `Patch<Option<T>>`.
    const NULLABLE: bool = false;

    /// `true` if serde rejects an absent property of this type unless the field has `#[serde(default)]`, as for
    /// `Patch<T>`.
    ///
    /// `#[derive(Schema)]` requires `#[serde(default)]` on a field of such a type.
    const REQUIRES_DEFAULT: bool = false;

    /// Returns the schema of this type. A named schema is defined in the registry and returned as a reference.
    fn schema_type(registry: &mut Registry) -> SchemaType;

    /// Runs the custom checks of this type on a value that matches the schema.
    ///
    /// A type that contains other values must also run the checks of these values.
    fn run_checks(&self, checks: &mut Checks<'_>) {
        let _ = checks;
    }

    /// Reports the errors of the crate `validator` as violations, with the JSON names of properties.
    ///
    /// A type that contains other values calls this method for each of them. By default, the keys of validator are used
    /// as JSON names.
    #[cfg(feature = "validator")]
    fn refuse_failures(&self, failures: crate::shape::failures::Failures, checks: &mut Checks<'_>) {
        failures.refuse(checks);
    }
}
