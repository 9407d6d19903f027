//! [`SqlClaim`]: the claim of a key, with its transaction.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use restwright_resource::StoreError;
use restwright_resource::idempotency::{ClaimBegun, ClaimFuture, ClaimTransaction, KeptResponse};

use super::database::KeyDatabase;
use super::gates::Turn;
use super::rows::{KeyRow, StoredKey};

/// The right to carry out the request of a key in a [`SqlIdempotency`](super::SqlIdempotency); dropping it gives it up.
pub struct SqlClaim<S: KeyDatabase>(Arc<Claim<S>>);

/// A claim that the middleware and the endpoint share.
pub(super) struct Claim<S: KeyDatabase> {
    /// The store of the entities.
    store: S,
    /// The same database by the connections of claims.
    database: S,
    row: KeyRow,
    patience: Duration,
    transaction: Mutex<Held<S::Transaction>>,
    turn: Mutex<Option<Turn>>,
}

/// The transaction of a claim.
enum Held<T> {
    /// None was begun, or an endpoint has it.
    None,
    /// The key is claimed in it.
    Claimed(T),
    /// An endpoint has made its changes in it.
    Finished(T),
}

/// The finding for a key in the database.
pub(super) enum Found<T> {
    Claimed(T),
    Kept(StoredKey),
    InFlight,
}

impl<S: KeyDatabase> Claim<S> {
    pub(super) fn new(store: &S, database: &S, row: KeyRow, patience: Duration, turn: Turn) -> Self {
        let (transaction, turn) = (Mutex::new(Held::None), Mutex::new(Some(turn)));
        Self { store: store.clone(), database: database.clone(), row, patience, transaction, turn }
    }

    pub(super) fn with_transaction(self, transaction: S::Transaction) -> SqlClaim<S> {
        self.hold(Held::Claimed(transaction));
        self.without_transaction()
    }

    pub(super) fn without_transaction(self) -> SqlClaim<S> {
        SqlClaim(Arc::new(self))
    }

    /// Begins a transaction and inserts the row of the key in it, or finds the row that is there. While another transaction has the row, it
    /// waits for its end.
    pub(super) async fn claim(
        &self,
        patience: Duration,
        response: Option<&KeptResponse>,
    ) -> Result<Found<S::Transaction>, StoreError> {
        let began = Instant::now();
        loop {
            let left = patience.saturating_sub(began.elapsed());
            let mut transaction = self.database.begin_claim(left).await?;
            match S::execute(&mut transaction, self.row.insert(response)).await {
                Ok(1..) => {
                    S::end_patience(&mut transaction).await?;
                    return Ok(Found::Claimed(transaction));
                }
                Ok(0) => {
                    if let Some(row) = S::fetch(&mut transaction, self.row.select()).await? {
                        return Ok(Found::Kept(row));
                    }
                }
                // The other transaction was committed after this one had begun, so this one does not see the row; or it still runs.
                Err(StoreError::TransactionConflict) => {}
                Err(error) => return Err(error),
            }
            if left.is_zero() {
                return Ok(Found::InFlight);
            }
        }
    }

    async fn complete(&self, response: &KeptResponse, is_too_large: bool) -> Result<(), StoreError> {
        let mut transaction = match self.take() {
            Held::Claimed(_) | Held::None if is_too_large => return Ok(()),
            // The endpoint has made no changes that are kept.
            Held::None => match self.claim(self.patience, Some(response)).await? {
                Found::Claimed(transaction) => return self.database.commit(transaction).await,
                Found::Kept(_) | Found::InFlight => return Ok(()),
            },
            Held::Claimed(transaction) | Held::Finished(transaction) => transaction,
        };
        if is_too_large {
            S::execute(&mut transaction, self.row.delete()).await?;
        } else {
            S::execute(&mut transaction, self.row.complete(response)).await?;
        }
        self.database.commit(transaction).await
    }

    fn hold(&self, held: Held<S::Transaction>) {
        *lock(&self.transaction) = held;
    }

    fn take(&self) -> Held<S::Transaction> {
        std::mem::replace(&mut *lock(&self.transaction), Held::None)
    }
}

impl<S: KeyDatabase> SqlClaim<S> {
    /// Keeps the response, unless it is larger than what is kept.
    pub(super) async fn complete(self, response: &KeptResponse, is_too_large: bool) -> Result<(), StoreError> {
        self.0.complete(response, is_too_large).await
    }

    pub(super) fn shared(&self) -> Arc<dyn ClaimTransaction<S>> {
        Arc::clone(&self.0) as Arc<dyn ClaimTransaction<S>>
    }
}

/// Ends the transaction and lets the next request with the key in, although the request may still share the claim.
impl<S: KeyDatabase> Drop for SqlClaim<S> {
    fn drop(&mut self) {
        self.0.hold(Held::None);
        lock(&self.0.turn).take();
    }
}

impl<S: KeyDatabase> ClaimTransaction<S> for Claim<S> {
    fn begin<'a>(&'a self, store: &'a S) -> ClaimFuture<'a, S> {
        Box::pin(async move {
            if !self.store.is_same(store) {
                return Ok(ClaimBegun::OtherStore);
            }
            let mut transaction = match self.take() {
                Held::Claimed(transaction) => transaction,
                Held::None | Held::Finished(_) => match self.claim(self.patience, None).await? {
                    Found::Claimed(transaction) => transaction,
                    Found::Kept(_) | Found::InFlight => return Ok(ClaimBegun::Taken),
                },
            };
            store.enter(&mut transaction).await?;
            Ok(ClaimBegun::Transaction(transaction))
        })
    }

    fn finish(&self, transaction: S::Transaction) {
        self.hold(Held::Finished(transaction));
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<S: KeyDatabase> fmt::Debug for SqlClaim<S> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("SqlClaim").field("key", &self.0.row.key).finish_non_exhaustive()
    }
}
