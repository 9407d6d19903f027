//! Defines [`Conditions`], the parsed filter conditions of one request.

use restwright_core::problem::{RequestViolations, ViolationLocation};
use restwright_core::schema::{Checks, Code, Schema, Violation, Violations, pointer_to};
use serde::de::DeserializeOwned;
use serde_json::Value as Json;

use super::{Filter, FilterCondition};
use crate::expression::Comparison;
use crate::shown::shown;
use crate::value::Value;

/// The parsed filter conditions of one request. [`take`](Self::take) removes the conditions of one field.
#[derive(Clone, Debug)]
pub struct Conditions {
    pub(super) list: Vec<ReadCondition>,
}

#[derive(Clone, Debug)]
pub(super) struct ReadCondition {
    pub(super) field: usize,
    /// The name of the query parameter that contains the condition, as the client sent it. If several parameters
    /// contain the condition, this is the name of the first.
    pub(super) name: String,
    pub(super) json: Comparison<Json>,
    pub(super) untyped: Comparison<Value<'static>>,
    pub(super) raw: String,
}

impl Conditions {
    /// Removes and returns the conditions of one field. `field` is its index in the declared
    /// [`FilterFields`](super::FilterFields).
    ///
    /// Returns `None` and adds violations if the type `T` rejects an operand, or if its custom checks reject an operand
    /// of `eq`, `ne` or `in`.
    pub fn take<T: Schema + DeserializeOwned>(
        &mut self,
        field: usize,
        violations: &mut RequestViolations,
    ) -> Option<Filter<T>> {
        let mut given = Vec::new();
        let mut refused = false;
        for ReadCondition { name, json, untyped, raw, .. } in self.of(field) {
            let limit = violations.remaining();
            match json.try_map(|json| T::deserialize(json)) {
                Ok(comparison) => match check(&comparison, limit) {
                    Ok(()) => given.push(FilterCondition { comparison, untyped, raw }),
                    Err(found) => {
                        refused = true;
                        violations.extend(ViolationLocation::Query, &pointer_to(&name), found);
                    }
                },
                Err(error) => {
                    refused = true;
                    let message = format!("cannot be read: {}", shown(&error.to_string()));
                    violations
                        .push(ViolationLocation::Query, Violation::new(pointer_to(&name), Code::UNREADABLE, message));
                }
            }
        }
        if refused { None } else { Some(Filter { given }) }
    }

    /// Removes and returns the conditions of a field that is declared at run time.
    pub(super) fn take_values(&mut self, field: usize) -> Filter<Value<'static>> {
        let given = self.of(field).map(|read| FilterCondition {
            comparison: read.untyped.clone(),
            untyped: read.untyped,
            raw: read.raw,
        });
        Filter { given: given.collect() }
    }

    /// Returns the comparisons, each with the index of its field.
    #[cfg(feature = "cursor")]
    pub(crate) fn iter(&self) -> impl Iterator<Item = (usize, &Comparison<Value<'static>>)> {
        self.list.iter().map(|read| (read.field, &read.untyped))
    }

    fn of(&mut self, field: usize) -> impl Iterator<Item = ReadCondition> {
        self.list.extract_if(.., move |read| read.field == field)
    }
}

/// Runs the custom checks of the type `T` on the operands of `eq`, `ne` and `in`.
fn check<T: Schema>(comparison: &Comparison<T>, limit: usize) -> Result<(), Violations> {
    let mut found = Violations::with_limit(limit);
    if comparison.operator().compares_whole_values() {
        comparison.map(|value| value.run_checks(&mut Checks::new(&mut found)));
    }
    found.into_result()
}
