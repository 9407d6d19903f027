//! Writes the change of a request together with its idempotency key, at the end of the request.

use restwright_resource::idempotency::{Begun, KeptResponse};
use restwright_resource::{StoreError, Transaction};

use super::claim::SqlClaim;
use super::rows::KeyRow;
use crate::dialect::Bound;
use crate::driver::FailureKind;
use crate::store::SqlStore;
use crate::transactions::{Failure, KeyedChange, KeyedState, Lease, Postponed, Watched};

impl SqlStore {
    /// Returns `true` if the store can write the change of a request together with its key: on PostgreSQL without parameters of a caller, and on SQLite if
    /// changes share transactions.
    pub(super) fn postpones(&self) -> bool {
        if self.dialect().locks_rows {
            return self.shared.settings.caller_parameters.is_none();
        }
        #[cfg(feature = "sqlite")]
        return self.shared.connections.grouped().is_some();
        #[cfg(not(feature = "sqlite"))]
        false
    }

    /// Runs a change and stores its key with the response, or does neither.
    ///
    /// # Errors
    /// [`StoreError::TransactionConflict`] if the change failed or changed nothing, or if the key has a row. The request then runs again in a transaction,
    /// which finds the cause.
    async fn write_with_key(
        &self,
        postponed: Postponed,
        row: &KeyRow,
        response: Option<&KeptResponse>,
    ) -> Result<(), StoreError> {
        let Postponed { table, operation, bound } = postponed;
        let mut lease = Lease::of_change(&self.shared.connections, None).await?;
        let watched = Watched::begin(&self.shared.settings, &table, operation);
        let changed = match response {
            None => lease.execute(&*table, bound.sql, bound.values).await,
            Some(response) if self.dialect().locks_rows => {
                let both = row.insert_after(bound, response);
                lease.execute(&*table, both.sql, both.values).await
            }
            Some(response) => {
                let (sql, values) = self.dialect().build(&row.insert_with(response));
                lease.execute_both(&table, bound, Bound { sql: sql.into(), values }).await
            }
        };
        watched.without(lease.waited()).end("", async { None }).await;
        match changed {
            Ok(1) => lease.finish().await,
            Err(failure @ Failure { kind: FailureKind::Unavailable, .. }) => Err(failure.into()),
            _ => Err(StoreError::TransactionConflict),
        }
    }
}

impl SqlClaim {
    /// Returns a transaction that begins and locks the key only if a request needs it.
    pub(super) fn postponed(&self, database: &SqlStore, store: &SqlStore) -> Transaction {
        let (row, patience, database, store) = (self.row.clone(), self.patience, database.clone(), store.clone());
        Transaction::new(KeyedChange::new(move || {
            let (row, database, store) = (row.clone(), database.clone(), store.clone());
            Box::pin(async move {
                let Begun::Started(mut transaction) = row.claim(&database, patience).await? else {
                    // Another request has the same key. The next attempt of the endpoint finds it.
                    return Err(StoreError::TransactionConflict);
                };
                database.enter(&store, &mut transaction).await?;
                Ok(transaction)
            })
        }))
    }

    /// Commits the changes of a request with its response.
    pub(super) async fn commit(
        self,
        (database, store): (&SqlStore, &SqlStore),
        transaction: Transaction,
        response: Option<&KeptResponse>,
    ) -> Result<(), StoreError> {
        let transaction = match transaction.peek::<KeyedChange>() {
            None => transaction,
            Some(_) => match transaction.into_inner::<KeyedChange>()?.into_state() {
                KeyedState::Begun(transaction) => transaction,
                KeyedState::Postponed(postponed) => return store.write_with_key(postponed, &self.row, response).await,
                KeyedState::Unchanged => match self.row.claim(database, self.patience).await? {
                    Begun::Started(transaction) => transaction,
                    _ => return Err(StoreError::TransactionConflict),
                },
                KeyedState::Failed => return Err(StoreError::failed("a statement of the request has failed")),
            },
        };
        self.row.commit(database, transaction, response).await
    }
}
