//! Defines [`FieldValue`], the trait for the types of filter and sort fields.

use super::{Value, ValueType};

/// A type for fields that lists can be filtered and sorted by. It is a string, number, boolean, date, date-time or
/// UUID, or an `Option` of any of these.
///
/// `#[derive(Schema)]` implements this trait for unit enums, whose values are their JSON names, and for structs that
/// wrap one such value.
///
/// ```
/// use restwright_list::{FieldValue, Value, ValueType};
///
/// // What the derive writes, in addition to the schema:
/// enum Species {
///     Cat,
///     Dog,
/// }
///
/// impl FieldValue for Species {
///     const VALUE_TYPE: ValueType = ValueType::Enumeration;
///
///     fn to_value(&self) -> Value<'_> {
///         match self {
///             Self::Cat => "cat".into(),
///             Self::Dog => "dog".into(),
///         }
///     }
///
///     fn from_value(value: Value<'_>) -> Option<Self> {
///         match value.as_text()? {
///             "cat" => Some(Self::Cat),
///             "dog" => Some(Self::Dog),
///             _ => None,
///         }
///     }
/// }
/// assert_eq!(Value::from(&Some(Species::Cat)), "cat".into());
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the value of a field that can be filtered or sorted by",
    label = "must be a string, a number, a boolean, a date, a UUID or an enumeration",
    note = "in a record, skip the field with `#[record(skip)]`, or include the fields of an object with `#[serde(flatten)]`",
    note = "in a resource, remove the settings that require a single value, such as `filter`, `sort` and `unique`",
    note = "for an enum of unit variants or a struct around one value, write `#[derive(Schema)]`"
)]
pub trait FieldValue {
    /// The type of the values, which must match the schema of the Rust type. For an `Option`, it is the type of the
    /// inner value. If the type is known only at run time, use [`ValueType::Text`].
    const VALUE_TYPE: ValueType;

    /// Converts the value to a [`Value`], which filters and sort orders compare, and which stores save.
    fn to_value(&self) -> Value<'_>;

    /// Converts a [`Value`] that a store has saved. Returns `None` if the type cannot contain the value.
    fn from_value(value: Value<'_>) -> Option<Self>
    where
        Self: Sized;
}
