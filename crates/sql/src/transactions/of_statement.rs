//! Finds the transaction in which a statement must run.

use std::sync::Arc;

use restwright_resource::{Statement, StoreError};

#[cfg(feature = "idempotency")]
use super::keyed_change::KeyedChange;
use crate::dialect::Bound;
use crate::table::Table;
use crate::transactions::SqlTransaction;

#[cfg(feature = "idempotency")]
impl SqlTransaction {
    /// Returns the transaction in which a statement must run. It begins if the statement is not the only change of a request with a key.
    pub(crate) async fn of<'t>(statement: &'t mut Statement<'_>) -> Result<Option<&'t mut Self>, StoreError> {
        if statement.peek_transaction::<KeyedChange>().is_none() {
            return statement.transaction();
        }
        match KeyedChange::of(statement)? {
            Some(keyed) => keyed.begun().await.map(Some),
            None => Ok(None),
        }
    }

    /// Returns the transaction in which a read must run. Before the change of a request with a key, reads run in no transaction.
    pub(crate) async fn of_read<'t>(statement: &'t mut Statement<'_>) -> Result<Option<&'t mut Self>, StoreError> {
        let keyed = statement.peek_transaction::<KeyedChange>();
        if !statement.is_for_update() && keyed.is_some_and(KeyedChange::is_unchanged) {
            return Ok(None);
        }
        Self::of(statement).await
    }

    /// Postpones a statement that changes one row and returns nothing, if it is the first change of a request with a key. Otherwise returns the
    /// statement.
    pub(crate) fn postpone(
        statement: &mut Statement<'_>,
        table: &Arc<Table>,
        operation: &'static str,
        bound: Bound,
    ) -> Result<Option<Bound>, StoreError> {
        Ok(match KeyedChange::of(statement)? {
            Some(keyed) => keyed.postpone(table, operation, bound),
            None => Some(bound),
        })
    }

    /// Marks the transaction of a statement as failed. The transaction of another store did not run the statement, so it is not marked. `store` is the
    /// id of the store.
    pub(crate) fn fail(statement: &mut Statement<'_>, store: usize) {
        match KeyedChange::of(statement) {
            Ok(Some(keyed)) => keyed.fail(),
            _ => fail(statement, store),
        }
    }
}

#[cfg(not(feature = "idempotency"))]
impl SqlTransaction {
    pub(crate) async fn of<'t>(statement: &'t mut Statement<'_>) -> Result<Option<&'t mut Self>, StoreError> {
        statement.transaction()
    }

    pub(crate) async fn of_read<'t>(statement: &'t mut Statement<'_>) -> Result<Option<&'t mut Self>, StoreError> {
        statement.transaction()
    }

    #[expect(clippy::unnecessary_wraps, reason = "it fails with idempotency keys")]
    pub(crate) fn postpone(
        _: &mut Statement<'_>,
        _: &Arc<Table>,
        _: &'static str,
        bound: Bound,
    ) -> Result<Option<Bound>, StoreError> {
        Ok(Some(bound))
    }

    pub(crate) fn fail(statement: &mut Statement<'_>, store: usize) {
        fail(statement, store);
    }
}

fn fail(statement: &mut Statement<'_>, store: usize) {
    if let Ok(Some(transaction)) = statement.transaction::<SqlTransaction>()
        && transaction.check_store(store).is_ok()
    {
        transaction.has_failed = true;
    }
}
