//! [`Record`]: what the evaluator looks at.

use crate::value::Value;

/// An item whose fields can be filtered and sorted by: usually a derived struct.
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
    message = "`{Self}` is not a record that lists are made of",
    label = "its fields cannot be filtered or sorted by",
    note = "write `#[derive(Record)]` on a struct with named fields"
)]
pub trait Record {
    /// The value of a field, by the name under which filters and orders know it; null for one that there is not.
    fn value(&self, field: &str) -> Value<'_>;
}

impl<R: Record + ?Sized> Record for &R {
    fn value(&self, field: &str) -> Value<'_> {
        (**self).value(field)
    }
}

impl<R: Record + ?Sized> Record for std::sync::Arc<R> {
    fn value(&self, field: &str) -> Value<'_> {
        (**self).value(field)
    }
}

impl<R: Record + ?Sized> Record for Box<R> {
    fn value(&self, field: &str) -> Value<'_> {
        (**self).value(field)
    }
}
