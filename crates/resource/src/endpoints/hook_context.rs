//! [`HookContext`]: what a hook works with.

use std::fmt;
use std::marker::PhantomData;

use jiff::Timestamp;
use restwright_core::Result;
use restwright_core::auth::Identity;
use restwright_core::http::{HeaderMap, Method};
use restwright_list::{Expression, FieldValue, ListSlice, Uncounted};

use super::call::{Call, Caller};
use super::info::narrowed;
use super::names::Names;
use super::problem::problem;
use crate::definition::EntityDefinition;
use crate::entity::{Version, Versioned};
use crate::resource::Resource;
use crate::store::{ListQuery, Repository, Scope, Statement, Store, StoreError};

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

    /// Returns the transaction, for statements of the store's own kind.
    pub fn transaction(&mut self) -> &mut S::Transaction {
        self.transaction
    }

    /// Returns the entities of a resource within the transaction, in the part of the scope that they have.
    pub fn store<T: Resource>(&mut self) -> HookEntities<'_, T, S>
    where
        S: Repository<T>,
    {
        let definition = T::definition();
        HookEntities {
            store: self.store,
            scope: narrowed(&self.call.scope, &definition),
            definition,
            transaction: self.transaction,
            call: self.call,
            entity: PhantomData,
        }
    }

    /// Inserts an entity of any resource within the transaction, and returns it with its identifier.
    ///
    /// # Errors
    /// As [`HookEntities::insert`].
    pub async fn insert<T: Resource>(&mut self, entity: T) -> Result<T>
    where
        S: Repository<T>,
    {
        self.store::<T>().insert(entity).await
    }
}

/// The entities of a resource within the transaction of a hook.
///
/// Its errors are problems: 404, 409 and 422 as [`Endpoints`](crate::Endpoints) have them. A hook that returns an error on which the store
/// [retries](Store::retries) runs again.
pub struct HookEntities<'c, T, S: Store> {
    store: &'c S,
    definition: EntityDefinition,
    scope: Scope,
    transaction: &'c mut S::Transaction,
    call: &'c Call,
    entity: PhantomData<fn() -> T>,
}

impl<T: Resource, S: Repository<T>> HookEntities<'_, T, S> {
    /// Returns the entity with an identifier; `None` if the scope has none.
    ///
    /// # Errors
    /// The store is unavailable.
    pub async fn find(&mut self, id: &T::Id) -> Result<Option<Versioned<T>>> {
        let found = self.store.find(self.statement(), &id.to_value()).await;
        self.checked(found)
    }

    /// Returns the entities that a query wants.
    ///
    /// # Errors
    /// The store is unavailable.
    pub async fn list(&mut self, query: &ListQuery<'_>) -> Result<ListSlice<Versioned<T>, Uncounted>> {
        let listed = self.store.list(self.statement(), query).await;
        self.checked(listed)
    }

    /// Returns the number of entities for which a filter holds; `&()` for all.
    ///
    /// # Errors
    /// The store is unavailable.
    pub async fn count(&mut self, filter: impl Into<Expression>) -> Result<u64> {
        let filter = filter.into();
        let counted = Repository::<T>::count(self.store, self.statement(), &filter).await;
        self.checked(counted)
    }

    /// Inserts an entity, and returns it with its identifier. Its times are set.
    ///
    /// # Errors
    /// 409 for a value that is taken, 422 for a reference to nothing.
    pub async fn insert(&mut self, mut entity: T) -> Result<T> {
        self.call.set_times(&self.definition, &mut entity, true)?;
        let inserted = self.store.insert(self.statement(), entity).await;
        self.checked(inserted).map(|inserted| inserted.entity)
    }

    /// Replaces the entity that has the identifier of this one, if it has the expected version. The time of its update is set.
    ///
    /// # Errors
    /// 404 if there is none, and those of [`insert`](Self::insert).
    pub async fn update(&mut self, mut entity: T, expected: Option<Version>) -> Result<T> {
        self.call.set_times(&self.definition, &mut entity, false)?;
        let updated = self.store.update(self.statement(), entity, expected).await;
        self.checked(updated).map(|updated| updated.entity)
    }

    /// Deletes the entity with an identifier, if it has the expected version.
    ///
    /// # Errors
    /// 404 if there is none, and 409 if others refer to it.
    pub async fn delete(&mut self, id: &T::Id, expected: Option<Version>) -> Result<()> {
        let deleted = Repository::<T>::delete(self.store, self.statement(), &id.to_value(), expected).await;
        self.checked(deleted)
    }

    fn statement(&mut self) -> Statement<'_, S> {
        Statement::new(&self.definition).scoped(&self.scope).within(self.transaction)
    }

    fn checked<V>(&self, outcome: Result<V, StoreError>) -> Result<V> {
        outcome.map_err(|error| problem(error, &Names::new(T::NAME, &self.definition), &self.definition, ""))
    }
}

impl<S: Store> fmt::Debug for HookContext<'_, S> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("HookContext").field("path", &self.caller.path).finish_non_exhaustive()
    }
}

impl<T, S: Store> fmt::Debug for HookEntities<'_, T, S> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("HookEntities").field("definition", &self.definition).finish_non_exhaustive()
    }
}
