//! Checks that a store can evaluate the condition of a filter or a policy.

use std::borrow::Cow;

use restwright_list::{Comparison, Exists, Expression};

use super::error::StoreError;
use crate::definition::EntityDefinition;

/// A function that returns the store's definition with the given name.
type Find<'f> = &'f dyn Fn(&str) -> Option<EntityDefinition>;

impl EntityDefinition {
    /// Checks that a store without support for [`Exists`] can evaluate a condition. A store that evaluates [`Exists`] calls
    /// [`check_related_condition`](Self::check_related_condition) instead.
    ///
    /// # Errors
    /// Fails if the condition contains an [`Exists`], a field that the definition does not contain, or a field that contains JSON.
    pub fn check_condition(&self, condition: &Expression) -> Result<(), StoreError> {
        self.check_each(condition, &|exists| {
            Err(StoreError::failed(format!(
                "the store cannot evaluate a condition on related entities of `{}`; it must resolve the condition first",
                exists.related()
            )))
        })
    }

    /// Checks that a store that supports [`Exists`] can evaluate a condition. `find` returns the definitions of the store.
    ///
    /// # Errors
    /// The errors of [`check_condition`](Self::check_condition), and the errors of [`related`](Self::related).
    pub fn check_related_condition(&self, condition: &Expression, find: Find<'_>) -> Result<(), StoreError> {
        self.check_each(condition, &|exists| self.related(exists, find).map(drop))
    }

    /// Returns the definition of the related entities of an [`Exists`] condition, and a copy of the condition that is restricted to the
    /// same scope.
    ///
    /// The copy contains a link for each scope field that both definitions contain, unless the field is already linked.
    ///
    /// # Errors
    /// - The store has no definition of the name.
    /// - A linked field does not exist or holds JSON, or two linked fields have different types.
    /// - The condition on the related entities contains another [`Exists`], or a field that the related definition does not have.
    /// - A scope field of the related definition is neither a scope field of this definition nor linked.
    pub fn related(&self, exists: &Exists, find: Find<'_>) -> Result<(EntityDefinition, Exists), StoreError> {
        let (name, related_name) = (self.name(), exists.related());
        let Some(related) = find(related_name) else {
            return Err(StoreError::failed(format!(
                "the policy of `{name}` looks for entities of `{related_name}`, for which the store has no definition; add its resource to the \
                 Api on the same store, and return its definition from `RowPolicy::related`"
            )));
        };
        related.check_condition(exists.condition())?;
        let mut linked = exists.clone();
        for (related_field, field) in exists.links() {
            related.check_field(related_field)?;
            self.check_field(field)?;
            if related.get(related_field).map(|field| field.value_type())
                != self.get(field).map(|field| field.value_type())
            {
                return Err(StoreError::failed(format!(
                    "the policy of `{name}` compares the field `{field}` with `{related_field}` of `{related_name}`, which has another type"
                )));
            }
        }
        for scope in related.scope_fields() {
            if exists.links().any(|(related_field, _)| related_field == scope.name()) {
                continue;
            }
            if !self.scope_fields().any(|own| own.name() == scope.name() && own.value_type() == scope.value_type()) {
                return Err(StoreError::failed(format!(
                    "the policy of `{name}` looks for entities of `{related_name}` in every `{0}`, which is a scope field of `{related_name}` \
                     only; link it with `same_as`, or add the scope field to `{name}`",
                    scope.name()
                )));
            }
            linked = linked.linked(scope.owned_name(), scope.owned_name());
        }
        Ok((related, linked))
    }

    fn check_each(
        &self,
        condition: &Expression,
        check: &dyn Fn(&Exists) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        match condition {
            Expression::All(several) | Expression::Any(several) => {
                several.iter().try_for_each(|one| self.check_each(one, check))
            }
            Expression::Not(one) => self.check_each(one, check),
            Expression::Condition(condition) if matches!(condition.comparison(), Comparison::Has(_)) => {
                self.check_list(condition.field())
            }
            Expression::Condition(condition) => self.check_field(condition.field()),
            Expression::Exists(exists) => check(exists),
            other => Err(StoreError::failed(format!("stores cannot evaluate the expression {other:?}"))),
        }
    }

    fn check_list(&self, field: &str) -> Result<(), StoreError> {
        match self.get(field) {
            Some(found) if found.item_type().is_some() => Ok(()),
            _ => Err(StoreError::failed(format!(
                "a filter or a policy uses `has` on the field `{field}` of `{}`, which is not a list of single values; declare its items with \
                 `FieldDefinition::items`",
                self.name()
            ))),
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

/// Replaces each [`Exists`] in a condition with the result of a function.
pub(crate) fn replace_exists<'e, E>(
    condition: &'e Expression,
    replace: &mut dyn FnMut(&Exists) -> Result<Expression, E>,
) -> Result<Cow<'e, Expression>, E> {
    if condition.first_exists().is_none() {
        return Ok(Cow::Borrowed(condition));
    }
    let mut each = |several: &[Expression]| {
        several.iter().map(|one| replace_exists(one, replace).map(Cow::into_owned)).collect::<Result<Vec<_>, E>>()
    };
    Ok(Cow::Owned(match condition {
        Expression::All(several) => Expression::All(each(several)?),
        Expression::Any(several) => Expression::Any(each(several)?),
        Expression::Not(one) => !replace_exists(one, replace)?.into_owned(),
        Expression::Exists(exists) => replace(exists)?,
        other => other.clone(),
    }))
}
