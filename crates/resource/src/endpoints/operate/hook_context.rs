//! Defines [`HookContext`], the context in which a hook runs.

use std::fmt;

use jiff::Timestamp;
use restwright_core::Result;
use restwright_core::auth::Identity;
use restwright_core::http::{HeaderMap, Method};

use crate::endpoints::Resource;
use crate::endpoints::accessor::entity_store::EntityStore;
use crate::endpoints::caller::call::{Call, Head};
use crate::store::{Scope, Store, Transaction};

/// The context in which a hook runs. It contains the caller, the request head, and the store within the transaction of the operation.
pub struct HookContext<'c> {
    pub(super) store: &'c dyn Store,
    pub(super) transaction: &'c mut Transaction,
    pub(super) call: &'c Call,
    pub(super) head: &'c Head,
}

impl HookContext<'_> {
    /// Returns the caller of the operation.
    #[must_use]
    pub fn identity(&self) -> &Identity {
        &self.call.identity
    }

    /// Returns the method of the request.
    #[must_use]
    pub fn method(&self) -> &Method {
        &self.head.method
    }

    /// Returns the percent-encoded path of the request.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.head.path
    }

    /// Returns the percent-encoded query of the request.
    #[must_use]
    pub fn query(&self) -> Option<&str> {
        self.head.query.as_deref()
    }

    /// Returns the headers of the request.
    #[must_use]
    pub fn headers(&self) -> &HeaderMap {
        &self.head.headers
    }

    /// Returns the scope to which the operation is restricted.
    pub fn scope(&self) -> &Scope {
        &self.call.scope
    }

    /// Returns the timestamp of the operation, from the clock of the Api. Inserts and updates of the operation store this timestamp.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.call.now
    }

    /// Returns the transaction of the operation, for custom statements such as SQL. If such a statement fails, the commit may fail too.
    pub fn transaction(&mut self) -> &mut Transaction {
        self.transaction
    }

    /// Returns an accessor for the entities of any resource. The accessor runs its statements within the transaction of the operation.
    ///
    /// The [`scope`](Self::scope) of the operation restricts the accessor. Scope fields that only the other resource contains are not
    /// restricted.
    pub fn store<T: Resource>(&mut self) -> EntityStore<'_, T> {
        self.within(EntityStore::new)
    }

    /// Creates an accessor that is restricted to the scope of the operation. The accessor runs in the transaction and at the time of the
    /// operation.
    pub(crate) fn within<'s, T: Resource>(
        &'s mut self,
        store: impl FnOnce(&'s dyn Store, &Scope) -> EntityStore<'s, T>,
    ) -> EntityStore<'s, T> {
        let entities = store(self.store, &self.call.scope).in_operation();
        entities.for_caller(&self.call.identity).within(self.transaction).at(self.call.now)
    }

    /// Inserts an entity of any resource within the transaction of the operation. Returns the entity with its identifier.
    ///
    /// # Errors
    /// The same as in [`EntityStore::insert`].
    pub async fn insert<T: Resource>(&mut self, entity: T) -> Result<T> {
        self.store::<T>().insert(entity).await
    }
}

impl fmt::Debug for HookContext<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("HookContext").field("path", &self.head.path).finish_non_exhaustive()
    }
}
