//! Defines [`KeyedChange`], the change of a request with an idempotency key that is written at the end of the request.

use std::fmt;
use std::sync::Arc;

use restwright_resource::{Statement, StoreError, StoreFuture, Transaction};

use crate::dialect::Bound;
use crate::table::Table;
use crate::transactions::{Lease, SqlTransaction};

/// A transaction that does not begin until a statement needs it. If a request runs only one statement that changes a row, this statement is written at
/// the end of the request, together with the key and the response.
pub(crate) struct KeyedChange {
    /// Begins a transaction that locks the key.
    begin: BeginTransaction,
    state: KeyedState,
}

type BeginTransaction = Box<dyn Fn() -> StoreFuture<'static, Transaction> + Send>;

/// The changes of a request with an idempotency key.
pub(crate) enum KeyedState {
    Unchanged,
    Postponed(Postponed),
    /// The transaction contains the changes, and locks the key.
    Begun(Transaction),
    Failed,
}

/// A statement that must change one row.
pub(crate) struct Postponed {
    pub(crate) table: Arc<Table>,
    /// The name of the operation, for metrics and logs.
    pub(crate) operation: &'static str,
    pub(crate) bound: Bound,
}

impl KeyedChange {
    pub(crate) fn new(begin: impl Fn() -> StoreFuture<'static, Transaction> + Send + 'static) -> Self {
        Self { begin: Box::new(begin), state: KeyedState::Unchanged }
    }

    /// Returns the change of a statement, if its request has a key that is written at the end.
    pub(super) fn of<'t>(statement: &'t mut Statement<'_>) -> Result<Option<&'t mut Self>, StoreError> {
        match statement.peek_transaction::<Self>() {
            Some(_) => statement.transaction(),
            None => Ok(None),
        }
    }

    /// Postpones a statement if it is the first change of the request. Otherwise returns the statement.
    pub(super) fn postpone(&mut self, table: &Arc<Table>, operation: &'static str, bound: Bound) -> Option<Bound> {
        if !self.is_unchanged() {
            return Some(bound);
        }
        self.state = KeyedState::Postponed(Postponed { table: Arc::clone(table), operation, bound });
        None
    }

    /// Returns the transaction, after it has begun and contains the postponed change.
    pub(super) async fn begun(&mut self) -> Result<&mut SqlTransaction, StoreError> {
        // If the statements below fail, or are dropped, the request has failed.
        let state = std::mem::replace(&mut self.state, KeyedState::Failed);
        let transaction = match state {
            KeyedState::Unchanged => (self.begin)().await?,
            KeyedState::Postponed(Postponed { table, bound, .. }) => {
                let mut transaction = (self.begin)().await?;
                let mut lease = Lease::within(transaction.get()?);
                let changed = lease.execute(&*table, bound.sql, bound.values).await;
                // The request runs again and gets the right error.
                if !matches!(changed, Ok(1)) {
                    return Err(StoreError::TransactionConflict);
                }
                transaction
            }
            KeyedState::Begun(transaction) => transaction,
            KeyedState::Failed => return Err(StoreError::failed("a statement of the request has failed")),
        };
        self.state = KeyedState::Begun(transaction);
        match &mut self.state {
            KeyedState::Begun(transaction) => transaction.get(),
            _ => Err(StoreError::failed("the transaction has not begun")),
        }
    }

    /// Prevents the commit after a statement has failed.
    pub(super) fn fail(&mut self) {
        self.state = KeyedState::Failed;
    }

    pub(crate) fn into_state(self) -> KeyedState {
        self.state
    }

    pub(super) fn is_unchanged(&self) -> bool {
        matches!(self.state, KeyedState::Unchanged)
    }
}

impl fmt::Debug for KeyedChange {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("KeyedChange").field("is_unchanged", &self.is_unchanged()).finish_non_exhaustive()
    }
}
