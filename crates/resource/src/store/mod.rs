//! [`Store`] and [`Repository`]: the contract of whatever keeps entities.

mod attempts;
mod error;
#[cfg(feature = "idempotency")]
mod infallible;
mod query;
mod queues;
mod scope;
mod statement;

use std::error::Error;
use std::future::Future;

use restwright_core::auth::Identity;
use restwright_core::{ApiState, BuildContext, BuildErrors, Problem};
use restwright_list::{Expression, ListSlice, PlannedList, Uncounted, Value};

pub(crate) use attempts::{Attempt, commit, repeat, unavailable_if};
pub use error::StoreError;
pub use query::ListQuery;
pub(crate) use queues::Queues;
pub use scope::Scope;
pub use statement::Statement;

use crate::definition::EntityDefinition;
use crate::entity::{Entity, Version, Versioned};

/// A database, or what stands for one: the transactions of all [`Repository`]s on it.
///
/// A clone is a handle to the same entities. One store serves all kinds of entities that refer to each other or change together.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a store",
    label = "has no transactions in which entities change",
    note = "implement `Store` and `Repository` for it, or use `MemoryStore`"
)]
pub trait Store: Clone + Send + Sync + 'static {
    /// A transaction, which statements are given with [`Statement::within`]. Dropping it undoes its changes.
    ///
    /// It may be a type on which a service works directly, beside the entities. That of a store without transactions is
    /// [`Infallible`](std::convert::Infallible), so that no statement ever has one.
    type Transaction: Send + 'static;

    /// A connection of the database's driver within a transaction, or the transaction itself: what
    /// [`HookContext::transaction`](crate::HookContext::transaction) returns.
    type Connection: ?Sized;

    /// Returns the connection of a transaction, for statements of the store's own kind. If one of them fails, the transaction may not
    /// commit any more.
    fn connection(transaction: &mut Self::Transaction) -> &mut Self::Connection;

    /// Prepares the store for entities of a definition, once for each operation on them, when an Api is built: a store of tables
    /// registers itself as a [`Component`](restwright_core::Component), and creates or checks the table when the Api starts.
    ///
    /// # Errors
    /// The store cannot keep such entities; building the Api fails.
    fn plan(&self, definition: &EntityDefinition, context: &mut BuildContext<'_, ApiState>) -> Result<(), BuildErrors> {
        let _ = (definition, context);
        Ok(())
    }

    /// Notes the filters and orders of a list of a definition's entities, when an Api is built: a store with indexes logs when it starts which of them no index
    /// serves.
    fn plan_list(&self, definition: &EntityDefinition, list: &PlannedList) {
        let _ = (definition, list);
    }

    /// Returns a note on a list for [`Api::explain`](restwright_runtime::Api::explain): the filters and orders that no index of the definition serves.
    /// It is `None` if all are served, or if the store has no indexes.
    fn explain_list(&self, definition: &EntityDefinition, list: &PlannedList) -> Option<String> {
        let _ = (definition, list);
        None
    }

    /// Returns `true` if the store has the definition of this name. Building the Api fails if a resource refers to entities for which this
    /// is `Some(false)` after every resource of the Api is [planned](Self::plan).
    ///
    /// By default it is `None`, and references are not checked.
    fn has_definition(&self, name: &str) -> Option<bool> {
        let _ = name;
        None
    }

    /// Returns `true` if statements depend on the caller. Endpoints then run the statements of a request on the handle that
    /// [`for_caller`](Self::for_caller) returns.
    fn is_per_caller(&self) -> bool {
        false
    }

    /// Returns a handle of the store whose statements and transactions run for a caller.
    ///
    /// By default it is a clone, for stores whose statements do not depend on the caller. Handlers pass the identity of their request.
    #[must_use]
    fn for_caller(&self, caller: &Identity) -> Self {
        let _ = caller;
        self.clone()
    }

    /// Begins a transaction.
    ///
    /// Nobody else sees its changes before they are committed. If it changes what another transaction has changed since it was read,
    /// one of both fails with an error that the store [retries](Self::retries).
    ///
    /// # Errors
    /// The store is unavailable, or has no transactions.
    fn begin(&self) -> impl Future<Output = Result<Self::Transaction, StoreError>> + Send;

    /// Runs work in a transaction and commits it. An error of the work undoes everything.
    ///
    /// After a conflict with a concurrent transaction, the work runs again from the beginning, as operations of endpoints do: at most 32 times.
    /// So the work does nothing outside the transaction that must not happen twice. A commit that has begun ends even if the future is
    /// dropped.
    ///
    /// ```
    /// use restwright::prelude::*;
    /// use restwright::resource::{EntityStore, MemoryStore, Resource, Scope, Store};
    ///
    /// /// Deletes two entities, or none.
    /// async fn delete_both<R: Resource>(store: &MemoryStore, ids: &[R::Id; 2]) -> Result<()> {
    ///     let scope = Scope::new();
    ///     store.transaction(async |transaction| {
    ///         let mut entities = EntityStore::<R, _>::new(store, &scope).within(transaction);
    ///         entities.delete(&ids[0], None).await?;
    ///         entities.delete(&ids[1], None).await
    ///     })
    ///     .await
    /// }
    /// ```
    ///
    /// # Errors
    /// The problem that the work returned; a 503 if all attempts conflict with others, or if the store is unavailable.
    fn transaction<T>(
        &self,
        work: impl AsyncFn(&mut Self::Transaction) -> Result<T, Problem>,
    ) -> impl Future<Output = Result<T, Problem>> {
        attempts::run_in_transaction(self, work)
    }

    /// Begins the transaction of an attempt, counted from 1, of an operation that runs again after a conflict.
    ///
    /// By default as [`begin`](Self::begin). A store whose transactions wait for each other limits the time of each wait, so a deadlock ends
    /// early: with an error that the store [retries](Self::retries).
    ///
    /// # Errors
    /// As [`begin`](Self::begin).
    fn begin_attempt(&self, attempt: u32) -> impl Future<Output = Result<Self::Transaction, StoreError>> + Send {
        let _ = attempt;
        self.begin()
    }

    /// Begins a transaction that finds one entity and then changes it, for an operation without hooks. An application calls [`begin`](Self::begin).
    ///
    /// If it `locks`, the entity is found [for an update](Statement::for_update). The transaction then reads the entity as it is when the lock is
    /// granted, so no other change makes its version stale. Endpoints lock from the third attempt of an operation on.
    ///
    /// By default it is `None`, and each statement takes effect by itself. Without locks, nothing else is needed: the change expects the version
    /// that was found. A store implements it to run both statements on one connection.
    ///
    /// # Errors
    /// As [`begin`](Self::begin).
    fn begin_change(&self, locks: bool) -> impl Future<Output = Result<Option<Self::Transaction>, StoreError>> + Send {
        let _ = locks;
        async { Ok(None) }
    }

    /// Returns `true` if nothing is left to commit, because each statement took effect by itself. Endpoints then drop the result of
    /// [`begin_change`](Self::begin_change) instead of committing it.
    ///
    /// By default it is `false`.
    fn is_committed(transaction: &Self::Transaction) -> bool {
        let _ = transaction;
        false
    }

    /// Commits a transaction: all its changes, or none if it fails.
    ///
    /// # Errors
    /// A statement of the transaction has failed, another transaction conflicts with it, or the store is unavailable.
    fn commit(&self, transaction: Self::Transaction) -> impl Future<Output = Result<(), StoreError>> + Send;

    /// Returns `true` if the scope of a statement has the entity with this identifier, of whatever type it is: a parent of others.
    ///
    /// By default it is an error, for a store without resources that have parents.
    ///
    /// # Errors
    /// The store is unavailable, or the statement is wrong.
    fn exists(
        &self,
        statement: Statement<'_, Self>,
        identifier: &Value<'_>,
    ) -> impl Future<Output = Result<bool, StoreError>> + Send {
        let message = format!(
            "the store cannot look for a parent among `{}`; implement `Store::exists`",
            statement.definition().name()
        );
        drop((statement, identifier));
        async { Err(StoreError::failed(message)) }
    }

    /// Returns `true` if a transaction that failed with this error may run again, from its begin, with hope of success.
    ///
    /// The error may be any that code inside the transaction returned, such as a `Problem`; its causes are considered too. By
    /// default it is true of [`StoreError::TransactionConflict`]; a store adds errors of its driver.
    fn retries(&self, error: &(dyn Error + 'static)) -> bool {
        StoreError::is_transaction_conflict(error)
    }

    /// Returns `true` if an insert without hooks may fail with an error that the store [retries](Self::retries). Endpoints then keep a copy of
    /// what they insert.
    ///
    /// By default it is `true`. A store with one writer returns `false`.
    fn retries_inserts(&self) -> bool {
        true
    }
}

/// A [`Store`] of entities of one type.
///
/// Each method is a [`Statement`]: it takes effect wholly or not at all. Within a transaction it takes effect with the transaction, and
/// after one that failed the transaction cannot be committed any more.
///
/// A repository of one's own, in memory, without transactions and references:
/// ```
#[doc = include_str!("../../tests/it/map_store.rs")]
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not keep entities of the type `{R}`",
    label = "not a repository of this type",
    note = "implement `Repository<{R}>` for a store of your own, or use `MemoryStore`; stores on SQL keep types that derive `serde::Serialize` and `serde::Deserialize`"
)]
pub trait Repository<R: Entity>: Store {
    /// Returns the entity with an identifier; `None` if the scope has none.
    ///
    /// # Errors
    /// The store is unavailable, or the statement is wrong.
    fn find(
        &self,
        statement: Statement<'_, Self>,
        identifier: &Value<'_>,
    ) -> impl Future<Output = Result<Option<Versioned<R>>, StoreError>> + Send;

    /// Returns the entities of the scope that a query wants: those that [`apply`](restwright_list::apply) returns.
    ///
    /// # Errors
    /// The store is unavailable, or the query names a field that the definition does not have.
    fn list(
        &self,
        statement: Statement<'_, Self>,
        query: &ListQuery<'_>,
    ) -> impl Future<Output = Result<ListSlice<Versioned<R>, Uncounted>, StoreError>> + Send;

    /// Returns the number of entities of the scope for which a filter holds.
    ///
    /// # Errors
    /// The store is unavailable, or the filter names a field that the definition does not have.
    fn count(
        &self,
        statement: Statement<'_, Self>,
        filter: &Expression,
    ) -> impl Future<Output = Result<u64, StoreError>> + Send;

    /// Returns what [`list`](Self::list) does, with the [`count`](Self::count) of all entities that match the filter.
    ///
    /// By default it calls both. A store that reads both in one statement implements it.
    ///
    /// # Errors
    /// As [`list`](Self::list).
    fn list_counted(
        &self,
        mut statement: Statement<'_, Self>,
        query: &ListQuery<'_>,
    ) -> impl Future<Output = Result<ListSlice<Versioned<R>>, StoreError>> + Send {
        async move {
            let listed = self.list(statement.reborrow(), query).await?;
            let total = Repository::<R>::count(self, statement, &query.filter).await?;
            Ok(listed.counted(total))
        }
    }

    /// Inserts an entity into the scope, and returns it with its identifier and its version.
    ///
    /// [`Statement::prepare_insert`] decides whether the store makes the identifier. An integer that it does not make is never made by the
    /// store afterwards.
    ///
    /// # Errors
    /// [`Conflict`](StoreError::Conflict), [`MissingReference`](StoreError::MissingReference) or
    /// [`InvalidValue`](StoreError::InvalidValue), each with the field; [`Rejected`](StoreError::Rejected); or the store is unavailable.
    fn insert(
        &self,
        statement: Statement<'_, Self>,
        entity: R,
    ) -> impl Future<Output = Result<Versioned<R>, StoreError>> + Send;

    /// Replaces the entity that has the identifier of this one, and returns it with its new version.
    ///
    /// If a version is expected and the entity has another, nothing changes. An entity never moves to another scope.
    ///
    /// # Errors
    /// [`NotFound`](StoreError::NotFound), [`StaleVersion`](StoreError::StaleVersion), and those of [`insert`](Self::insert).
    fn update(
        &self,
        statement: Statement<'_, Self>,
        entity: R,
        expected: Option<Version>,
    ) -> impl Future<Output = Result<Versioned<R>, StoreError>> + Send;

    /// Deletes the entity with an identifier, and with it all that refer to it by [`OnDelete::Cascade`](crate::OnDelete::Cascade).
    ///
    /// If a version is expected and the entity has another, nothing changes.
    ///
    /// # Errors
    /// [`NotFound`](StoreError::NotFound), [`StaleVersion`](StoreError::StaleVersion), or [`Referenced`](StoreError::Referenced) if
    /// an entity that stays refers to one that would be deleted.
    fn delete(
        &self,
        statement: Statement<'_, Self>,
        identifier: &Value<'_>,
        expected: Option<Version>,
    ) -> impl Future<Output = Result<(), StoreError>> + Send;
}
