//! Methods of [`EntityStore`] for entities that stay in the store after a delete.

use std::error::Error;

use restwright_core::Result;
use restwright_list::Value;

use crate::endpoints::{EntityStore, Resource};
use crate::entity::Versioned;
use crate::store::{StoreError, repeat};

impl<T: Resource> EntityStore<'_, T> {
    /// Includes [deleted](crate::FieldDefinition::deleted_at) entities in all following operations.
    #[must_use]
    pub fn with_deleted(mut self) -> Self {
        self.sees_deleted = true;
        self
    }

    /// Restores a [deleted](crate::FieldDefinition::deleted_at) entity and sets its update time to the current time. Entities that the same
    /// delete removed by cascade stay deleted. After a concurrent change of the entity, it is restored from its new state.
    ///
    #[cfg_attr(not(doctest), doc = include_str!("../../doc_examples/entity_store_restore.md"))]
    ///
    /// # Errors
    /// 404 if the scope contains no deleted entity with this identifier. 409 if another entity now has one of its unique values. 422 if it
    /// refers to an entity that no longer exists. 403 if a policy forbids the change.
    pub async fn restore(&mut self, id: &T::Id) -> Result<T> {
        let saw_deleted = std::mem::replace(&mut self.sees_deleted, true);
        // A conflict ends the transaction, which then runs again as a whole.
        let (store, is_alone) = (self.store, self.transaction.is_none());
        let retries = |error: &(dyn Error + 'static)| is_alone && store.retries(error);
        let restored = repeat(retries, None, async |_| self.restore_deleted(id).await, |problem| problem).await;
        self.sees_deleted = saw_deleted;
        restored
    }

    async fn restore_deleted(&mut self, id: &T::Id) -> Result<T> {
        let found = self.find(id).await?.filter(|found| self.definition.is_deleted(&found.entity));
        let Some(Versioned { mut entity, version }) = found else { return self.checked(Err(StoreError::NotFound)) };
        if let Some(field) = self.definition.deletion_field().map(|field| field.name().to_owned()) {
            let set = self.statement()?.set_in(&mut entity, &field, Value::Null);
            self.checked(set)?;
        }
        self.update(entity, Some(version)).await
    }
}
