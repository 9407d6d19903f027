//! [`Record`]: what the evaluator looks at.

use crate::value::Value;

/// An item whose fields can be filtered and sorted by.
///
/// ```
/// use restwright_list::{Record, Value};
///
/// struct Pet {
///     id: i64,
///     name: String,
///     weight_kg: Option<f64>,
/// }
///
/// impl Record for Pet {
///     fn value(&self, field: &str) -> Value<'_> {
///         match field {
///             "id" => self.id.into(),
///             "name" => Value::from(&self.name),
///             "weight_kg" => self.weight_kg.into(),
///             _ => Value::Null,
///         }
///     }
/// }
/// ```
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
