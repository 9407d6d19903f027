//! Defines [`Store`] and [`Repository`], the traits that every store implements.

mod attempts;
mod conditions;
mod error;
#[cfg(feature = "idempotency")]
mod infallible;
mod kept_value;
mod query;
mod queues;
mod replaced;
mod scope;
mod statement;

use std::error::Error;
use std::future::Future;

use restwright_core::auth::Identity;
use restwright_core::{ApiState, BuildContext, BuildErrors, Problem};
use restwright_list::{Expression, ListSlice, PlannedList, Uncounted, Value};

pub(crate) use attempts::{Attempt, commit, repeat, unavailable_if};
pub(crate) use conditions::replace_exists;
pub use error::StoreError;
pub use query::{ListQuery, RelatedValue};
pub(crate) use queues::Queues;
pub(crate) use replaced::IsReplaced;
pub use scope::Scope;
pub use statement::Statement;

use crate::definition::EntityDefinition;
use crate::entity::{Entity, Version, Versioned};

/// A handle to a database, or to any other storage of entities. All its [`Repository`] implementations share its transactions.
///
/// Clones refer to the same entities. Use one store for all definitions that refer to each other or change in one transaction.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a store",
    label = "does not implement `Store`",
    note = "implement `Store` and `Repository` for it, or use `MemoryStore`"
)]
pub trait Store: Clone + Send + Sync + 'static {
    /// The type of a transaction. Pass the transaction to statements with [`Statement::within`]. Dropping it rolls back its changes.
    ///
    /// A service may also use this type directly for other work on the database. A store without transactions sets
    /// [`Infallible`](std::convert::Infallible), which no statement can contain.
    type Transaction: Send + 'static;

    /// The type of the connection that [`HookContext::transaction`](crate::HookContext::transaction) returns. It is the driver's connection
    /// within a transaction, or the transaction itself.
    type Connection: ?Sized;

    /// Returns the connection of a transaction, for custom statements such as SQL. If such a statement fails, the commit may fail too.
    fn connection(transaction: &mut Self::Transaction) -> &mut Self::Connection;

    /// Prepares the store for the entities of a definition while an Api is built. The method is called once per operation on the entities.
    ///
    /// A store with tables registers itself as a [`Component`](restwright_core::Component), and creates or checks the table when the Api starts.
    ///
    /// # Errors
    /// The store does not support these entities. Building the Api then fails.
    fn plan(&self, definition: &EntityDefinition, context: &mut BuildContext<'_, ApiState>) -> Result<(), BuildErrors> {
        let _ = (definition, context);
        Ok(())
    }

    /// Passes the filters and sort orders of a list to the store while an Api is built. When a store with indexes starts, it logs the
    /// filters and orders that no index serves.
    fn plan_list(&self, definition: &EntityDefinition, list: &PlannedList) {
        let _ = (definition, list);
    }

    /// Returns a note about the filters and sort orders of a list that no index supports, or `None` if indexes support all of them.
    /// [`Api::explain`](restwright_runtime::Api::explain) prints the note.
    fn explain_list(&self, definition: &EntityDefinition, list: &PlannedList) -> Option<String> {
        let _ = (definition, list);
        None
    }

    /// Checks whether the store has a definition with this name. Endpoints call it after every resource of the Api is
    /// [planned](Self::plan). Building the Api fails if the result is `Some(false)` for the target of a reference.
    ///
    /// By default it returns `None`, and references are not checked.
    fn has_definition(&self, name: &str) -> Option<bool> {
        let _ = name;
        None
    }

    /// Returns `true` if lists of the store can be sorted by the values of related entities in
    /// [`ListQuery::related`]. By default it returns `false`, and building the Api fails with such an order.
    fn sorts_by_related(&self) -> bool {
        false
    }

    /// Returns `true` if the store may store other values than an insert or update contains, for example because a trigger of the database sets
    /// them. The policies of the stored entity are then checked too, in the transaction of the write. By default it returns `false`.
    fn may_change_values(&self, definition: &EntityDefinition) -> bool {
        let _ = definition;
        false
    }

    /// Returns the [planned](Self::plan) definition with this name. Endpoints use it to check references to entities with a
    /// [policy](EntityDefinition::policy).
    ///
    /// By default it returns `None`. Building the Api then fails if a resource refers to entities with a policy.
    fn definition(&self, name: &str) -> Option<EntityDefinition> {
        let _ = name;
        None
    }

    /// Returns `true` if the result of a statement depends on the caller. Endpoints then run the statements of a request on the store that
    /// [`for_caller`](Self::for_caller) returns.
    fn is_per_caller(&self) -> bool {
        false
    }

    /// Returns a store that runs its statements and transactions for a caller. Endpoints pass the identity of the request.
    ///
    /// By default it returns a clone, for stores whose statements do not depend on the caller.
    #[must_use]
    fn for_caller(&self, caller: &Identity) -> Self {
        let _ = caller;
        self.clone()
    }

    /// Begins a transaction.
    ///
    /// Its changes are invisible to others until it commits. If two concurrent transactions change the same data, one of them fails with an error
    /// that the store [retries](Self::retries).
    ///
    /// # Errors
    /// The store is unavailable, or has no transactions.
    fn begin(&self) -> impl Future<Output = Result<Self::Transaction, StoreError>> + Send;

    /// Runs `work` in a transaction and commits the transaction. If `work` fails, all changes of the transaction are undone.
    ///
    /// After a conflict with a concurrent transaction, the work runs again from the start, at most 32 times. Effects of the work outside the
    /// transaction may therefore happen more than once. A commit that has started finishes even if the future is dropped.
    ///
    #[cfg_attr(not(doctest), doc = include_str!("../doc_examples/store_transaction.md"))]
    ///
    /// # Errors
    /// The problem that the work returned, or a 503 if all attempts conflict with others or the store is unavailable.
    fn transaction<T>(
        &self,
        work: impl AsyncFn(&mut Self::Transaction) -> Result<T, Problem>,
    ) -> impl Future<Output = Result<T, Problem>> {
        attempts::run_in_transaction(self, work)
    }

    /// Begins a transaction for one attempt to run an operation. Endpoints retry operations after conflicts. The argument `attempt` counts
    /// from 1.
    ///
    /// By default it calls [`begin`](Self::begin). A store whose transactions wait for each other limits the time of each wait, so a deadlock ends
    /// early with an error that the store [retries](Self::retries).
    ///
    /// # Errors
    /// The same as in [`begin`](Self::begin).
    fn begin_attempt(&self, attempt: u32) -> impl Future<Output = Result<Self::Transaction, StoreError>> + Send {
        let _ = attempt;
        self.begin()
    }

    /// Begins a transaction for an operation that finds one entity and then changes it. Endpoints call it for operations without hooks.
    /// Applications call [`begin`](Self::begin) instead.
    ///
    /// With `locks`, the entity is found [for an update](Statement::for_update). The transaction then reads the entity after it has the lock, so no
    /// concurrent change can make the version stale. Endpoints lock from the third attempt of an operation on.
    ///
    /// By default it returns `None`, and each statement takes effect by itself. Without locks this is sufficient, because the change expects the
    /// version that was found. A store implements it to run both statements on one connection.
    ///
    /// # Errors
    /// The same as in [`begin`](Self::begin).
    fn begin_change(&self, locks: bool) -> impl Future<Output = Result<Option<Self::Transaction>, StoreError>> + Send {
        let _ = locks;
        async { Ok(None) }
    }

    /// Returns `true` if the statements of the transaction have already taken effect, so the transaction needs no commit. Endpoints then
    /// drop the transaction of [`begin_change`](Self::begin_change) instead of committing it.
    ///
    /// By default it returns `false`.
    fn is_committed(transaction: &Self::Transaction) -> bool {
        let _ = transaction;
        false
    }

    /// Commits a transaction. If it fails, none of its changes are stored.
    ///
    /// # Errors
    /// A statement of the transaction has failed, another transaction conflicts with it, or the store is unavailable.
    fn commit(&self, transaction: Self::Transaction) -> impl Future<Output = Result<(), StoreError>> + Send;

    /// Returns `true` if the scope contains an entity that has the given identifier and matches a condition. The entity may be of any type.
    /// Endpoints use it to check parents, and references to entities with a policy.
    ///
    /// By default it returns an error.
    ///
    /// # Errors
    /// The store is unavailable, or the statement is wrong.
    fn exists(
        &self,
        statement: Statement<'_, Self>,
        identifier: &Value<'_>,
        condition: &Expression,
    ) -> impl Future<Output = Result<bool, StoreError>> + Send {
        let message = format!(
            "the store cannot look for one of `{}` by its identifier; implement `Store::exists`",
            statement.definition().name()
        );
        drop((statement, identifier, condition));
        async { Err(StoreError::failed(message)) }
    }

    /// Returns `true` if any entity in the scope of the statement matches the condition. Endpoints use it for policies that read
    /// [related](crate::RowPolicy::related) entities.
    ///
    /// By default it returns an error, for stores without such policies.
    ///
    /// # Errors
    /// The store is unavailable, or the statement is wrong.
    fn any(
        &self,
        statement: Statement<'_, Self>,
        condition: &Expression,
    ) -> impl Future<Output = Result<bool, StoreError>> + Send {
        let message = format!(
            "the store cannot look for entities of `{}` that match a condition; implement `Store::any`",
            statement.definition().name()
        );
        drop((statement, condition));
        async { Err(StoreError::failed(message)) }
    }

    /// Returns `true` if a transaction that failed with the given error may succeed when it runs again from the start.
    ///
    /// The error may be any error that code inside the transaction returned, such as a `Problem`. Its causes count too. By default it returns `true`
    /// for [`StoreError::TransactionConflict`]. A store adds the errors of its driver.
    fn retries(&self, error: &(dyn Error + 'static)) -> bool {
        StoreError::is_transaction_conflict(error)
    }

    /// Returns `true` if an insert without hooks may fail with an error that the store [retries](Self::retries). Endpoints then keep a copy
    /// of the entity for the retry.
    ///
    /// By default it returns `true`. A store with one writer returns `false`.
    fn retries_inserts(&self) -> bool {
        true
    }
}

/// A [`Store`] that stores entities of the type `R`.
///
/// Each method runs one [`Statement`], which takes effect wholly or not at all. Within a transaction, it takes effect with the commit. After a failed
/// statement, the transaction can no longer commit.
///
/// A custom repository in memory, without transactions and references:
/// ```
#[doc = include_str!("../../tests/it/map_store.rs")]
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not store entities of the type `{R}`",
    label = "not a repository of this type",
    note = "if `{Self}` is a type parameter, add the bound `{Self}: Repository<{R}>`",
    note = "implement `Repository<{R}>` for your own store, or use `MemoryStore`; stores on SQL accept types that derive `serde::Serialize` and `serde::Deserialize`"
)]
pub trait Repository<R: Entity>: Store {
    /// Returns the entity with the given identifier, or `None` if the scope contains no such entity.
    ///
    /// # Errors
    /// The store is unavailable, or the statement is wrong.
    fn find(
        &self,
        statement: Statement<'_, Self>,
        identifier: &Value<'_>,
    ) -> impl Future<Output = Result<Option<Versioned<R>>, StoreError>> + Send;

    /// Returns the entities in the scope of the statement that match a query. The result must equal the result of
    /// [`apply`](restwright_list::apply).
    ///
    /// # Errors
    /// The store is unavailable, or the query names a field that the definition does not have.
    fn list(
        &self,
        statement: Statement<'_, Self>,
        query: &ListQuery<'_>,
    ) -> impl Future<Output = Result<ListSlice<Versioned<R>, Uncounted>, StoreError>> + Send;

    /// Returns the number of entities in the scope of the statement that match a filter.
    ///
    /// # Errors
    /// The store is unavailable, or the filter names a field that the definition does not have.
    fn count(
        &self,
        statement: Statement<'_, Self>,
        filter: &Expression,
    ) -> impl Future<Output = Result<u64, StoreError>> + Send;

    /// Returns the entities that match a query, and the number of all entities that match the filter of the query.
    ///
    /// By default it calls [`list`](Self::list) and [`count`](Self::count). A store that can read both results in one statement overrides
    /// it.
    ///
    /// # Errors
    /// The same as in [`list`](Self::list).
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

    /// Returns the first matching entities of a query, separately for each key. The result may be in any order. A key contains one value
    /// for each of the given fields. The values are not null, and no key occurs twice. The window of the query skips nothing. For each key,
    /// the result contains the first [`read`](restwright_list::Window::read) entities with the values of the key. The order of the query
    /// determines which entities are the first.
    ///
    /// Endpoints use it for [relations](crate::Relation) to many entities. By default it calls [`list`](Self::list) for each key. A store that can read
    /// the entities of all keys in one statement overrides it.
    ///
    /// # Errors
    /// The same as in [`list`](Self::list).
    fn list_per_key(
        &self,
        mut statement: Statement<'_, Self>,
        query: &ListQuery<'_>,
        fields: &[&str],
        keys: &[Vec<Value<'static>>],
    ) -> impl Future<Output = Result<Vec<Versioned<R>>, StoreError>> + Send {
        async move {
            let mut found = Vec::new();
            for key in keys {
                let query = query.for_key(fields, key);
                found.extend(self.list(statement.reborrow(), &query).await?.items);
            }
            Ok(found)
        }
    }

    /// Inserts an entity into the scope of the statement. Returns the entity with its identifier and its version.
    ///
    /// [`Statement::prepare_insert`] decides whether the store generates the identifier. If an entity keeps its own integer, the store must never
    /// generate this integer later.
    ///
    /// # Errors
    /// [`Conflict`](StoreError::Conflict), [`MissingReference`](StoreError::MissingReference) or [`InvalidValue`](StoreError::InvalidValue), each
    /// with the field; [`Rejected`](StoreError::Rejected); or the store is unavailable.
    fn insert(
        &self,
        statement: Statement<'_, Self>,
        entity: R,
    ) -> impl Future<Output = Result<Versioned<R>, StoreError>> + Send;

    /// Replaces the stored entity that has the same identifier. Returns the entity with its new version.
    ///
    /// If `expected` is not the version of the entity, nothing changes. An entity never moves to another scope.
    ///
    /// # Errors
    /// [`NotFound`](StoreError::NotFound), [`StaleVersion`](StoreError::StaleVersion), and the errors of [`insert`](Self::insert).
    fn update(
        &self,
        statement: Statement<'_, Self>,
        entity: R,
        expected: Option<Version>,
    ) -> impl Future<Output = Result<Versioned<R>, StoreError>> + Send;

    /// Deletes the entity with the given identifier, and all entities that refer to it with [`OnDelete::Cascade`](crate::OnDelete::Cascade).
    ///
    /// If `expected` is not the version of the entity, nothing changes.
    ///
    /// # Errors
    /// [`NotFound`](StoreError::NotFound), [`StaleVersion`](StoreError::StaleVersion), or [`Referenced`](StoreError::Referenced) if a
    /// remaining entity refers to a deleted entity.
    fn delete(
        &self,
        statement: Statement<'_, Self>,
        identifier: &Value<'_>,
        expected: Option<Version>,
    ) -> impl Future<Output = Result<(), StoreError>> + Send;
}
