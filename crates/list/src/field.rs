//! Defines [`Field`], a typed field of a record.

use std::fmt;
use std::marker::PhantomData;

use crate::expression::{Comparison, Expression, Related, SearchText};
use crate::record::Record;
use crate::value::{FieldValue, Value};

/// A typed field of a [`Record`]. Its methods create conditions, and the compiler checks their names and types.
///
/// `#[derive(Record)]` generates the fields of a struct as [`RecordFields::FIELDS`]:
///
/// ```
/// use restwright_list::{Comparison, Expression, Field};
///
/// let weight_kg: Field<Option<f64>> = Field::new("weight_kg");
/// assert_eq!(weight_kg.gte(4.5), Expression::condition("weight_kg", Comparison::Gte(4.5.into())));
/// ```
pub struct Field<T> {
    name: &'static str,
    value: PhantomData<fn() -> T>,
}

/// A [`Record`] with typed fields. `#[derive(Record)]` implements it for structs without type parameters.
///
/// ```
/// use restwright_list::{Field, Record, RecordFields, Value};
///
/// struct Pet {
///     name: String,
/// }
/// # impl Record for Pet {
/// #     fn has_field(field: &str) -> bool { field == "name" }
/// #     fn value(&self, _: &str) -> Value<'_> { Value::from(&self.name) }
/// # }
///
/// // What the derive writes:
/// struct PetFields {
///     name: Field<String>,
/// }
///
/// impl RecordFields for Pet {
///     type Fields = PetFields;
///     const FIELDS: PetFields = PetFields { name: Field::new("name") };
/// }
///
/// let condition = Pet::FIELDS.name.eq("Rex").or(Pet::FIELDS.name.starts_with("a"));
/// assert!(condition.holds(&Pet { name: "Ada".to_owned() }));
/// ```
pub trait RecordFields: Record {
    /// A struct with one [`Field`] per field of the record. Its fields have the same Rust names.
    type Fields;

    /// The typed fields of the record. A flattened struct is a nested struct with its own `FIELDS`.
    const FIELDS: Self::Fields;
}

/// A value that can be compared with a field of type `T`. It is a `T`, the inner type of an `Option`, or a `&str` for a
/// `String`.
#[diagnostic::on_unimplemented(
    message = "a field of the type `{T}` cannot be compared with `{Self}`",
    label = "must be a value of the field's type, or of the type in its `Option`"
)]
pub trait FieldOperand<T>: sealed::Sealed<T> {
    /// Converts the value to a [`Value`] for an expression.
    fn into_operand(self) -> Value<'static>;
}

/// A field type that can be compared for equality with the field type `U`. The types must be equal, apart from
/// `Option`.
#[diagnostic::on_unimplemented(
    message = "a field of the type `{Self}` cannot equal a field of the type `{U}`",
    label = "both fields must have the same type, apart from `Option`"
)]
pub trait SameValue<U>: sealed::SealedSame<U> {}

impl<T: sealed::SealedSame<U>, U> SameValue<U> for T {}

mod sealed {
    pub trait SealedSame<U> {}
    impl<T> SealedSame<T> for T {}
    impl<T> SealedSame<Option<T>> for T {}
    impl<T> SealedSame<T> for Option<T> {}

    pub trait Sealed<T> {}
    impl<T: super::FieldValue> Sealed<T> for T {}
    impl<T: super::FieldValue> Sealed<Option<T>> for T {}
    impl Sealed<String> for &str {}
    impl Sealed<Option<String>> for &str {}
}

impl<T: FieldValue> FieldOperand<T> for T {
    fn into_operand(self) -> Value<'static> {
        self.to_value().into_owned()
    }
}

impl<T: FieldValue> FieldOperand<Option<T>> for T {
    fn into_operand(self) -> Value<'static> {
        self.to_value().into_owned()
    }
}

impl FieldOperand<String> for &str {
    fn into_operand(self) -> Value<'static> {
        self.to_value().into_owned()
    }
}

impl FieldOperand<Option<String>> for &str {
    fn into_operand(self) -> Value<'static> {
        self.to_value().into_owned()
    }
}

impl<T> Field<T> {
    /// Creates a field with this name. `name` is the name that [`Record::value`] accepts.
    #[must_use]
    pub const fn new(name: &'static str) -> Self {
        Self { name, value: PhantomData }
    }

    /// Returns the name of the field in the record.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the condition that the field equals the value.
    #[must_use]
    pub fn eq(&self, value: impl FieldOperand<T>) -> Expression {
        self.condition(Comparison::Eq(value.into_operand()))
    }

    /// Returns the condition that the field does not equal the value, or is null.
    #[must_use]
    pub fn ne(&self, value: impl FieldOperand<T>) -> Expression {
        self.condition(Comparison::Ne(value.into_operand()))
    }

    /// Returns the condition that the field equals one of the values.
    #[must_use]
    pub fn one_of<V: FieldOperand<T>>(&self, values: impl IntoIterator<Item = V>) -> Expression {
        self.condition(Comparison::In(values.into_iter().map(V::into_operand).collect()))
    }

    /// Returns the condition that the field is greater than the value.
    #[must_use]
    pub fn gt(&self, value: impl FieldOperand<T>) -> Expression {
        self.condition(Comparison::Gt(value.into_operand()))
    }

    /// Returns the condition that the field is greater than or equal to the value.
    #[must_use]
    pub fn gte(&self, value: impl FieldOperand<T>) -> Expression {
        self.condition(Comparison::Gte(value.into_operand()))
    }

    /// Returns the condition that the field is less than the value.
    #[must_use]
    pub fn lt(&self, value: impl FieldOperand<T>) -> Expression {
        self.condition(Comparison::Lt(value.into_operand()))
    }

    /// Returns the condition that the field is less than or equal to the value.
    #[must_use]
    pub fn lte(&self, value: impl FieldOperand<T>) -> Expression {
        self.condition(Comparison::Lte(value.into_operand()))
    }

    /// Returns the condition `low <= field <= high`.
    #[must_use]
    pub fn between(&self, low: impl FieldOperand<T>, high: impl FieldOperand<T>) -> Expression {
        self.condition(Comparison::Between(low.into_operand(), high.into_operand()))
    }

    /// Returns the condition that the field contains the string, ignoring case. It holds only for strings.
    #[must_use]
    pub fn contains(&self, text: impl Into<String>) -> Expression {
        self.condition(Comparison::Contains(SearchText::new(text)))
    }

    /// Returns the condition that the field starts with the string, ignoring case. It holds only for strings.
    #[must_use]
    pub fn starts_with(&self, text: impl Into<String>) -> Expression {
        self.condition(Comparison::StartsWith(SearchText::new(text)))
    }

    /// Returns the condition that the field ends with the string, ignoring case. It holds only for strings.
    #[must_use]
    pub fn ends_with(&self, text: impl Into<String>) -> Expression {
        self.condition(Comparison::EndsWith(SearchText::new(text)))
    }

    /// Returns the condition that the field is null (if `wanted` is `true`) or not null (if it is `false`).
    #[must_use]
    pub fn is_null(&self, wanted: bool) -> Expression {
        self.condition(Comparison::IsNull(wanted))
    }

    /// Creates the condition that this field of a related record equals `field` of the original record. Use it in an
    /// [`Exists`](crate::Exists). Null does not equal null.
    pub fn same_as<U>(&self, field: Field<U>) -> Related
    where
        T: SameValue<U>,
    {
        Related::same(self.name, field.name)
    }

    fn condition(&self, comparison: Comparison<Value<'static>>) -> Expression {
        Expression::condition(self.name, comparison)
    }
}

impl<T> Clone for Field<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Field<T> {}

impl<T> fmt::Debug for Field<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Field").field(&self.name).finish()
    }
}
