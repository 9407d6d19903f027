//! Defines the constraints `min_properties` and `max_properties` of objects and maps.

use serde_json::{Map, Value};

use crate::code::Code;
use crate::constraint::{Constraint, ConstraintError, conflict};
use crate::pending_violation::{PendingViolation, ViolationSink, counted};

pub(in crate::shape) const TAKES: &[&str] = &["min_properties", "max_properties"];

#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::shape) struct PropertyCount {
    min: Option<usize>,
    max: Option<usize>,
}

impl PropertyCount {
    pub(in crate::shape) fn constrain(&mut self, constraint: &Constraint) -> Result<(), ConstraintError> {
        match constraint {
            Constraint::MinProperties(count) => self.min = Some(*count),
            Constraint::MaxProperties(count) => self.max = Some(*count),
            _ => return Err(ConstraintError::Misfit),
        }
        Ok(())
    }

    pub(in crate::shape) fn conflicts(&self) -> Vec<String> {
        conflict(("min_properties", self.min), ("max_properties", self.max)).into_iter().collect()
    }

    #[inline]
    pub(in crate::shape) fn check<S: ViolationSink>(&self, count: usize, sink: &mut S) {
        if let Some(min) = self.min
            && count < min
        {
            sink.report(|| {
                PendingViolation::new(
                    Code::MIN_PROPERTIES,
                    format!("must have at least {}", counted(min, "property", "properties")),
                )
                .param("min_properties", min)
            });
        }
        if let Some(max) = self.max
            && count > max
        {
            sink.report(|| {
                PendingViolation::new(
                    Code::MAX_PROPERTIES,
                    format!("must have at most {}", counted(max, "property", "properties")),
                )
                .param("max_properties", max)
            });
        }
    }

    pub(in crate::shape) fn publish(&self, schema: &mut Map<String, Value>) {
        if let Some(min) = self.min {
            schema.insert("minProperties".to_owned(), min.into());
        }
        if let Some(max) = self.max {
            schema.insert("maxProperties".to_owned(), max.into());
        }
    }
}
