//! Defines [`Operations`], the operations of a store that this crate compiles.

use restwright_core::runtime::BoxFuture;
use restwright_core::{ApiState, BuildContext, BuildErrors};
use restwright_list::PlannedList;
use restwright_resource::{Change, EntityDefinition, Read, ReadResult, Row, Statement, StoreError, Versioned};

use crate::connections::Access;
use crate::dialect::{Dialect, Driver};
use crate::pages::noted;
use crate::schema;
use crate::store::{DatabaseStore, Shared, StorePlan};
use crate::transaction::{SqlTransaction, begin_for_update_sql, begin_sql};

/// The outcome of an operation. The type of the future contains none of the types inside it.
type Outcome<'a, T> = BoxFuture<'a, Result<T, StoreError>>;

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

    fn begin<'a>(&self, store: &'a DatabaseStore<D>) -> Outcome<'a, SqlTransaction<D>>;

    fn begin_attempt<'a>(&self, store: &'a DatabaseStore<D>, attempt: u32) -> Outcome<'a, SqlTransaction<D>>;

    fn begin_change<'a>(&self, store: &'a DatabaseStore<D>, locks: bool) -> Outcome<'a, Option<SqlTransaction<D>>>;

    fn commit<'a>(&self, store: &'a DatabaseStore<D>, transaction: SqlTransaction<D>) -> Outcome<'a, ()>;

    fn read<'a>(
        &self,
        store: &'a DatabaseStore<D>,
        statement: Statement<'a, DatabaseStore<D>>,
        read: Read<'a>,
    ) -> Outcome<'a, ReadResult>;

    fn write<'a>(
        &self,
        store: &'a DatabaseStore<D>,
        statement: Statement<'a, DatabaseStore<D>>,
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

    fn begin<'a>(&self, store: &'a DatabaseStore<D>) -> Outcome<'a, SqlTransaction<D>> {
        Box::pin(store.begin_by(begin_sql::<D>(&store.shared.settings, "")))
    }

    fn begin_attempt<'a>(&self, store: &'a DatabaseStore<D>, attempt: u32) -> Outcome<'a, SqlTransaction<D>> {
        if attempt > 1 {
            store.shared.settings.counts.retry();
        }
        let limit = if D::LOCKS_ROWS { lock_limit(attempt) } else { String::new() };
        Box::pin(store.begin_by(begin_sql::<D>(&store.shared.settings, &limit)))
    }

    fn begin_change<'a>(&self, store: &'a DatabaseStore<D>, locks: bool) -> Outcome<'a, Option<SqlTransaction<D>>> {
        Box::pin(begin_change(store, locks))
    }

    fn commit<'a>(&self, store: &'a DatabaseStore<D>, transaction: SqlTransaction<D>) -> Outcome<'a, ()> {
        Box::pin(commit(store, transaction))
    }

    fn read<'a>(
        &self,
        store: &'a DatabaseStore<D>,
        mut statement: Statement<'a, DatabaseStore<D>>,
        read: Read<'a>,
    ) -> Outcome<'a, ReadResult> {
        Box::pin(async move {
            let result = store.result(&mut statement, read).await;
            noted(&mut statement, result)
        })
    }

    fn write<'a>(
        &self,
        store: &'a DatabaseStore<D>,
        mut statement: Statement<'a, DatabaseStore<D>>,
        change: Change,
    ) -> Outcome<'a, Option<Versioned<Row>>> {
        Box::pin(async move {
            let written = store.change(&mut statement, change).await;
            noted(&mut statement, written)
        })
    }
}

async fn begin_change<D: Dialect>(
    store: &DatabaseStore<D>,
    locks: bool,
) -> Result<Option<SqlTransaction<D>>, StoreError> {
    let Shared { settings, connections, .. } = &*store.shared;
    if locks {
        return store.begin_by(begin_for_update_sql::<D>(settings)).await.map(Some);
    }
    if !D::LOCKS_ROWS {
        // Begins no transaction, so the read does not wait for the single writer.
        return Ok(None);
    }
    let begin = begin_sql::<D>(settings, "");
    if settings.is_pooled || store.parameters()?.is_some() {
        return store.begin_by(begin).await.map(Some);
    }
    let connection = connections.acquire(Access::Write).await?;
    Ok(Some(SqlTransaction::to_begin_on(connection, settings, store.id(), begin)))
}

async fn commit<D: Dialect>(store: &DatabaseStore<D>, transaction: SqlTransaction<D>) -> Result<(), StoreError> {
    let committed = transaction.commit_of(store.id()).await;
    if let Err(StoreError::Rejected { source, .. }) = &committed
        && let Some(error) = source.downcast_ref()
    {
        store.shared.rejections.log(None, error);
    }
    committed
}

/// Returns the SQL that sets the `lock_timeout` for one attempt to run a transaction. A deadlock between two transactions then ends before
/// the `deadlock_timeout` of PostgreSQL, which is one second. The limit grows by 20 ms with each attempt, so a later attempt can wait for a
/// longer transaction.
fn lock_limit(attempt: u32) -> String {
    format!("; SET LOCAL lock_timeout = {}", attempt.saturating_mul(20))
}
