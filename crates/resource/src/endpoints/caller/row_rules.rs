//! Applies row policies, which restrict the entities that a caller can see, change and store.

use std::borrow::Cow;

use restwright_core::Problem;
use restwright_core::auth::Identity;
use restwright_core::problem::catalogue;
use restwright_list::Expression;

use super::problem::Failure;
use super::related::admits;
use crate::definition::EntityDefinition;
use crate::endpoints::declare::info::narrowed;
use crate::endpoints::declare::names::spaced;
use crate::entity::Entity;
use crate::policy::{DeclaredPolicy, Rows};
use crate::store::{Read, Scope, Statement, Store, StoreError, Transaction};

/// The row rules of an entity definition for one caller. Endpoints, includes, batches, exports, hooks and [`EntityStore`](crate::EntityStore)
/// ask it before they read or write an entity.
#[derive(Clone, Copy)]
pub(in crate::endpoints) struct Gate<'g> {
    pub(in crate::endpoints) store: &'g dyn Store,
    pub(in crate::endpoints) definition: &'g EntityDefinition,
    pub(in crate::endpoints) scope: &'g Scope,
    pub(in crate::endpoints) caller: &'g Identity,
    /// The name of the entities in operation ids, such as `ShelterAnimal`, for error messages.
    pub(in crate::endpoints) name: &'g str,
}

/// The optional transaction in which a policy reads entities.
type Within<'t> = Option<&'t mut Transaction>;

/// Returns the entities of a definition that a caller can see. Returns `None` if the caller can see all entities.
pub(in crate::endpoints) fn visible(
    store: &dyn Store,
    definition: &EntityDefinition,
    caller: &Identity,
) -> Result<Option<Rows>, StoreError> {
    checked(store, definition, definition.row_policy().map(|policy| policy.visible(caller)))
}

impl Gate<'_> {
    /// Restricts a filter to the entities that the caller can see.
    pub(in crate::endpoints) fn restricted<'f>(
        &self,
        filter: &'f Expression,
    ) -> Result<Cow<'f, Expression>, StoreError> {
        Ok(match visible(self.store, self.definition, self.caller)? {
            Some(rows) => Cow::Owned(filter.clone().and(rows.condition().clone())),
            None => Cow::Borrowed(filter),
        })
    }

    /// Returns `true` if the policy lets the caller see an entity.
    pub(in crate::endpoints) async fn sees(
        &self,
        transaction: Within<'_>,
        entity: &dyn Entity,
    ) -> Result<bool, StoreError> {
        match visible(self.store, self.definition, self.caller)? {
            Some(rows) => admits(self.store, transaction, self.definition, &rows, entity).await,
            None => Ok(true),
        }
    }

    /// Checks that the policy lets the caller change or delete a visible entity.
    pub(in crate::endpoints) async fn check_writable(
        &self,
        transaction: Within<'_>,
        entity: &dyn Entity,
    ) -> Result<(), Failure> {
        let policy = self.definition.row_policy().map(|policy| policy.writable(self.caller));
        let Some(rows) = checked(self.store, self.definition, policy)? else { return Ok(()) };
        if admits(self.store, transaction, self.definition, &rows, entity).await? {
            return Ok(());
        }
        let detail = format!("You may read this {}, but not change or delete it.", spaced(self.name));
        Err(Problem::new(catalogue::FORBIDDEN).detail(detail).detail_key("forbidden.row_policy").into())
    }

    /// Checks that the policy lets the caller store an entity with its new values, and that the caller can see the entities to which it refers.
    /// `before` is the stored entity, if there is one.
    pub(in crate::endpoints) async fn check_result(
        &self,
        mut transaction: Within<'_>,
        before: Option<&dyn Entity>,
        after: &dyn Entity,
    ) -> Result<(), Failure> {
        let policy = self.definition.row_policy().map(|policy| policy.result(self.caller));
        if let Some(rows) = checked(self.store, self.definition, policy)?
            && !admits(self.store, transaction.as_deref_mut(), self.definition, &rows, after).await?
        {
            let detail = format!("You may not store a {} with these values.", spaced(self.name));
            return Err(Problem::new(catalogue::FORBIDDEN)
                .detail(detail)
                .detail_key("forbidden.row_policy_result")
                .into());
        }
        Ok(self.check_references(transaction, before, after).await?)
    }

    /// Checks that the caller can see the entities to which an entity refers. References that did not change since `before` are not checked.
    ///
    /// A reference to a hidden entity fails like a reference to an entity that does not exist.
    async fn check_references(
        &self,
        mut transaction: Within<'_>,
        before: Option<&dyn Entity>,
        after: &dyn Entity,
    ) -> Result<(), StoreError> {
        for field in self.definition.fields() {
            let Some((target, _)) = field.reference() else { continue };
            let value = after.value(field.name());
            if value.is_null() || before.is_some_and(|before| before.value(field.name()) == value) {
                continue;
            }
            let Some(target) = self.store.definition(target).filter(EntityDefinition::has_policy) else { continue };
            let Some(rows) = visible(self.store, &target, self.caller)? else { continue };
            let scope = narrowed(self.scope, &target);
            let statement = Statement::new(&target).scoped(&scope);
            let statement = match transaction.as_deref_mut() {
                Some(transaction) => statement.within(transaction),
                None => statement,
            };
            let read = Read::Exists { identifier: &value, condition: rows.condition() };
            if self.store.read(statement, read).await?.total == 0 {
                return Err(StoreError::MissingReference { field: field.owned_name() });
            }
        }
        Ok(())
    }
}

/// Returns `true` if a change must read the stored entity first. This is the case if the definition, or a definition to which it refers,
/// has a policy.
pub(in crate::endpoints) fn needs_before(store: &dyn Store, definition: &EntityDefinition) -> bool {
    let mut targets = definition.fields().filter_map(|field| store.definition(field.reference()?.0));
    definition.row_policy().is_some() || targets.any(|target| target.has_policy())
}

/// Returns `true` if a write must check the stored entity, because the store may have changed the values that were checked before.
pub(in crate::endpoints) fn checks_stored(store: &dyn Store, definition: &EntityDefinition) -> bool {
    needs_before(store, definition) && store.may_change_values(definition)
}

/// Checks that the condition of a policy uses only fields of the definition, and of the related definitions that the policy declares.
/// Returns `None` if the policy allows all rows.
fn checked(store: &dyn Store, definition: &EntityDefinition, rows: Option<Rows>) -> Result<Option<Rows>, StoreError> {
    let Some(rows) = rows.filter(|rows| !rows.is_all()) else { return Ok(None) };
    let find = |name: &str| {
        let related = definition.row_policy().map(DeclaredPolicy::related).unwrap_or_default();
        related.iter().any(|related| related.name() == name).then(|| store.definition(name)).flatten()
    };
    definition.check_related_condition(rows.condition(), &find)?;
    Ok(Some(rows))
}
