//! The statements on idempotency keys in the database of a store.

use std::time::Duration;

use restwright_core::{ApiState, BuildContext, BuildErrors};
use restwright_resource::{Store, StoreError, Transaction};
use sea_query::{DeleteStatement, InsertStatement, SelectStatement};

use super::rows::{StoredKey, table};
use crate::connections::Access;
use crate::store::{Address, SqlStore};
use crate::transactions::{Lease, SqlTransaction, begin_sql, is_taken};

impl SqlStore {
    fn has_own_claims(&self) -> bool {
        self.shared.connections.are_per_worker()
    }

    /// Returns a copy of the store, with separate connections for idempotency keys where necessary. A request can then hold the connection
    /// that locks its key and still get a connection for its statements.
    pub(super) fn for_claims(&self) -> Self {
        if self.has_own_claims() { self.clone().set(|_| {}) } else { self.clone() }
    }

    /// Closes the separate connections of a store that [`for_claims`](Self::for_claims) returned.
    pub(super) async fn close_claims(&self) {
        if self.has_own_claims() {
            self.shared.connections.close().await;
        }
    }

    /// Returns `true` if `store` uses the same database. Its settings may differ.
    pub(super) fn is_same(&self, store: &dyn Store) -> bool {
        let Some(other) = Self::of(store) else { return false };
        let is_same_address = match (&self.shared.address, &other.shared.address) {
            // Each store in memory is a separate database.
            (Address::Url(own), Address::Url(other)) => own == other && self.shared.connections.is_shared(),
            (Address::Pool(own), Address::Pool(other)) => own.is_same(other),
            _ => false,
        };
        self.id() == other.id() || is_same_address
    }

    /// Registers the store and the table of the idempotency keys.
    pub(super) fn plan_keys(&self, context: &mut BuildContext<'_, ApiState>) -> Result<(), BuildErrors> {
        self.shared.add_own_table(table(self.dialect()));
        let registered = self.register(context);
        context.api_errors().take(registered);
        Ok(())
    }

    /// Begins a transaction and inserts the row of a key. Returns `None` if the key already has a row. Waits at most `patience` while another
    /// transaction locks the row.
    pub(super) async fn begin_with(
        &self,
        insert: &InsertStatement,
        patience: Duration,
    ) -> Result<Option<Transaction>, StoreError> {
        let shared = &self.shared;
        let following = self.dialect().inline(insert);
        let following =
            following.map(|insert| format!("; SET LOCAL lock_timeout = {}; {insert}", lock_timeout(patience)));
        let begin = begin_sql(&shared.settings, following.as_deref().unwrap_or_default());
        let begun = async {
            let mut transaction = SqlTransaction::begin(&shared.connections, self.id(), begin).await?;
            if following.is_none() {
                transaction.execute(self.dialect().build(insert)).await?;
            }
            Ok(transaction)
        };
        match begun.await {
            Err(error) if is_taken(&error) => Ok(None),
            begun => begun.map(|begun| Some(Transaction::new(begun))),
        }
    }

    /// Sets the database parameters of the caller of `store` in the transaction that locks an idempotency key. The transaction begins without
    /// these parameters.
    pub(super) async fn enter(&self, store: &dyn Store, transaction: &mut Transaction) -> Result<(), StoreError> {
        let store = Self::of(store).ok_or_else(|| StoreError::failed("the store is on another database"))?;
        let transaction = transaction.get::<SqlTransaction>()?;
        transaction.enter(store.id());
        match store.parameters()? {
            Some(parameters) => transaction.set_parameters(parameters).await,
            None => Ok(()),
        }
    }

    /// Reads the row of a key outside of a transaction.
    pub(super) async fn read_key(&self, select: SelectStatement) -> Result<Option<StoredKey>, StoreError> {
        let (sql, values) = self.dialect().build(&select);
        let mut lease = Lease::own(&self.shared.connections, Access::Read, None).await?;
        let rows = lease.fetch(None, sql.into(), values).await?;
        lease.finish().await?;
        rows.first().map(StoredKey::read).transpose()
    }

    /// Runs a `DELETE` statement outside of a transaction, and returns the number of deleted rows.
    pub(super) async fn delete_keys(&self, delete: DeleteStatement) -> Result<u64, StoreError> {
        let (sql, values) = self.dialect().build(&delete);
        let mut lease = Lease::own(&self.shared.connections, Access::Write, None).await?;
        let deleted = lease.execute(None, sql.into(), values).await?;
        lease.finish().await?;
        Ok(deleted)
    }
}

/// Returns the `lock_timeout` for the transaction of an idempotency key, in milliseconds. It also applies to the statements of the
/// endpoint, so it is at least the 20 ms of a first attempt without a key.
fn lock_timeout(patience: Duration) -> u128 {
    patience.as_millis().max(20)
}
