//! [`FieldValue`]: the types of fields.

use std::rc::Rc;
use std::sync::Arc;

use crate::value::Value;

/// A type of fields that can be filtered and sorted by: texts, numbers, booleans, days, instants, UUIDs, and an `Option` of
/// any of them.
///
/// `#[derive(Schema)]` implements it for an enum of units, whose value is the name on the wire, and for a struct around one
/// such value.
///
/// ```
/// use restwright_list::{FieldValue, Value};
///
/// // What the derive writes, beside the shape:
/// enum Species {
///     Cat,
///     Dog,
/// }
///
/// impl FieldValue for Species {
///     fn to_value(&self) -> Value<'_> {
///         match self {
///             Self::Cat => "cat".into(),
///             Self::Dog => "dog".into(),
///         }
///     }
/// }
/// assert_eq!(Value::from(&Some(Species::Cat)), "cat".into());
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the value of a field that can be filtered or sorted by",
    label = "neither a text, a number, a boolean, a date, a UUID nor an enumeration",
    note = "in a record, leave the field out with `#[record(skip)]`, or take the fields of an object up with `#[serde(flatten)]`",
    note = "an enum of units and a struct around one value are such values by `#[derive(Schema)]`"
)]
pub trait FieldValue {
    /// The value, as filters and orders compare it.
    fn to_value(&self) -> Value<'_>;
}

impl<'v, T: FieldValue + ?Sized> From<&'v T> for Value<'v> {
    fn from(value: &'v T) -> Self {
        value.to_value()
    }
}

/// Nothing is null.
impl<T: FieldValue> FieldValue for Option<T> {
    fn to_value(&self) -> Value<'_> {
        self.as_ref().map_or(Value::Null, T::to_value)
    }
}

macro_rules! pointers {
    ($($type:ty),*) => {$(
        impl<T: FieldValue + ?Sized> FieldValue for $type {
            fn to_value(&self) -> Value<'_> {
                (**self).to_value()
            }
        }
    )*};
}

pointers!(&T, Box<T>, Rc<T>, Arc<T>);
