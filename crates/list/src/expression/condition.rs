//! Defines [`Condition`], a comparison of one field.

use std::borrow::Cow;

use super::Comparison;
use crate::record::Record;
use crate::value::Value;

/// A field and a comparison that the field must satisfy.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    field: Cow<'static, str>,
    comparison: Comparison<Value<'static>>,
}

impl Condition {
    /// Creates a condition on the field with this name.
    #[must_use]
    pub fn new(field: impl Into<Cow<'static, str>>, comparison: Comparison<Value<'static>>) -> Self {
        Self { field: field.into(), comparison }
    }

    /// Returns the name of the field.
    #[must_use]
    pub fn field(&self) -> &str {
        &self.field
    }

    /// Returns the operator and its operands.
    #[must_use]
    pub fn comparison(&self) -> &Comparison<Value<'static>> {
        &self.comparison
    }

    /// Returns `true` if a record satisfies the condition.
    #[must_use]
    pub fn holds(&self, record: &(impl Record + ?Sized)) -> bool {
        self.comparison.holds(&record.value(&self.field))
    }
}
