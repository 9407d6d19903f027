//! Defines the trait for the types of path, query, header and cookie parameters.

use std::borrow::Cow;

use restwright_schema::{Checks, CompiledSchema, Registry, Schema, Typed, Violations, typed};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// A type that can be read from a path, query, header or cookie parameter. It is implemented for every type that
/// derives `serde::Deserialize` and `Schema`.
///
/// Building the Api fails if the type is neither a scalar nor a list of scalars.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the type of a parameter",
    label = "must be a scalar or a list of scalars",
    note = "for your own scalar type, derive `serde::Deserialize` and `Schema`",
    note = "features of `restwright` add scalar types of other crates: chrono, jiff, rust_decimal, time, url, uuid",
    note = "for a struct that groups several parameters, derive `Part` and mark its fields with `#[segment]`, `#[query]`, `#[header]` or `#[cookie]`; a field of that type has no attribute"
)]
pub trait ParameterValue: Sized {
    /// Returns a property with the name `name` and the schema of this type.
    fn property(registry: &mut Registry, name: &'static str) -> Typed<Self>;

    /// Parses the strings that a request contains for the parameter. A list has one string per item.
    ///
    /// # Errors
    /// The violations of the value, at most `limit`.
    fn read(schema: &CompiledSchema, texts: &[Cow<'_, str>], limit: usize) -> Result<Self, Violations>;

    /// Converts a JSON value to this type. Returns `None` if the type cannot represent the value.
    ///
    /// If a parameter is absent, the value is the default of the parameter, or null if the parameter is optional.
    fn from_json(value: &Value) -> Option<Self>;
}

#[diagnostic::do_not_recommend]
impl<T: Schema + DeserializeOwned> ParameterValue for T {
    fn property(registry: &mut Registry, name: &'static str) -> Typed<T> {
        typed(registry, name)
    }

    fn read(schema: &CompiledSchema, texts: &[Cow<'_, str>], limit: usize) -> Result<T, Violations> {
        let value: T = schema.read_text(texts, limit)?;
        let mut found = Violations::with_limit(limit);
        value.run_checks(&mut Checks::new(&mut found));
        found.into_result().map(|()| value)
    }

    fn from_json(value: &Value) -> Option<T> {
        T::deserialize(value).ok()
    }
}
