//! [`MaybeValue`]: the value of a type that may not be a field value.

use std::marker::PhantomData;

use super::{FieldValue, Value, ValueType};

/// The value of a type that may not implement [`FieldValue`]. It is for generated code, which knows the name of a type
/// but not its traits.
///
/// With [`NoValue`] in scope, a path through this type resolves to the real value if the type has one, and otherwise to
/// `NoValue`. Write the type out: a type parameter without the bound has no value.
///
/// ```
/// use restwright_list::{MaybeValue, NoValue as _, Value, ValueType};
///
/// assert_eq!(<MaybeValue<Option<i64>>>::VALUE_TYPE, Some(ValueType::Integer));
/// assert_eq!(<MaybeValue<Vec<i64>>>::VALUE_TYPE, None);
/// assert_eq!(<MaybeValue<bool>>::value(&true), Value::Boolean(true));
/// assert_eq!(<MaybeValue<Vec<bool>>>::value(&vec![true]), Value::Null);
/// ```
#[derive(Debug)]
pub struct MaybeValue<T: ?Sized>(PhantomData<fn(&T)>);

impl<T: FieldValue + ?Sized> MaybeValue<T> {
    /// The type of the values.
    pub const VALUE_TYPE: Option<ValueType> = Some(T::VALUE_TYPE);

    /// Returns the value.
    #[must_use]
    pub fn value(of: &T) -> Value<'_> {
        of.to_value()
    }
}

/// The fallback of [`MaybeValue`] for types that do not implement [`FieldValue`].
pub trait NoValue {
    /// The type that has no values.
    type Of: ?Sized;

    /// Always `None`.
    const VALUE_TYPE: Option<ValueType> = None;

    /// Returns null.
    #[must_use]
    fn value(_: &Self::Of) -> Value<'_> {
        Value::Null
    }
}

impl<T: ?Sized> NoValue for MaybeValue<T> {
    type Of = T;
}
