//! [`EntityDefinition::check_condition`], which checks that a store can evaluate a condition.

use restwright_list::Expression;

use super::error::StoreError;
use crate::definition::EntityDefinition;

impl EntityDefinition {
    /// Checks that a store can evaluate a condition.
    ///
    /// # Errors
    /// Fails if the condition compares a field that the definition does not contain, or a field that contains JSON.
    pub fn check_condition(&self, condition: &Expression) -> Result<(), StoreError> {
        match condition {
            Expression::All(several) | Expression::Any(several) => {
                several.iter().try_for_each(|one| self.check_condition(one))
            }
            Expression::Not(one) => self.check_condition(one),
            Expression::Condition(condition) => self.check_field(condition.field()),
            other => Err(StoreError::failed(format!("stores cannot evaluate the expression {other:?}"))),
        }
    }

    pub(crate) fn check_field(&self, field: &str) -> Result<(), StoreError> {
        match self.get(field) {
            Some(found) if found.is_single() => Ok(()),
            Some(_) => Err(StoreError::failed(format!(
                "a filter, a policy or the order names the field `{field}` of `{}`, which holds JSON; filter and sort by fields with single values",
                self.name()
            ))),
            None => Err(StoreError::failed(format!(
                "a filter, a policy or the order names the field `{field}`, which `{}` does not have; add it to the definition",
                self.name()
            ))),
        }
    }
}
