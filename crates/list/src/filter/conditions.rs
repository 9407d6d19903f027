//! Defines [`Conditions`], the parsed filter conditions of one request.

use restwright_core::problem::{RequestViolations, ViolationLocation};
use restwright_core::schema::{Checks, Code, Schema, Violation, Violations, pointer_to};
use serde::de::DeserializeOwned;
use serde_json::Value as Json;

use super::{Filter, FilterCondition};
use crate::expression::{Comparison, Condition, Expression};
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
                    violations.push(ViolationLocation::Query, unreadable(&name, &error));
                }
            }
        }
        if refused { None } else { Some(Filter { given }) }
    }

    /// Converts the conditions to an expression. `fields` contains the name and the check of each field, in the order of the declared
    /// [`FilterFields`](super::FilterFields).
    ///
    /// Returns `None` if the type of a field rejects an operand, and adds the same violations as [`take`](Self::take). Fields that are
    /// [added](crate::AddedFields) to the operation are not in the expression.
    ///
    /// ```
    /// use restwright_core::RequestHead;
    /// use restwright_core::problem::RequestViolations;
    /// use restwright_list::{Expression, FilterPlan, check_operand};
    ///
    /// fn read(plan: &FilterPlan, head: &RequestHead<'_>, violations: &mut RequestViolations) -> Option<Expression> {
    ///     plan.read(head, violations)?.expression(&[("name", check_operand::<String>)], violations)
    /// }
    /// ```
    pub fn expression(
        mut self,
        fields: &[(&'static str, CheckOperand)],
        violations: &mut RequestViolations,
    ) -> Option<Expression> {
        let mut conditions = Vec::with_capacity(self.list.len());
        let mut refused = false;
        for (index, (field, check)) in fields.iter().enumerate() {
            for read in self.of(index) {
                match read.check(*check, violations.remaining()) {
                    Ok(found) if found.is_empty() => {
                        conditions.push(Condition::new(*field, read.untyped).into());
                    }
                    Ok(found) => {
                        refused = true;
                        violations.extend(ViolationLocation::Query, &pointer_to(&read.name), found);
                    }
                    Err(error) => {
                        refused = true;
                        violations.push(ViolationLocation::Query, unreadable(&read.name, &error));
                    }
                }
            }
        }
        if refused { None } else { Some(Expression::All(conditions)) }
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

/// Checks that a Rust type can contain an operand. Runs the custom checks of the type if the checks are given.
///
/// # Errors
/// The type rejects the operand.
pub type CheckOperand = fn(&Json, Option<&mut Checks<'_>>) -> Result<(), serde_json::Error>;

/// Checks that the type `T` can contain an operand. See [`CheckOperand`].
///
/// # Errors
/// The type rejects the operand.
pub fn check_operand<T: Schema + DeserializeOwned>(
    json: &Json,
    checks: Option<&mut Checks<'_>>,
) -> Result<(), serde_json::Error> {
    let operand = T::deserialize(json)?;
    if let Some(checks) = checks {
        operand.run_checks(checks);
    }
    Ok(())
}

impl ReadCondition {
    /// Checks the operands. Returns the violations of custom checks, which apply to whole values.
    fn check(&self, check: CheckOperand, limit: usize) -> Result<Violations, serde_json::Error> {
        let is_whole = self.json.operator().compares_whole_values();
        let mut found = Violations::with_limit(limit);
        for operand in self.json.values() {
            check(operand, is_whole.then_some(&mut Checks::new(&mut found)))?;
        }
        Ok(found)
    }
}

/// Returns the violation of a condition whose operand a type rejects.
#[cold]
fn unreadable(name: &str, error: &serde_json::Error) -> Violation {
    let message = format!("cannot be read: {}", shown(&error.to_string()));
    Violation::new(pointer_to(name), Code::UNREADABLE, message)
}

/// Runs the custom checks of the type `T` on the operands of `eq`, `ne` and `in`.
fn check<T: Schema>(comparison: &Comparison<T>, limit: usize) -> Result<(), Violations> {
    let mut found = Violations::with_limit(limit);
    if comparison.operator().compares_whole_values() {
        comparison.map(|value| value.run_checks(&mut Checks::new(&mut found)));
    }
    found.into_result()
}
