//! Defines [`Store`], the trait that every store implements.

mod attempts;
mod conditions;
mod error;
mod kept_value;
mod operations;
mod prepared;
mod query;
mod queues;
mod replaced;
mod repository;
mod rows_in_memory;
mod scope;
mod statement;
mod transaction;

use std::any::Any;
use std::error::Error;
use std::future::ready;
use std::sync::Arc;

use restwright_core::auth::Identity;
use restwright_core::runtime::BoxFuture;
use restwright_core::{ApiState, BuildContext, BuildErrors};
use restwright_list::PlannedList;

pub(crate) use attempts::{Attempt, commit, repeat, unavailable_if};
pub(crate) use conditions::replace_exists;
pub use error::StoreError;
pub use operations::{Change, Read, ReadResult};
pub use query::{ListQuery, RelatedValue};
pub(crate) use queues::Queues;
pub(crate) use replaced::IsReplaced;
pub use repository::Repository;
pub(crate) use repository::{check_row, no_row, unreadable};
pub use scope::Scope;
pub(crate) use statement::CheckRow;
pub use statement::Statement;
pub use transaction::Transaction;

use crate::definition::EntityDefinition;
use crate::entity::Versioned;
use crate::row::Row;

/// The boxed future that a method of a [`Store`] returns.
pub type StoreFuture<'a, T> = BoxFuture<'a, Result<T, StoreError>>;

/// A handle to a database, or to any other storage of entities. It reads and writes [rows](Row), and knows no type of an entity.
///
/// It is a handle: clones of a store refer to the same entities. Use one store for all definitions that refer to each other or change in one transaction.
///
/// Each [`Statement`] takes effect wholly or not at all. Within a transaction, it takes effect with the commit. After a failed statement, the
/// transaction can no longer commit.
///
/// A custom store in memory, without transactions and references:
/// ```
#[doc = include_str!("../../tests/it/map_store.rs")]
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a store",
    label = "does not implement `Store`",
    note = "implement `Store` for it, or use `MemoryStore`"
)]
pub trait Store: Any + Send + Sync {
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

    /// Returns a store that runs its statements and transactions for a caller, if the store [is per caller](Self::is_per_caller). Endpoints pass
    /// the identity of the request.
    ///
    /// A store that wraps another store must wrap the result of that store too. Otherwise requests bypass the wrapper.
    fn for_caller(&self, caller: &Identity) -> Option<Arc<dyn Store>> {
        let _ = caller;
        None
    }

    /// Returns `true` if the store has transactions. By default it returns `false`, and building the Api fails with hooks, batches and actions,
    /// which need them.
    fn has_transactions(&self) -> bool {
        false
    }

    /// Begins a transaction.
    ///
    /// Its changes are invisible to others until it commits. If two concurrent transactions change the same data, one of them fails with an error
    /// that the store [retries](Self::retries).
    ///
    /// # Errors
    /// The store is unavailable, or has no transactions.
    fn begin(&self) -> StoreFuture<'_, Transaction> {
        Box::pin(ready(Err(no_transactions())))
    }

    /// Begins a transaction for one attempt to run an operation. Endpoints retry operations after conflicts. The argument `attempt` counts
    /// from 1.
    ///
    /// By default it calls [`begin`](Self::begin). A store whose transactions wait for each other limits the time of each wait, so a deadlock ends
    /// early with an error that the store [retries](Self::retries).
    ///
    /// # Errors
    /// The same as in [`begin`](Self::begin).
    fn begin_attempt(&self, attempt: u32) -> StoreFuture<'_, Transaction> {
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
    fn begin_change(&self, locks: bool) -> StoreFuture<'_, Option<Transaction>> {
        let _ = locks;
        Box::pin(ready(Ok(None)))
    }

    /// Returns `true` if the statements of the transaction have already taken effect, so the transaction needs no commit. Endpoints then
    /// drop the transaction of [`begin_change`](Self::begin_change) instead of committing it.
    ///
    /// By default it returns `false`.
    fn is_committed(&self, transaction: &Transaction) -> bool {
        let _ = transaction;
        false
    }

    /// Commits a transaction. If it fails, none of its changes are stored. The future owns what it needs, so it can finish after its request.
    ///
    /// # Errors
    /// A statement of the transaction has failed, another transaction conflicts with it, or the store is unavailable.
    fn commit(&self, transaction: Transaction) -> StoreFuture<'static, ()> {
        drop(transaction);
        Box::pin(ready(Err(no_transactions())))
    }

    /// Reads rows in the scope of a statement, or counts them.
    ///
    /// # Errors
    /// The store is unavailable, the statement is wrong, or the store does not [support](StoreError::unsupported) the read.
    fn read<'a>(&'a self, statement: Statement<'a>, read: Read<'a>) -> StoreFuture<'a, ReadResult>;

    /// Changes one row in the scope of a statement. Returns the stored row with its version, or `None` after a delete.
    ///
    /// # Errors
    /// The store is unavailable, or the errors of the [`Change`].
    fn write<'a>(&'a self, statement: Statement<'a>, change: Change) -> StoreFuture<'a, Option<Versioned<Row>>>;

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

#[cold]
fn no_transactions() -> StoreError {
    StoreError::failed(
        "the store has no transactions; implement `Store::has_transactions`, `begin` and `commit`, or use another store",
    )
}
