//! Defines [`Record`], an item with named fields.

use std::rc::Rc;
use std::sync::Arc;

use crate::value::Value;

/// An item that can be filtered and sorted by its fields, usually a derived struct.
///
/// ```
/// use restwright_list::{Record, Value};
///
/// // What the derive writes:
/// struct Pet {
///     id: i64,
///     name: String,
///     weight_kg: Option<f64>,
/// }
///
/// impl Record for Pet {
///     fn has_field(field: &str) -> bool {
///         matches!(field, "id" | "name" | "weight_kg")
///     }
///
///     fn value(&self, field: &str) -> Value<'_> {
///         match field {
///             "id" => Value::from(&self.id),
///             "name" => Value::from(&self.name),
///             "weight_kg" => Value::from(&self.weight_kg),
///             _ => Value::Null,
///         }
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a record",
    label = "its fields cannot be filtered or sorted by",
    note = "write `#[derive(Record)]` on a struct with named fields"
)]
pub trait Record {
    /// Returns `true` if items have a field with this name. Filters and orders use the same names.
    /// [`apply`](crate::apply) reports unknown names as errors.
    fn has_field(field: &str) -> bool
    where
        Self: Sized;

    /// Returns the value of a field, or null for an unknown field.
    fn value(&self, field: &str) -> Value<'_>;
}

/// Returns the log message for a field that a record does not have.
#[cold]
pub(crate) fn unknown_field<R>(field: &str) -> String {
    format!(
        "a filter or the order names the field `{field}`, which the record {} does not have; use the same name in both, with `rename` or `rename_all` in `#[filter(..)]`, `#[sort(..)]` or `#[serde(..)]`, and do not skip the field in the record",
        std::any::type_name::<R>()
    )
}

/// Implements [`Record`] for an optional record. All fields of `None` are null.
impl<R: Record> Record for Option<R> {
    fn has_field(field: &str) -> bool {
        R::has_field(field)
    }

    fn value(&self, field: &str) -> Value<'_> {
        self.as_ref().map_or(Value::Null, |record| record.value(field))
    }
}

macro_rules! pointers {
    ($($type:ty),*) => {$(
        impl<R: Record> Record for $type {
            fn has_field(field: &str) -> bool {
                R::has_field(field)
            }

            fn value(&self, field: &str) -> Value<'_> {
                (**self).value(field)
            }
        }
    )*};
}

pointers!(&R, Box<R>, Rc<R>, Arc<R>);
