//! Defines [`MaybeValue`], which reads a field even if its type does not implement [`FieldValue`].

use std::marker::PhantomData;

use super::{FieldValue, Value, ValueType};

/// Reads the value of a field: a value, a list of values, or null if its type does not implement [`FieldValue`]. Generated code uses `MaybeValue`,
/// because a derive macro cannot check which traits a type implements.
///
/// If [`NoValue`] is in scope, `<MaybeValue<T>>::value` uses `FieldValue` if `T` implements it, and otherwise
/// `NoValue`. `T` must be a concrete type: a type parameter without the bound `FieldValue` always uses `NoValue`.
///
/// ```
/// use restwright_list::{MaybeValue, NoValue as _, Value, ValueType};
///
/// assert_eq!(<MaybeValue<Option<i64>>>::VALUE_TYPE, Some(ValueType::Integer));
/// assert_eq!(<MaybeValue<Vec<i64>>>::VALUE_TYPE, None);
/// assert_eq!(<MaybeValue<bool>>::value(&true), Value::Boolean(true));
/// assert_eq!(<MaybeValue<Vec<bool>>>::value(&vec![true]), Value::List(vec![true.into()]));
/// assert_eq!(<MaybeValue<[bool]>>::value(&[true]), Value::Null);
/// ```
#[derive(Debug)]
pub struct MaybeValue<T: ?Sized>(PhantomData<fn(&T)>);

impl<T: FieldValue + ?Sized> MaybeValue<T> {
    /// The [`FieldValue::VALUE_TYPE`] of the type `T`.
    pub const VALUE_TYPE: Option<ValueType> = Some(T::VALUE_TYPE);

    /// `true`, because lists can filter by the value.
    pub const IS_FIELD: bool = true;

    /// Converts a field value with [`FieldValue::to_value`].
    #[must_use]
    pub fn value(of: &T) -> Value<'_> {
        of.to_value()
    }
}

/// A list of values. It has no single [`ValueType`].
impl<T: FieldValue> MaybeValue<Vec<T>> {
    /// Lists have no single type.
    pub const VALUE_TYPE: Option<ValueType> = None;

    /// `true`, because lists can filter by the items.
    pub const IS_FIELD: bool = true;

    /// Converts each item with [`FieldValue::to_value`].
    #[must_use]
    pub fn value(of: &[T]) -> Value<'_> {
        Value::List(of.iter().map(T::to_value).collect())
    }
}

/// A list of values, or null.
impl<T: FieldValue> MaybeValue<Option<Vec<T>>> {
    /// Lists have no single type.
    pub const VALUE_TYPE: Option<ValueType> = None;

    /// `true`, because lists can filter by the items.
    pub const IS_FIELD: bool = true;

    /// Converts each item with [`FieldValue::to_value`]. `None` is null.
    #[must_use]
    pub fn value(of: &Option<Vec<T>>) -> Value<'_> {
        of.as_ref().map_or(Value::Null, |items| Value::List(items.iter().map(T::to_value).collect()))
    }
}

/// The fallback of [`MaybeValue`] for types that do not implement [`FieldValue`].
pub trait NoValue {
    /// The type of the field, which does not implement [`FieldValue`].
    type Of: ?Sized;

    /// Always `None`, because the type does not implement [`FieldValue`].
    const VALUE_TYPE: Option<ValueType> = None;

    /// `false`, because the field is always null.
    const IS_FIELD: bool = false;

    /// Returns null, because the type does not implement [`FieldValue`].
    #[must_use]
    fn value(_: &Self::Of) -> Value<'_> {
        Value::Null
    }
}

impl<T: ?Sized> NoValue for MaybeValue<T> {
    type Of = T;
}
