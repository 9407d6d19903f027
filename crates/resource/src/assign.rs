//! Sets entity fields to the values that a store returns.

use std::any::Any;
use std::marker::PhantomData;

use restwright_list::{FieldValue, Value, ValueType};
use serde::de::DeserializeOwned;
use serde_json::Value as Json;

/// Sets a field to a value. Returns `false` if the type of the field does not accept the value.
///
/// Implementations of [`Entity::set_value`](crate::Entity::set_value) call it for each field. Dates, date-times, UUIDs and decimals are deserialized from their
/// strings, an enumeration from its name in JSON.
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
pub fn assign<T: DeserializeOwned + 'static>(field: &mut T, value: Value<'static>) -> bool {
    let value = match value {
        // Identifiers and times usually have one of these types. They need no conversion to a string.
        Value::Uuid(value) => same(field, value).map(|value| value.to_string().into()),
        Value::DateTime(value) => same(field, value).map(|value| value.to_string().into()),
        Value::Text(value) => same(field, value.into_owned()).map(Json::from),
        Value::Date(value) => Some(value.to_string().into()),
        Value::Integer(value) => match (i64::try_from(value), u64::try_from(value)) {
            (Ok(value), _) => Some(value.into()),
            (_, Ok(value)) => Some(value.into()),
            _ => return false,
        },
        Value::Number(value) => Some(value.into()),
        #[cfg(feature = "rust_decimal")]
        Value::Decimal(value) => same(field, value).map(|value| value.to_string().into()),
        Value::Boolean(value) => Some(value.into()),
        _ => Some(Json::Null),
    };
    match value.map(T::deserialize) {
        None => true,
        Some(read) => read.map(|value| *field = value).is_ok(),
    }
}

/// Sets a field to a value if the field and the value have the same type. Otherwise returns the value.
fn same<T: 'static, V: 'static>(field: &mut T, value: V) -> Option<V> {
    match (field as &mut dyn Any).downcast_mut() {
        Some(field) => {
            *field = value;
            None
        }
        None => Some(value),
    }
}

/// Sets a field of the type `T` to a date-time, number or decimal that a store has rounded. Fields of other types stay unchanged.
///
/// Import [`NotRounded`] and write out the type of the field, as for [`MaybeValue`](restwright_list::MaybeValue). The call then sets a field that
/// serde reads as a date-time, a number or a decimal. All other fields stay unchanged, and the call returns `false`.
///
/// ```
/// use restwright_list::Value;
/// use restwright_resource::{MaybeRounded, NotRounded as _};
///
/// let (mut weight, mut name) = (Some(-0.0), "Rex".to_owned());
/// assert!(<MaybeRounded<Option<f64>>>::assign(&mut weight, Value::Number(0.0)));
/// assert!(!<MaybeRounded<String>>::assign(&mut name, "Ada".into()));
/// assert!(!<MaybeRounded<Vec<f64>>>::assign(&mut vec![-0.0], Value::Number(0.0)));
/// ```
#[derive(Debug)]
pub struct MaybeRounded<T>(PhantomData<fn(&T)>);

impl<T: FieldValue + DeserializeOwned + 'static> MaybeRounded<T> {
    /// Sets a field that contains a date-time, a number or a decimal. Returns `false` if the field has another type or does not accept the value.
    #[must_use]
    pub fn assign(field: &mut T, value: Value<'static>) -> bool {
        match T::VALUE_TYPE {
            ValueType::DateTime | ValueType::Number | ValueType::Float | ValueType::Decimal => assign(field, value),
            _ => false,
        }
    }
}

/// The fallback of [`MaybeRounded`] for types that stores never round. It leaves the field unchanged.
pub trait NotRounded {
    /// The type of the field.
    type Of;

    /// Leaves the field unchanged and returns `false`.
    #[must_use]
    fn assign(_: &mut Self::Of, _: Value<'static>) -> bool {
        false
    }
}

impl<T> NotRounded for MaybeRounded<T> {
    type Of = T;
}

#[cfg(test)]
mod tests {
    use std::fmt::Debug;

    use jiff::Timestamp;
    use jiff::civil::{Date, date};
    use serde::Deserialize;
    use uuid::Uuid;

    use super::*;

    #[expect(clippy::needless_pass_by_value, reason = "a literal reads better than a reference to one")]
    fn check<T: DeserializeOwned + PartialEq + Debug + 'static>(
        start: T,
        value: impl Into<Value<'static>>,
        expected: Option<T>,
    ) {
        let mut field = start;
        let is_set = assign(&mut field, value.into());
        assert_eq!(is_set.then_some(field), expected);
    }

    #[derive(Deserialize, PartialEq, Debug)]
    #[serde(rename_all = "lowercase")]
    enum Species {
        Cat,
        Dog,
    }

    #[test]
    fn fields_accept_values_of_their_type() {
        let (uuid, time, day) = (Uuid::from_u128(7), Timestamp::UNIX_EPOCH, date(2024, 2, 29));
        check(Uuid::nil(), uuid, Some(uuid));
        check(None, uuid, Some(Some(uuid)));
        check(String::new(), uuid, Some(uuid.to_string()));
        check(Timestamp::MAX, time, Some(time));
        check(None, time, Some(Some(time)));
        check(Date::ZERO, day, Some(day));
        check(0_i64, i64::MAX, Some(i64::MAX));
        check(0_u64, u64::MAX, Some(u64::MAX));
        check(0_i64, u64::MAX, None);
        check(0_i32, i64::MAX, None);
        check(Some(7_i32), Value::Null, Some(None));
        check(7_i32, Value::Null, None);
        check(0.0, 1.5, Some(1.5));
        check(false, true, Some(true));
        check(Species::Cat, "dog", Some(Species::Dog));
        check(Species::Cat, "bird", None);
        check(String::new(), "Rex", Some("Rex".to_owned()));
        check(0_i64, "Rex", None);
        check(Uuid::nil(), "Rex", None);
    }
}
