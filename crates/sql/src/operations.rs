//! Defines [`Operations`], the operations of a store that this crate compiles.

use std::sync::Arc;

use restwright_core::runtime::BoxFuture;
use restwright_core::{ApiState, BuildContext, BuildErrors};
use restwright_list::{Expression, PlannedList, Value, ValueType};
use restwright_resource::{EntityDefinition, IdentifierKind, ListQuery, Statement, Store, StoreError, Version};

use crate::connections::Access;
use crate::dialect::{Dialect, Driver};
use crate::failure::{self, Written};
use crate::json_fields::WrittenEntity;
use crate::kept_deleted::of_missing;
use crate::lease::Lease;
use crate::repository::{Stored, noted};
use crate::rows::{Rows, skip_identifiers};
use crate::schema;
use crate::schema::ReadBack;
use crate::slow::Watched;
use crate::statements::{Place, insert};
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

    fn exists<'a>(
        &self,
        store: &'a DatabaseStore<D>,
        statement: Statement<'a, DatabaseStore<D>>,
        identifier: &'a Value<'_>,
        condition: &'a Expression,
    ) -> Outcome<'a, bool>;

    fn any<'a>(
        &self,
        store: &'a DatabaseStore<D>,
        statement: Statement<'a, DatabaseStore<D>>,
        condition: &'a Expression,
    ) -> Outcome<'a, bool>;

    fn find<'a>(
        &self,
        store: &'a DatabaseStore<D>,
        statement: &'a mut Statement<'_, DatabaseStore<D>>,
        identifier: &'a Value<'_>,
    ) -> Outcome<'a, Rows<D>>;

    /// Runs a list query. With `is_counted`, also returns the number of all matching rows.
    fn list<'a>(
        &self,
        store: &'a DatabaseStore<D>,
        statement: &'a mut Statement<'_, DatabaseStore<D>>,
        query: &'a ListQuery<'_>,
        is_counted: bool,
    ) -> Outcome<'a, (Rows<D>, u64)>;

    fn list_per_key<'a>(
        &self,
        store: &'a DatabaseStore<D>,
        statement: &'a mut Statement<'_, DatabaseStore<D>>,
        query: &'a ListQuery<'_>,
        fields: &'a [&str],
        keys: &'a [Vec<Value<'static>>],
    ) -> Outcome<'a, Rows<D>>;

    fn count<'a>(
        &self,
        store: &'a DatabaseStore<D>,
        statement: Statement<'a, DatabaseStore<D>>,
        filter: &'a Expression,
    ) -> Outcome<'a, u64>;

    fn insert<'a>(
        &self,
        store: &'a DatabaseStore<D>,
        statement: &'a mut Statement<'_, DatabaseStore<D>>,
        entity: &'a mut dyn WrittenEntity,
    ) -> Outcome<'a, Stored<D>>;

    fn update<'a>(
        &self,
        store: &'a DatabaseStore<D>,
        statement: &'a mut Statement<'_, DatabaseStore<D>>,
        entity: &'a mut dyn WrittenEntity,
        expected: Option<Version>,
    ) -> Outcome<'a, Stored<D>>;

    fn delete<'a>(
        &self,
        store: &'a DatabaseStore<D>,
        statement: Statement<'a, DatabaseStore<D>>,
        identifier: &'a Value<'_>,
        expected: Option<Version>,
    ) -> Outcome<'a, ()>;
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

    fn exists<'a>(
        &self,
        store: &'a DatabaseStore<D>,
        mut statement: Statement<'a, DatabaseStore<D>>,
        identifier: &'a Value<'_>,
        condition: &'a Expression,
    ) -> Outcome<'a, bool> {
        Box::pin(async move {
            let exists = store.exists_row(&mut statement, identifier, condition).await;
            noted(&mut statement, exists)
        })
    }

    fn any<'a>(
        &self,
        store: &'a DatabaseStore<D>,
        mut statement: Statement<'a, DatabaseStore<D>>,
        condition: &'a Expression,
    ) -> Outcome<'a, bool> {
        Box::pin(async move {
            let found = store.any_row(&mut statement, condition).await;
            noted(&mut statement, found)
        })
    }

    fn find<'a>(
        &self,
        store: &'a DatabaseStore<D>,
        statement: &'a mut Statement<'_, DatabaseStore<D>>,
        identifier: &'a Value<'_>,
    ) -> Outcome<'a, Rows<D>> {
        Box::pin(store.find_row(statement, identifier))
    }

    fn list<'a>(
        &self,
        store: &'a DatabaseStore<D>,
        statement: &'a mut Statement<'_, DatabaseStore<D>>,
        query: &'a ListQuery<'_>,
        is_counted: bool,
    ) -> Outcome<'a, (Rows<D>, u64)> {
        Box::pin(store.list_rows(statement, query, is_counted))
    }

    fn list_per_key<'a>(
        &self,
        store: &'a DatabaseStore<D>,
        statement: &'a mut Statement<'_, DatabaseStore<D>>,
        query: &'a ListQuery<'_>,
        fields: &'a [&str],
        keys: &'a [Vec<Value<'static>>],
    ) -> Outcome<'a, Rows<D>> {
        Box::pin(store.rows_per_key(statement, query, fields, keys))
    }

    fn count<'a>(
        &self,
        store: &'a DatabaseStore<D>,
        mut statement: Statement<'a, DatabaseStore<D>>,
        filter: &'a Expression,
    ) -> Outcome<'a, u64> {
        Box::pin(async move {
            let counted = store.count_rows(&mut statement, filter).await;
            noted(&mut statement, counted)
        })
    }

    fn insert<'a>(
        &self,
        store: &'a DatabaseStore<D>,
        statement: &'a mut Statement<'_, DatabaseStore<D>>,
        entity: &'a mut dyn WrittenEntity,
    ) -> Outcome<'a, Stored<D>> {
        Box::pin(async move {
            let version = Version::random();
            let is_made = statement.prepare_insert(entity, version)?;
            let table = store.shared.table(statement.definition())?;
            let bound = insert::<D>(&table, entity, version, is_made)?;
            let written = Written::New { is_made };
            let rules = table.rules.get();
            let read_back = rules.map(|rules| rules.triggers.inserts).unwrap_or_default();
            let may_change_folded = rules.is_some_and(|rules| rules.may_change_folded);
            let has_live = store.has_live_references(&table);
            let is_several = has_live || may_change_folded || matches!(read_back, ReadBack::Again);
            let mut own = if is_several { store.own_locking_transaction(statement).await? } else { None };
            let transaction = own.as_mut().or_else(|| statement.transaction());
            let mut lease = Lease::new(store, &store.shared.connections, Access::Write, transaction).await?;
            if !is_made && table.definition.identifier_kind() == IdentifierKind::Integer {
                skip_identifiers(&table, entity, &mut lease).await?;
            }
            let missing = if has_live {
                store.missing_live_reference(&table, (entity, written), &mut lease).await?
            } else {
                None
            };
            let watched = Watched::begin::<D>(&store.shared.settings, &table, "insert");
            let rows = lease.fetch(&*table, bound.sql, bound.values).await;
            watched.end("", async { None }).await;
            let row = match rows {
                Ok(mut rows) => rows.pop(),
                Err(failed) => {
                    let failed = failure::of_write(failed, &store.shared, &table, entity, written, &mut lease).await;
                    return of_missing(&table, Some(failed), missing).map(|()| Stored::AsWritten(version));
                }
            };
            if missing.is_some() {
                of_missing(&table, None, missing)?;
            }
            // A row is returned if the database generates the identifier or may change the values.
            if row.is_none() && (is_made || !matches!(read_back, ReadBack::Nothing)) {
                return Err(store.shared.skipped(&table));
            }
            let value_type = if is_made { ValueType::Integer } else { table.identifier().field.value_type() };
            let identifier = row.as_ref().map(|row| D::cell(row, 0, value_type)).transpose();
            if let Some(identifier) = identifier.map_err(StoreError::failed)? {
                Statement::<DatabaseStore<D>>::new(&table.definition).set(
                    entity,
                    table.definition.identifier(),
                    identifier.into_value(),
                )?;
            }
            let stored = match (read_back, row) {
                (ReadBack::Returned, Some(row)) => Stored::Read(Arc::clone(&table), row),
                (ReadBack::Again, _) => {
                    let place = Place::of(&table, entity).ok_or(StoreError::NotFound)?;
                    store.stored_row(&mut lease, &table, place).await?
                }
                _ => Stored::AsWritten(version),
            };
            let stored = match may_change_folded {
                true => store.folded_again(&mut lease, &table, entity, stored).await?,
                false => stored,
            };
            lease.finish().await?;
            if let Some(own) = own {
                store.commit(own).await?;
            }
            match stored {
                Stored::AsWritten(version) if table.version.is_none() => {
                    store.inserted_version(statement, &table, entity, version).await.map(Stored::AsWritten)
                }
                stored => Ok(stored),
            }
        })
    }

    fn update<'a>(
        &self,
        store: &'a DatabaseStore<D>,
        statement: &'a mut Statement<'_, DatabaseStore<D>>,
        entity: &'a mut dyn WrittenEntity,
        expected: Option<Version>,
    ) -> Outcome<'a, Stored<D>> {
        Box::pin(store.update_row(statement, entity, expected))
    }

    fn delete<'a>(
        &self,
        store: &'a DatabaseStore<D>,
        mut statement: Statement<'a, DatabaseStore<D>>,
        identifier: &'a Value<'_>,
        expected: Option<Version>,
    ) -> Outcome<'a, ()> {
        Box::pin(async move {
            let deleted = store.delete_row(&mut statement, identifier, expected).await;
            noted(&mut statement, deleted)
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
