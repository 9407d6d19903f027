//! [`HookContext`]: what a hook works with.

use std::fmt;

use jiff::Timestamp;
use restwright_core::Result;
use restwright_core::auth::Identity;
use restwright_core::http::{HeaderMap, Method};

use super::ResourcePagination;
use super::call::{Call, Caller};
use super::entity_store::EntityStore;
use crate::resource::Resource;
use crate::run_time::{EntityBag, ResourceDefinition};
use crate::store::{Repository, Scope, Store};

/// The context of a hook: the caller, the head of the request, and the store within the transaction of the operation.
pub struct HookContext<'c, S: Store> {
    pub(super) store: &'c S,
    pub(super) transaction: &'c mut S::Transaction,
    pub(super) call: &'c Call,
    pub(super) caller: &'c Caller,
}

impl<S: Store> HookContext<'_, S> {
    /// Returns the caller.
    #[must_use]
    pub fn identity(&self) -> &Identity {
        &self.caller.identity
    }

    /// Returns the method of the request.
    #[must_use]
    pub fn method(&self) -> &Method {
        &self.caller.method
    }

    /// Returns the path of the request, percent-encoded.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.caller.path
    }

    /// Returns the query of the request, percent-encoded.
    #[must_use]
    pub fn query(&self) -> Option<&str> {
        self.caller.query.as_deref()
    }

    /// Returns the headers of the request.
    #[must_use]
    pub fn headers(&self) -> &HeaderMap {
        &self.caller.headers
    }

    /// Returns the scope to which the operation is restricted.
    pub fn scope(&self) -> &Scope {
        &self.call.scope
    }

    /// Returns the time of the operation by the clock of the Api, which is that of its entity.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.call.now
    }

    /// Returns the connection of the transaction, for statements of the store's own kind.
    pub fn transaction(&mut self) -> &mut S::Connection {
        S::connection(self.transaction)
    }

    /// Returns the entities of a resource within the transaction, in the part of the scope that they have: the fields of the
    /// [`scope`](Self::scope) of the operation that are scope fields of theirs, too. Another scope field of theirs restricts nothing here.
    pub fn store<T: Resource>(&mut self) -> EntityStore<'_, T, S>
    where
        S: Repository<T>,
    {
        EntityStore::new(self.store, &self.call.scope).within(self.transaction).at(self.call.now)
    }

    /// Returns the entities of a resource that is declared at run time, as [`store`](Self::store) does for types.
    pub fn store_of<P: ResourcePagination>(
        &mut self,
        definition: &ResourceDefinition<P>,
    ) -> EntityStore<'_, EntityBag<P>, S>
    where
        S: Repository<EntityBag<P>>,
    {
        let store = EntityStore::from_definition(self.store, definition, &self.call.scope);
        store.within(self.transaction).at(self.call.now)
    }

    /// Inserts an entity of any resource within the transaction, and returns it with its identifier.
    ///
    /// # Errors
    /// As [`EntityStore::insert`].
    pub async fn insert<T: Resource>(&mut self, entity: T) -> Result<T>
    where
        S: Repository<T>,
    {
        self.store::<T>().insert(entity).await
    }
}

impl<S: Store> fmt::Debug for HookContext<'_, S> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("HookContext").field("path", &self.caller.path).finish_non_exhaustive()
    }
}
