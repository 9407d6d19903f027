//! Applies policies for a caller: the entities that the caller can see, may change and may store.

use std::borrow::Cow;

use restwright_core::Problem;
use restwright_core::auth::Identity;
use restwright_core::problem::catalogue;
use restwright_list::Expression;

use super::info::narrowed;
use super::problem::Failure;
use crate::definition::EntityDefinition;
use crate::entity::Entity;
use crate::policy::Rows;
use crate::store::{Scope, Statement, Store, StoreError};

/// Returns the entities of a definition that a caller can see, or `None` without a restriction.
pub(super) fn visible(definition: &EntityDefinition, caller: &Identity) -> Result<Option<Rows>, StoreError> {
    checked(definition, definition.row_policy().map(|policy| policy.visible(caller)))
}

/// Adds the condition of the policy to a filter.
pub(super) fn with_visible<'f>(
    filter: &'f Expression,
    definition: &EntityDefinition,
    caller: &Identity,
) -> Result<Cow<'f, Expression>, StoreError> {
    Ok(match visible(definition, caller)? {
        Some(rows) => Cow::Owned(filter.clone().and(rows.condition().clone())),
        None => Cow::Borrowed(filter),
    })
}

/// Returns `true` if a caller can see an entity.
pub(super) fn sees(definition: &EntityDefinition, caller: &Identity, entity: &dyn Entity) -> Result<bool, StoreError> {
    Ok(visible(definition, caller)?.is_none_or(|rows| rows.admit(entity)))
}

/// Checks that a caller may change or delete a visible entity.
pub(super) fn check_writable(
    definition: &EntityDefinition,
    caller: &Identity,
    entity: &dyn Entity,
    one: &str,
) -> Result<(), Failure> {
    let writable = checked(definition, definition.row_policy().map(|policy| policy.writable(caller)))?;
    if writable.is_none_or(|rows| rows.admit(entity)) {
        return Ok(());
    }
    let detail = format!("You may read this {one}, but not change or delete it.");
    Err(Problem::new(catalogue::FORBIDDEN).detail(detail).detail_key("forbidden.row_policy").into())
}

/// Checks that a caller may store an entity with these values.
pub(super) fn check_result(
    definition: &EntityDefinition,
    caller: &Identity,
    entity: &dyn Entity,
    one: &str,
) -> Result<(), Failure> {
    let result = checked(definition, definition.row_policy().map(|policy| policy.result(caller)))?;
    if result.is_none_or(|rows| rows.admit(entity)) {
        return Ok(());
    }
    let detail = format!("You may not store a {one} with these values.");
    Err(Problem::new(catalogue::FORBIDDEN).detail(detail).detail_key("forbidden.row_policy_result").into())
}

/// Checks that a caller can see the entities to which an entity refers. References that are equal in `before` are not checked.
///
/// A reference to a hidden entity fails like a reference to an entity that does not exist.
pub(super) async fn check_references<S: Store>(
    store: &S,
    mut transaction: Option<&mut S::Transaction>,
    (definition, scope): (&EntityDefinition, &Scope),
    caller: &Identity,
    before: Option<&dyn Entity>,
    after: &dyn Entity,
) -> Result<(), StoreError> {
    for field in definition.fields() {
        let Some((target, _)) = field.reference() else { continue };
        let value = after.value(field.name());
        if value.is_null() || before.is_some_and(|before| before.value(field.name()) == value) {
            continue;
        }
        let Some(target) = store.definition(target).filter(EntityDefinition::has_policy) else { continue };
        let Some(rows) = visible(&target, caller)? else { continue };
        let scope = narrowed(scope, &target);
        let statement = Statement::new(&target).scoped(&scope);
        let statement = match transaction.as_deref_mut() {
            Some(transaction) => statement.within(transaction),
            None => statement,
        };
        if !store.exists(statement, &value, rows.condition()).await? {
            return Err(StoreError::MissingReference { field: field.owned_name() });
        }
    }
    Ok(())
}

/// Returns `true` if the policy of the entity, or of an entity to which it refers, requires the stored entity for a change.
pub(super) fn needs_before<S: Store>(store: &S, definition: &EntityDefinition) -> bool {
    let mut targets = definition.fields().filter_map(|field| store.definition(field.reference()?.0));
    definition.has_policy() || targets.any(|target| target.has_policy())
}

/// Checks that a policy compares only fields of the definition. Returns `None` for all rows.
fn checked(definition: &EntityDefinition, rows: Option<Rows>) -> Result<Option<Rows>, StoreError> {
    let Some(rows) = rows.filter(|rows| !rows.is_all()) else { return Ok(None) };
    definition.check_condition(rows.condition())?;
    Ok(Some(rows))
}
