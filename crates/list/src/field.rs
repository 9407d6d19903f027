//! [`Field`]: a field of a record that the compiler knows.

use std::fmt;
use std::marker::PhantomData;

use crate::expression::{Comparison, Expression, SearchText};
use crate::record::Record;
use crate::value::{FieldValue, Value};

/// A field of a [`Record`], by which a service makes conditions whose names and types the compiler checks.
///
/// The derive of [`Record`] writes the fields of a struct as [`RecordFields::FIELDS`]:
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

/// A [`Record`] whose fields the compiler knows: one with `#[derive(Record)]` and without type parameters.
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
    /// A struct with a [`Field`] for each field of the record, under the name that the field has in Rust.
    type Fields;

    /// The fields. Those of a flattened struct are that struct's.
    const FIELDS: Self::Fields;
}

/// A value that a field of the type `T` can be compared with: one of the type, that of an `Option`, or a `&str` for a `String`.
#[diagnostic::on_unimplemented(
    message = "a field of the type `{T}` cannot be compared with `{Self}`",
    label = "neither a value of the field's type nor of the type in its `Option`"
)]
pub trait FieldOperand<T> {
    /// Returns the value, as expressions compare it.
    fn into_operand(self) -> Value<'static>;
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
    /// Creates a field with this name, by which the record has it.
    #[must_use]
    pub const fn new(name: &'static str) -> Self {
        Self { name, value: PhantomData }
    }

    /// Returns the name.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the condition that the field equals the value.
    #[must_use]
    pub fn eq(&self, value: impl FieldOperand<T>) -> Expression {
        self.condition(Comparison::Eq(value.into_operand()))
    }

    /// Returns the condition that the field does not equal the value; null does not.
    #[must_use]
    pub fn ne(&self, value: impl FieldOperand<T>) -> Expression {
        self.condition(Comparison::Ne(value.into_operand()))
    }

    /// Returns the condition that the field equals one of the values.
    #[must_use]
    pub fn one_of<V: FieldOperand<T>>(&self, values: impl IntoIterator<Item = V>) -> Expression {
        self.condition(Comparison::In(values.into_iter().map(V::into_operand).collect()))
    }

    /// Returns the condition that the field is above the value.
    #[must_use]
    pub fn gt(&self, value: impl FieldOperand<T>) -> Expression {
        self.condition(Comparison::Gt(value.into_operand()))
    }

    /// Returns the condition that the field is above the value or equals it.
    #[must_use]
    pub fn gte(&self, value: impl FieldOperand<T>) -> Expression {
        self.condition(Comparison::Gte(value.into_operand()))
    }

    /// Returns the condition that the field is below the value.
    #[must_use]
    pub fn lt(&self, value: impl FieldOperand<T>) -> Expression {
        self.condition(Comparison::Lt(value.into_operand()))
    }

    /// Returns the condition that the field is below the value or equals it.
    #[must_use]
    pub fn lte(&self, value: impl FieldOperand<T>) -> Expression {
        self.condition(Comparison::Lte(value.into_operand()))
    }

    /// Returns the condition that the field is from the first value to the second, both included.
    #[must_use]
    pub fn between(&self, low: impl FieldOperand<T>, high: impl FieldOperand<T>) -> Expression {
        self.condition(Comparison::Between(low.into_operand(), high.into_operand()))
    }

    /// Returns the condition that the field contains the text, ignoring case; it holds for texts alone.
    #[must_use]
    pub fn contains(&self, text: impl Into<String>) -> Expression {
        self.condition(Comparison::Contains(SearchText::new(text)))
    }

    /// Returns the condition that the field starts with the text, ignoring case; it holds for texts alone.
    #[must_use]
    pub fn starts_with(&self, text: impl Into<String>) -> Expression {
        self.condition(Comparison::StartsWith(SearchText::new(text)))
    }

    /// Returns the condition that the field ends with the text, ignoring case; it holds for texts alone.
    #[must_use]
    pub fn ends_with(&self, text: impl Into<String>) -> Expression {
        self.condition(Comparison::EndsWith(SearchText::new(text)))
    }

    /// Returns the condition that the field is null, or is not.
    #[must_use]
    pub fn is_null(&self, wanted: bool) -> Expression {
        self.condition(Comparison::IsNull(wanted))
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
