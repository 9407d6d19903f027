//! Defines [`KeyDatabase`], a store whose database can contain idempotency keys.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use restwright_core::{ApiState, BuildContext, BuildErrors};
use restwright_resource::{Store, StoreError, Transaction};
use sea_query::{DeleteStatement, InsertStatement, SelectStatement};

use super::rows::{StoredKey, table};
use crate::connections::Access;
use crate::dialect::{Connection, Dialect};
use crate::lease::Lease;
use crate::store::{Address, DatabaseStore};
use crate::transaction::{SqlTransaction, begin_sql, is_taken};

/// A store whose database can contain idempotency keys. The trait is sealed: the crate does not export it.
pub trait KeyDatabase: Store + Clone {
    /// Returns the name of the database, such as `SQLite`.
    fn database_name(&self) -> &'static str;

    /// Returns a copy of the store, with separate connections for idempotency keys where necessary. A request can then hold the connection
    /// that locks its key and still get a connection for its statements.
    #[must_use]
    fn for_claims(&self) -> Self;

    /// Returns `true` if both stores use the same database. Their settings may differ.
    fn is_same(&self, other: &Self) -> bool;

    /// Returns `true` if transactions lock single rows, and `false` if they lock the whole database.
    fn locks_rows(&self) -> bool;

    /// Registers the store and the table of the idempotency keys.
    fn plan_keys(&self, context: &mut BuildContext<'_, ApiState>) -> Result<(), BuildErrors>;

    /// Begins a transaction and inserts the row of a key. Returns `None` if the key already has a row. Waits at most `patience` while another
    /// transaction locks the row.
    fn begin_with(
        &self,
        insert: &InsertStatement,
        patience: Duration,
    ) -> impl Future<Output = Result<Option<Transaction>, StoreError>> + Send;

    /// Sets the database parameters of the caller in the transaction that locks an idempotency key. The transaction begins without these
    /// parameters.
    fn enter(&self, transaction: &mut Transaction) -> impl Future<Output = Result<(), StoreError>> + Send;

    /// Reads the row of a key outside of a transaction.
    fn read_key(&self, select: SelectStatement) -> impl Future<Output = Result<Option<StoredKey>, StoreError>> + Send;

    /// Runs a `DELETE` statement outside of a transaction, and returns the number of deleted rows.
    fn run(&self, delete: DeleteStatement) -> impl Future<Output = Result<u64, StoreError>> + Send;

    /// Closes the separate connections of a store that [`for_claims`](Self::for_claims) returned.
    fn close_claims(&self) -> impl Future<Output = ()> + Send;
}

impl<D: Dialect> DatabaseStore<D> {
    fn has_own_claims(&self) -> bool {
        D::IS_PER_WORKER && matches!(self.shared.address, Address::Url(_))
    }
}

impl<D: Dialect> KeyDatabase for DatabaseStore<D>
where
    Connection<D>: Sized,
{
    fn database_name(&self) -> &'static str {
        D::NAME
    }

    fn for_claims(&self) -> Self {
        if self.has_own_claims() { self.clone().set(|_| {}) } else { self.clone() }
    }

    fn is_same(&self, other: &Self) -> bool {
        let is_same_address = match (&self.shared.address, &other.shared.address) {
            (Address::Url(own), Address::Url(other)) => {
                let options = D::options(own, &self.shared.settings);
                // Each store in memory is a separate database.
                own == other && options.is_ok_and(|options| !D::is_in_memory(&options))
            }
            (Address::Pool(own), Address::Pool(other)) => Arc::ptr_eq(&own.connect_options(), &other.connect_options()),
            _ => false,
        };
        self.id() == other.id() || is_same_address
    }

    fn locks_rows(&self) -> bool {
        D::LOCKS_ROWS
    }

    fn plan_keys(&self, context: &mut BuildContext<'_, ApiState>) -> Result<(), BuildErrors> {
        self.shared.add_own_table(table());
        let registered = self.register(context);
        context.api_errors().take(registered);
        Ok(())
    }

    async fn begin_with(
        &self,
        insert: &InsertStatement,
        patience: Duration,
    ) -> Result<Option<Transaction>, StoreError> {
        let shared = &self.shared;
        let following =
            D::inline(insert).map(|insert| format!("; SET LOCAL lock_timeout = {}; {insert}", lock_timeout(patience)));
        let begin = begin_sql::<D>(&shared.settings, following.as_deref().unwrap_or_default());
        let begun = async {
            let mut transaction = SqlTransaction::begin(&shared.connections, self.id(), begin).await?;
            if following.is_none() {
                transaction.execute(D::build(insert)).await?;
            }
            Ok(transaction)
        };
        match begun.await {
            Err(error) if is_taken(&error) => Ok(None),
            begun => begun.map(|begun| Some(Transaction::new(begun))),
        }
    }

    async fn enter(&self, transaction: &mut Transaction) -> Result<(), StoreError> {
        match self.parameters()? {
            Some(parameters) => transaction.get::<SqlTransaction<D>>()?.set_parameters(parameters).await,
            None => Ok(()),
        }
    }

    async fn read_key(&self, select: SelectStatement) -> Result<Option<StoredKey>, StoreError> {
        let shared = &self.shared;
        let (sql, values) = D::build(&select);
        let mut lease = Lease::<D>::own(&shared.connections, Access::Read, None).await?;
        let rows = lease.fetch(None, sql.into(), values).await?;
        lease.finish().await?;
        rows.first().map(StoredKey::read::<D>).transpose()
    }

    async fn run(&self, delete: DeleteStatement) -> Result<u64, StoreError> {
        let shared = &self.shared;
        let (sql, values) = D::build(&delete);
        let mut lease = Lease::<D>::own(&shared.connections, Access::Write, None).await?;
        let deleted = lease.execute(None, sql.into(), values).await?;
        lease.finish().await?;
        Ok(deleted)
    }

    async fn close_claims(&self) {
        if self.has_own_claims() {
            self.shared.connections.close().await;
        }
    }
}

/// Returns the `lock_timeout` for the transaction of an idempotency key, in milliseconds. It also applies to the statements of the
/// endpoint, so it is at least the 20 ms of a first attempt without a key.
fn lock_timeout(patience: Duration) -> u128 {
    patience.as_millis().max(20)
}
