//! Implements [`Store`] for [`SqlStore`].

use std::error::Error;
use std::sync::{Arc, PoisonError};

use restwright_core::auth::Identity;
use restwright_core::{ApiState, BuildContext, BuildErrors};
use restwright_list::PlannedList;
use restwright_resource::{
    Change, EntityDefinition, Read, ReadResult, Row, Statement, Store, StoreError, StoreFuture, Transaction, Versioned,
};

use crate::connections::Access;
use crate::schema;
use crate::store::{Shared, SqlStore};
use crate::transactions::{SqlTransaction, begin_for_update_sql, begin_sql};
use crate::writes::failure;

impl Store for SqlStore {
    fn plan(&self, definition: &EntityDefinition, context: &mut BuildContext<'_, ApiState>) -> Result<(), BuildErrors> {
        // An error in the URL is reported once, and does not cause errors in the references of other resources.
        let registered = self.register(context);
        context.api_errors().take(registered);
        let table = self.shared.table(definition).map_err(|error| BuildErrors::one(error.to_string()))?;
        table.set_bounds(definition);
        Ok(())
    }

    fn plan_list(&self, definition: &EntityDefinition, list: &PlannedList) {
        let mut lists = self.shared.lists.write().unwrap_or_else(PoisonError::into_inner);
        lists.insert(definition.name().to_owned(), list.clone());
    }

    fn explain_list(&self, definition: &EntityDefinition, list: &PlannedList) -> Option<String> {
        schema::list_note(&self.shared, definition, list)
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
        Box::pin(self.begin_transaction(begin_sql(&self.shared.settings, "")))
    }

    fn begin_attempt(&self, attempt: u32) -> StoreFuture<'_, Transaction> {
        if attempt > 1 {
            self.shared.settings.counts.retry();
        }
        let limit = if self.dialect().locks_rows { lock_limit(attempt) } else { String::new() };
        Box::pin(self.begin_transaction(begin_sql(&self.shared.settings, &limit)))
    }

    fn begin_change(&self, locks: bool) -> StoreFuture<'_, Option<Transaction>> {
        Box::pin(self.begin_changing(locks))
    }

    fn is_committed(&self, transaction: &Transaction) -> bool {
        transaction.peek::<SqlTransaction>().is_some_and(SqlTransaction::is_committed)
    }

    fn commit(&self, transaction: Transaction) -> StoreFuture<'static, ()> {
        let store = self.clone();
        Box::pin(async move { store.commit_own(transaction.into_inner()?).await })
    }

    fn read<'a>(&'a self, mut statement: Statement<'a>, read: Read<'a>) -> StoreFuture<'a, ReadResult> {
        Box::pin(async move {
            let result = self.result(&mut statement, read).await;
            result.inspect_err(|_| SqlTransaction::fail(&mut statement, self.id()))
        })
    }

    fn write<'a>(&'a self, mut statement: Statement<'a>, change: Change) -> StoreFuture<'a, Option<Versioned<Row>>> {
        Box::pin(async move {
            let written = self.change(&mut statement, change).await;
            written.inspect_err(|_| SqlTransaction::fail(&mut statement, self.id()))
        })
    }

    fn retries(&self, error: &(dyn Error + 'static)) -> bool {
        failure::is_conflict(self.database(), error)
    }

    fn retries_inserts(&self) -> bool {
        self.dialect().has_conflicts
    }
}

impl SqlStore {
    async fn begin_transaction(&self, begin: Arc<str>) -> Result<Transaction, StoreError> {
        self.begin_by(begin).await.map(Transaction::new)
    }

    async fn begin_changing(&self, locks: bool) -> Result<Option<Transaction>, StoreError> {
        let Shared { settings, connections, .. } = &*self.shared;
        if locks {
            return self.begin_transaction(begin_for_update_sql(settings)).await.map(Some);
        }
        if !self.dialect().locks_rows {
            // Begins no transaction, so the read does not wait for the single writer.
            return Ok(None);
        }
        let begin = begin_sql(settings, "");
        if settings.is_pooled || self.parameters()?.is_some() {
            return self.begin_transaction(begin).await.map(Some);
        }
        let connection = connections.acquire(Access::Write).await?;
        Ok(Some(Transaction::new(SqlTransaction::to_begin_on(connection, settings, self.id(), begin))))
    }

    /// Commits a transaction that this store began.
    pub(crate) async fn commit_own(&self, transaction: SqlTransaction) -> Result<(), StoreError> {
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
