//! Defines [`SqlClaim`], the lock on an idempotency key and the transaction that holds the lock.

use std::fmt;
use std::time::{Duration, Instant};

use restwright_resource::idempotency::{Begun, KeptResponse, MemoryClaim};
use restwright_resource::{Store as _, StoreError, Transaction};

use super::rows::KeyRow;
use crate::sql_statements::SqlStatements;
use crate::store::SqlStore;

/// An exclusive lock on an idempotency key in a [`SqlIdempotency`](super::SqlIdempotency). Its holder executes the request. Dropping the lock
/// releases the key.
pub struct SqlClaim {
    pub(super) row: KeyRow,
    pub(super) patience: Duration,
    /// The transaction that locks the row of the key. It is `None` before it begins and while an endpoint uses it.
    pub(super) transaction: Option<Transaction>,
    /// `true` if the row of the key can be written at the end of the request.
    pub(super) is_postponed: bool,
    /// The in-memory lock on the key, for requests of the same process. It is released after the transaction.
    pub(super) _turn: MemoryClaim,
}

impl KeyRow {
    /// Begins a transaction and inserts the row of the key. If the key already has a row, returns the stored response or `OtherRequest`.
    /// Waits while another transaction holds the row.
    pub(super) async fn claim(
        &self,
        database: &SqlStore,
        patience: Duration,
    ) -> Result<Begun<Transaction>, StoreError> {
        let began = Instant::now();
        loop {
            let left = patience.saturating_sub(began.elapsed());
            match database.begin_with(&self.insert(), left).await {
                Ok(Some(transaction)) => return Ok(Begun::Started(transaction)),
                Ok(None) => {
                    if let Some(kept) = database.read_key(self.select()).await? {
                        return Ok(kept.begun(&self.fingerprint));
                    }
                    // The row has expired, or another process has just deleted it.
                    database.delete_keys(self.delete_expired()).await?;
                }
                // Another transaction holds the row or has just committed it.
                Err(StoreError::TransactionConflict) => {}
                Err(error) => return Err(error),
            }
            if left.is_zero() {
                return Ok(Begun::InFlight);
            }
        }
    }

    /// Stores the response and commits the transaction that locks the row of the key. Without a response, deletes the row.
    pub(super) async fn commit(
        &self,
        database: &SqlStore,
        mut transaction: Transaction,
        response: Option<&KeptResponse>,
    ) -> Result<(), StoreError> {
        match response {
            Some(response) => transaction.execute(&self.complete(response)).await?,
            None => transaction.execute(&self.delete()).await?,
        };
        database.commit(transaction).await
    }
}

impl SqlClaim {
    /// Locks the row of the key, if the database locks rows. Returns the stored response of another request, if there is one.
    pub(super) async fn lock(&mut self, database: &SqlStore) -> Result<Option<Begun<Transaction>>, StoreError> {
        self.is_postponed = false;
        if !database.dialect().locks_rows {
            return Ok(None);
        }
        match self.row.claim(database, self.patience).await? {
            Begun::Started(transaction) => {
                self.transaction = Some(transaction);
                Ok(None)
            }
            begun => Ok(Some(begun)),
        }
    }
}

impl fmt::Debug for SqlClaim {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("SqlClaim").field("key", &self.row.key).finish_non_exhaustive()
    }
}
