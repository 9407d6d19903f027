//! Defines the array type, with the constraints `min_items`, `max_items` and `unique_items`.

use serde_json::{Map, Value};

use crate::code::Code;
use crate::constraint::{Constraint, ConstraintError, conflict};
use crate::pending_violation::{PendingViolation, ViolationSink, counted};
use crate::shape::schema_object::SchemaObject;

pub(in crate::shape) const TAKES: &[&str] = &["min_items", "max_items", "unique_items"];

#[derive(Clone, Debug, PartialEq)]
pub(in crate::shape) struct ArrayType {
    pub(in crate::shape) items: SchemaObject,
    pub(in crate::shape) rules: ItemRules,
}

impl ArrayType {
    pub(in crate::shape) fn new(items: SchemaObject) -> Self {
        Self { items, rules: ItemRules::default() }
    }

    pub(in crate::shape) fn constrain(&mut self, constraint: &Constraint) -> Result<(), ConstraintError> {
        match constraint {
            Constraint::MinItems(count) => self.rules.min = Some(*count),
            Constraint::MaxItems(count) => self.rules.max = Some(*count),
            Constraint::UniqueItems => self.rules.unique = true,
            _ => return Err(ConstraintError::Misfit),
        }
        Ok(())
    }
}

/// The constraints on the number and the uniqueness of an array's items.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::shape) struct ItemRules {
    min: Option<usize>,
    max: Option<usize>,
    pub(in crate::shape) unique: bool,
}

impl ItemRules {
    pub(in crate::shape) fn exactly(count: usize) -> Self {
        Self { min: Some(count), max: Some(count), unique: false }
    }

    pub(in crate::shape) fn conflicts(&self) -> Vec<String> {
        conflict(("min_items", self.min), ("max_items", self.max)).into_iter().collect()
    }

    #[inline]
    pub(in crate::shape) fn check<S: ViolationSink>(&self, count: usize, sink: &mut S) {
        if let Some(min) = self.min
            && count < min
        {
            sink.report(|| {
                PendingViolation::new(Code::MIN_ITEMS, format!("must have at least {}", counted(min, "item", "items")))
                    .param("min_items", min)
            });
        }
        if let Some(max) = self.max
            && count > max
        {
            sink.report(|| {
                PendingViolation::new(Code::MAX_ITEMS, format!("must have at most {}", counted(max, "item", "items")))
                    .param("max_items", max)
            });
        }
    }

    pub(in crate::shape) fn publish(&self, schema: &mut Map<String, Value>) {
        if let Some(min) = self.min {
            schema.insert("minItems".to_owned(), min.into());
        }
        if let Some(max) = self.max {
            schema.insert("maxItems".to_owned(), max.into());
        }
        if self.unique {
            schema.insert("uniqueItems".to_owned(), true.into());
        }
    }
}
