//! Checks of the changes through an [`EntityStore`].

use std::marker::PhantomData;

use jiff::Timestamp;
use restwright_core::Result;
use restwright_list::Value;

use super::entity_store::Viewer;
use crate::endpoints::caller::row_rules::{self, Gate};
use crate::endpoints::{EntityStore, Resource};
use crate::entity::{Entity, Version};
use crate::store::{StoreError, Transaction};

impl<'s, T: Resource> EntityStore<'s, T> {
    /// Returns `true` if a write for a caller must check the stored entity too.
    pub(super) fn checks_stored(&self) -> bool {
        matches!(self.viewer, Viewer::Caller(_)) && row_rules::checks_stored(self.store, &self.definition)
    }

    /// Returns `true` if a write needs a transaction, so a failed check of the stored entity changes nothing.
    pub(super) fn needs_transaction(&self) -> bool {
        self.transaction.is_none() && self.checks_stored()
    }

    /// Returns the accessor for the same caller within a transaction.
    pub(super) fn caller_within<'t>(&self, transaction: &'t mut Transaction) -> EntityStore<'t, T>
    where
        's: 't,
    {
        let viewer = match &self.viewer {
            Viewer::Caller(caller) => Viewer::Caller(caller.clone()),
            Viewer::Unstated => Viewer::Unstated,
            Viewer::Unrestricted => Viewer::Unrestricted,
        };
        EntityStore {
            store: self.store,
            definition: self.definition.clone(),
            shapes: self.shapes.clone(),
            name: self.name.clone(),
            scope: self.scope.clone(),
            coverage: self.coverage,
            transaction: Some(transaction),
            now: self.now,
            viewer,
            sees_deleted: self.sees_deleted,
            entity: PhantomData,
        }
    }

    /// Checks that the caller may change an entity to `after`, or delete the entity if `after` is `None`. Returns the version that was
    /// checked.
    pub(super) async fn check_change(
        &mut self,
        id: &Value<'_>,
        expected: Option<Version>,
        after: Option<(&mut T, Timestamp)>,
    ) -> Result<Option<Version>> {
        if !matches!(self.viewer, Viewer::Caller(_)) {
            // A delete stores no references.
            after.map_or(Ok(()), |_| self.check_stated())?;
            return Ok(expected);
        }
        if !row_rules::needs_before(self.store, &self.definition) {
            return Ok(expected);
        }
        let Some(found) = self.find_stored(id).await? else { return self.checked(Err(StoreError::NotFound)) };
        if expected.is_some_and(|expected| expected != found.version) {
            return self.checked(Err(StoreError::StaleVersion));
        }
        if let Some((gate, transaction)) = self.gate() {
            let writable = gate.check_writable(transaction, &found.entity).await;
            writable.map_err(|failure| self.problem(failure))?;
        }
        if let Some((after, now)) = after {
            let stamped = self.statement()?.at(now).stamp(after, false);
            self.checked(stamped)?;
            self.check_result(Some(&found.entity), after).await?;
        }
        Ok(Some(found.version))
    }

    /// Sets the scope and the times of a new entity, and checks that the caller may insert the entity. Does nothing if no caller is set.
    pub(super) async fn check_insert(&mut self, entity: &mut T, now: Timestamp) -> Result<()> {
        if !matches!(self.viewer, Viewer::Caller(_)) {
            return self.check_stated();
        }
        let stamped = self.statement()?.at(now).stamp(entity, true);
        self.checked(stamped)?;
        self.check_result(None, entity).await
    }

    /// Checks that the caller may store the changed entity, and that the caller can see all entities to which the entity refers.
    pub(super) async fn check_result(&mut self, before: Option<&dyn Entity>, after: &T) -> Result<()> {
        let Some((gate, transaction)) = self.gate() else { return Ok(()) };
        let permitted = gate.check_result(transaction, before, after).await;
        permitted.map_err(|failure| self.problem(failure))
    }

    /// Returns the row rules for the caller, and the transaction. Returns `None` if no caller is set.
    pub(super) fn gate(&mut self) -> Option<(Gate<'_>, Option<&mut Transaction>)> {
        let Self { store, definition, scope, name, viewer, transaction, .. } = self;
        let Viewer::Caller(caller) = viewer else { return None };
        Some((Gate { store: *store, definition, scope, caller, name }, transaction.as_deref_mut()))
    }

    /// Returns an error if a policy applies to the entity or to an entity to which it refers, but no caller is set.
    pub(super) fn check_stated(&self) -> Result<()> {
        if matches!(self.viewer, Viewer::Unstated) && row_rules::needs_before(self.store, &self.definition) {
            return Err(self.unstated("refers to entities with a policy"));
        }
        Ok(())
    }
}
