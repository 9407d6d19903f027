//! [`SqlClaim`]: the claim of a key, with its transaction.

use std::fmt;
use std::time::{Duration, Instant};

use restwright_resource::StoreError;
use restwright_resource::idempotency::{Begun, KeptResponse, MemoryClaim};

use super::database::KeyDatabase;
use super::rows::KeyRow;

/// The right to carry out the request of a key in a [`SqlIdempotency`](super::SqlIdempotency); dropping it gives it up.
pub struct SqlClaim<S: KeyDatabase> {
    pub(super) row: KeyRow,
    pub(super) patience: Duration,
    /// The transaction with the row of the key, if it was begun and no endpoint has it.
    pub(super) transaction: Option<S::Transaction>,
    /// The right to carry out the request in this process, which ends after the transaction.
    pub(super) _turn: MemoryClaim,
}

impl KeyRow {
    /// Begins a transaction and inserts the row of the key in it, or finds the row that is there. While another transaction has the row, it
    /// waits for its end.
    pub(super) async fn claim<S: KeyDatabase>(
        &self,
        database: &S,
        patience: Duration,
    ) -> Result<Begun<S::Transaction>, StoreError> {
        let began = Instant::now();
        loop {
            let left = patience.saturating_sub(began.elapsed());
            match database.begin_with(&self.insert(), left).await {
                Ok(Some(transaction)) => return Ok(Begun::Started(transaction)),
                Ok(None) => {
                    if let Some(kept) = database.read(self.select()).await? {
                        return Ok(kept.begun(&self.fingerprint));
                    }
                    // Its time has passed, or another process has deleted it meanwhile.
                    database.run(self.delete_expired()).await?;
                }
                // Another transaction has the row, or has just been committed.
                Err(StoreError::TransactionConflict) => {}
                Err(error) => return Err(error),
            }
            if left.is_zero() {
                return Ok(Begun::InFlight);
            }
        }
    }

    /// Keeps the response in a transaction that has the row, and commits it; without a response the row is deleted.
    pub(super) async fn commit<S: KeyDatabase>(
        &self,
        database: &S,
        mut transaction: S::Transaction,
        response: Option<&KeptResponse>,
    ) -> Result<(), StoreError> {
        match response {
            Some(response) => S::execute(&mut transaction, self.complete(response)).await?,
            None => S::execute(&mut transaction, self.delete()).await?,
        };
        database.commit(transaction).await
    }
}

impl<S: KeyDatabase> fmt::Debug for SqlClaim<S> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("SqlClaim").field("key", &self.row.key).finish_non_exhaustive()
    }
}
