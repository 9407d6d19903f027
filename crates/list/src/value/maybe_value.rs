//! [`MaybeValue`]: the value of a type that may be none.

use std::marker::PhantomData;

use super::{FieldValue, Value, ValueType};

/// The value of a type that may be no [`FieldValue`], for generated code, which has the name of a type and not its traits.
///
/// With [`NoValue`] in scope, a path through this type is that of the value where the type has one, and that of `NoValue` elsewhere. The type
/// has to be written out: a type parameter without the bound has no value.
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

/// The constant and the function of [`MaybeValue`] for a type that is no [`FieldValue`].
pub trait NoValue {
    /// The type, of which there are no values.
    type Of: ?Sized;

    /// There is no type of values.
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
