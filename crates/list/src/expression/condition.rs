//! [`Condition`]: one field compared.

use std::borrow::Cow;

use super::Comparison;
use crate::record::Record;
use crate::value::Value;

/// A field and how it is compared.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    /// The name of the field.
    pub field: Cow<'static, str>,
    /// The operator with what it was given.
    pub comparison: Comparison<Value<'static>>,
}

impl Condition {
    /// A condition.
    #[must_use]
    pub fn new(field: impl Into<Cow<'static, str>>, comparison: Comparison<Value<'static>>) -> Self {
        Self { field: field.into(), comparison }
    }

    /// Whether it holds for a record.
    #[must_use]
    pub fn holds(&self, record: &(impl Record + ?Sized)) -> bool {
        self.comparison.holds(&record.value(&self.field))
    }
}
