//! Defines [`Operations`], the operations of a store that this crate compiles.

use std::error::Error;
use std::sync::{Arc, PoisonError};

use restwright_core::auth::Identity;
use restwright_core::{ApiState, BuildContext, BuildErrors};
use restwright_list::PlannedList;
use restwright_resource::{
    Change, EntityDefinition, Read, ReadResult, Row, Statement, Store, StoreError, StoreFuture, Transaction, Versioned,
};

use crate::connections::Access;
use crate::dialect::{Connection, Dialect, Driver};
use crate::failure;
use crate::pages::noted;
use crate::schema;
use crate::store::{DatabaseStore, Shared, StorePlan};
use crate::transaction::{SqlTransaction, begin_for_update_sql, begin_sql};

/// The outcome of an operation. The type of the future contains none of the types inside it.
type Outcome<'a, T> = StoreFuture<'a, T>;

/// The operations of a [`DatabaseStore`], as a trait object.
///
/// The database is a type parameter of the store, and a compiler generates generic functions in the crate that calls them. Each application
/// would compile all statements, connections and migrations, and again after each of its changes. [`Driver::operations`] returns an object, so
/// this crate compiles them.
pub trait Operations<D: Driver>: Sync {
    /// Creates a store. Its connections open when the Api starts.
    fn assemble(&self, plan: StorePlan<D>) -> DatabaseStore<D>;

    /// Registers the store as a component, and adds the table of a definition.
    fn plan(
        &self,
        store: &DatabaseStore<D>,
        definition: &EntityDefinition,
        context: &mut BuildContext<'_, ApiState>,
    ) -> Result<(), BuildErrors>;

    /// Returns a note about a list whose conditions or order no index serves.
    fn explain_list(
        &self,
        store: &DatabaseStore<D>,
        definition: &EntityDefinition,
        list: &PlannedList,
    ) -> Option<String>;

    fn begin<'a>(&self, store: &'a DatabaseStore<D>) -> Outcome<'a, Transaction>;

    fn begin_attempt<'a>(&self, store: &'a DatabaseStore<D>, attempt: u32) -> Outcome<'a, Transaction>;

    fn begin_change<'a>(&self, store: &'a DatabaseStore<D>, locks: bool) -> Outcome<'a, Option<Transaction>>;

    fn commit(&self, store: &DatabaseStore<D>, transaction: Transaction) -> Outcome<'static, ()>;

    fn read<'a>(
        &self,
        store: &'a DatabaseStore<D>,
        statement: Statement<'a>,
        read: Read<'a>,
    ) -> Outcome<'a, ReadResult>;

    fn write<'a>(
        &self,
        store: &'a DatabaseStore<D>,
        statement: Statement<'a>,
        change: Change,
    ) -> Outcome<'a, Option<Versioned<Row>>>;
}

/// Implements [`Operations`] for each database.
pub(crate) struct Compiled;

impl<D: Driver> Operations<D> for Compiled {
    fn assemble(&self, plan: StorePlan<D>) -> DatabaseStore<D> {
        DatabaseStore::assemble(plan)
    }

    fn plan(
        &self,
        store: &DatabaseStore<D>,
        definition: &EntityDefinition,
        context: &mut BuildContext<'_, ApiState>,
    ) -> Result<(), BuildErrors> {
        // An error in the URL is reported once, and does not cause errors in the references of other resources.
        let registered = store.register(context);
        context.api_errors().take(registered);
        let table = store.shared.table(definition).map_err(|error| BuildErrors::one(error.to_string()))?;
        table.set_bounds(definition);
        Ok(())
    }

    fn explain_list(
        &self,
        store: &DatabaseStore<D>,
        definition: &EntityDefinition,
        list: &PlannedList,
    ) -> Option<String> {
        schema::list_note(&store.shared, definition, list)
    }

    fn begin<'a>(&self, store: &'a DatabaseStore<D>) -> Outcome<'a, Transaction> {
        Box::pin(begin(store, begin_sql::<D>(&store.shared.settings, "")))
    }

    fn begin_attempt<'a>(&self, store: &'a DatabaseStore<D>, attempt: u32) -> Outcome<'a, Transaction> {
        if attempt > 1 {
            store.shared.settings.counts.retry();
        }
        let limit = if D::LOCKS_ROWS { lock_limit(attempt) } else { String::new() };
        Box::pin(begin(store, begin_sql::<D>(&store.shared.settings, &limit)))
    }

    fn begin_change<'a>(&self, store: &'a DatabaseStore<D>, locks: bool) -> Outcome<'a, Option<Transaction>> {
        Box::pin(begin_change(store, locks))
    }

    fn commit(&self, store: &DatabaseStore<D>, transaction: Transaction) -> Outcome<'static, ()> {
        let store = store.clone();
        Box::pin(async move { store.commit_own(transaction.into_inner()?).await })
    }

    fn read<'a>(
        &self,
        store: &'a DatabaseStore<D>,
        mut statement: Statement<'a>,
        read: Read<'a>,
    ) -> Outcome<'a, ReadResult> {
        Box::pin(async move {
            let result = store.result(&mut statement, read).await;
            noted::<D, _>(&mut statement, result)
        })
    }

    fn write<'a>(
        &self,
        store: &'a DatabaseStore<D>,
        mut statement: Statement<'a>,
        change: Change,
    ) -> Outcome<'a, Option<Versioned<Row>>> {
        Box::pin(async move {
            let written = store.change(&mut statement, change).await;
            noted::<D, _>(&mut statement, written)
        })
    }
}

impl<D: Dialect> Store for DatabaseStore<D>
where
    Connection<D>: Sized,
{
    fn plan(&self, definition: &EntityDefinition, context: &mut BuildContext<'_, ApiState>) -> Result<(), BuildErrors> {
        D::operations().plan(self, definition, context)
    }

    fn plan_list(&self, definition: &EntityDefinition, list: &PlannedList) {
        let mut lists = self.shared.lists.write().unwrap_or_else(PoisonError::into_inner);
        lists.insert(definition.name().to_owned(), list.clone());
    }

    fn explain_list(&self, definition: &EntityDefinition, list: &PlannedList) -> Option<String> {
        D::operations().explain_list(self, definition, list)
    }

    fn is_per_caller(&self) -> bool {
        self.shared.settings.caller_parameters.is_some()
    }

    fn for_caller(&self, caller: &Identity) -> Option<Arc<dyn Store>> {
        self.is_per_caller().then(|| Arc::new(Self::for_caller(self, caller)) as _)
    }

    fn sorts_by_related(&self) -> bool {
        true
    }

    fn may_change_values(&self, definition: &EntityDefinition) -> bool {
        self.shared.find_table(definition.name()).is_some_and(|table| table.may_change_values())
    }

    fn has_definition(&self, name: &str) -> Option<bool> {
        Some(self.shared.tables.read().unwrap_or_else(PoisonError::into_inner).contains_key(name))
    }

    fn definition(&self, name: &str) -> Option<EntityDefinition> {
        self.shared.find_definition(name)
    }

    fn has_transactions(&self) -> bool {
        true
    }

    fn begin(&self) -> StoreFuture<'_, Transaction> {
        D::operations().begin(self)
    }

    fn begin_attempt(&self, attempt: u32) -> StoreFuture<'_, Transaction> {
        D::operations().begin_attempt(self, attempt)
    }

    fn begin_change(&self, locks: bool) -> StoreFuture<'_, Option<Transaction>> {
        D::operations().begin_change(self, locks)
    }

    fn is_committed(&self, transaction: &Transaction) -> bool {
        transaction.peek::<SqlTransaction<D>>().is_some_and(SqlTransaction::is_committed)
    }

    fn commit(&self, transaction: Transaction) -> StoreFuture<'static, ()> {
        D::operations().commit(self, transaction)
    }

    fn read<'a>(&'a self, statement: Statement<'a>, read: Read<'a>) -> StoreFuture<'a, ReadResult> {
        D::operations().read(self, statement, read)
    }

    fn write<'a>(&'a self, statement: Statement<'a>, change: Change) -> StoreFuture<'a, Option<Versioned<Row>>> {
        D::operations().write(self, statement, change)
    }

    fn retries(&self, error: &(dyn Error + 'static)) -> bool {
        failure::is_conflict::<D>(error)
    }

    fn retries_inserts(&self) -> bool {
        D::HAS_CONFLICTS
    }
}

async fn begin<D: Dialect>(store: &DatabaseStore<D>, begin: Arc<str>) -> Result<Transaction, StoreError> {
    store.begin_by(begin).await.map(Transaction::new)
}

async fn begin_change<D: Dialect>(store: &DatabaseStore<D>, locks: bool) -> Result<Option<Transaction>, StoreError> {
    let Shared { settings, connections, .. } = &*store.shared;
    if locks {
        return begin(store, begin_for_update_sql::<D>(settings)).await.map(Some);
    }
    if !D::LOCKS_ROWS {
        // Begins no transaction, so the read does not wait for the single writer.
        return Ok(None);
    }
    let begin = begin_sql::<D>(settings, "");
    if settings.is_pooled || store.parameters()?.is_some() {
        return self::begin(store, begin).await.map(Some);
    }
    let connection = connections.acquire(Access::Write).await?;
    Ok(Some(Transaction::new(SqlTransaction::to_begin_on(connection, settings, store.id(), begin))))
}

impl<D: Dialect> DatabaseStore<D> {
    /// Commits a transaction that this store began.
    pub(crate) async fn commit_own(&self, transaction: SqlTransaction<D>) -> Result<(), StoreError> {
        let committed = transaction.commit_of(self.id()).await;
        if let Err(StoreError::Rejected { source, .. }) = &committed
            && let Some(error) = source.downcast_ref()
        {
            self.shared.rejections.log(None, error);
        }
        committed
    }
}

/// Returns the SQL that sets the `lock_timeout` for one attempt to run a transaction. A deadlock between two transactions then ends before
/// the `deadlock_timeout` of PostgreSQL, which is one second. The limit grows by 20 ms with each attempt, so a later attempt can wait for a
/// longer transaction.
fn lock_limit(attempt: u32) -> String {
    format!("; SET LOCAL lock_timeout = {}", attempt.saturating_mul(20))
}
