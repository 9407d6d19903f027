//! Defines [`assign`], which sets a field of an entity.

use restwright_list::{FieldValue, Value};

/// Sets a field to a value. Returns `false` if the type of the field does not accept the value.
///
/// Implementations of [`Entity::set_value`](crate::Entity::set_value) call it for each field that the service sets.
///
/// ```
/// use restwright_list::Value;
/// use restwright_resource::assign;
///
/// let mut places: u8 = 0;
/// assert!(assign(&mut places, Value::Integer(12)));
/// assert!(!assign(&mut places, Value::Integer(256)) && !assign(&mut places, Value::from("many")));
/// assert_eq!(places, 12);
/// ```
#[must_use]
pub fn assign<T: FieldValue>(field: &mut T, value: Value<'static>) -> bool {
    T::from_value(value).map(|value| *field = value).is_some()
}
