//! [`KeyDatabase`]: the stores in whose database keys are kept.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use restwright_core::{ApiState, BuildContext, BuildErrors};
use restwright_resource::{Store, StoreError};
use sea_query::{QueryStatementWriter, SelectStatement};

use super::rows::{StoredKey, table};
use crate::connections::Access;
use crate::dialect::{Connection, Dialect};
use crate::lease::Lease;
use crate::store::{Address, DatabaseStore};
use crate::transaction::{SqlTransaction, begin_sql};

/// A store in whose database idempotency keys are kept: a [`DatabaseStore`], or a [`SqlStore`](crate::SqlStore).
///
/// It cannot be implemented elsewhere.
pub trait KeyDatabase: KeyDriver {}

impl<S: KeyDriver> KeyDatabase for S {}

/// The statements about keys in a store. The crate does not export it.
pub trait KeyDriver: Store {
    /// The name of the database.
    fn database_name(&self) -> &'static str;

    /// Returns the same database by connections for claims, so that a request which holds one can have another for its statements.
    #[must_use]
    fn for_claims(&self) -> Self;

    /// Returns `true` if both are stores of the same database, though with other settings.
    fn is_same(&self, other: &Self) -> bool;

    /// Returns `true` if transactions hold rows, and not the whole database.
    fn locks_rows(&self) -> bool;

    /// Registers the store, with the table of the keys.
    fn plan_keys(&self, context: &mut BuildContext<'_, ApiState>) -> Result<(), BuildErrors>;

    /// Begins a transaction whose statements wait for a row no longer than this.
    fn begin_claim(&self, patience: Duration) -> impl Future<Output = Result<Self::Transaction, StoreError>> + Send;

    /// Sets the parameters of the store's caller in the transaction of a claim, which was begun without a caller.
    fn enter(&self, transaction: &mut Self::Transaction) -> impl Future<Output = Result<(), StoreError>> + Send;

    /// Lets the statements of a transaction wait for rows as those of others do.
    fn end_patience(transaction: &mut Self::Transaction) -> impl Future<Output = Result<(), StoreError>> + Send;

    fn execute(
        transaction: &mut Self::Transaction,
        statement: impl QueryStatementWriter + Send + Sync,
    ) -> impl Future<Output = Result<u64, StoreError>> + Send;

    fn fetch(
        transaction: &mut Self::Transaction,
        select: SelectStatement,
    ) -> impl Future<Output = Result<Option<StoredKey>, StoreError>> + Send;

    /// Reads outside of transactions.
    fn read(&self, select: SelectStatement) -> impl Future<Output = Result<Option<StoredKey>, StoreError>> + Send;

    /// Closes the connections of [`for_claims`](Self::for_claims).
    fn close_claims(&self) -> impl Future<Output = ()> + Send;
}

impl<D: Dialect> DatabaseStore<D> {
    fn has_own_claims(&self) -> bool {
        D::IS_PER_WORKER && matches!(self.shared.address, Address::Url(_))
    }
}

impl<D: Dialect> KeyDriver for DatabaseStore<D>
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
                // Each store has a memory of its own.
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
        self.register(context)
    }

    async fn begin_claim(&self, patience: Duration) -> Result<SqlTransaction<D>, StoreError> {
        // 0 would be without a limit.
        let limit = patience.as_millis().max(1);
        let extra = if D::LOCKS_ROWS { format!("; SET LOCAL lock_timeout = {limit}") } else { String::new() };
        let begin = begin_sql::<D>(&self.shared.settings, &extra);
        SqlTransaction::begin(&self.shared.connections, &self.shared.settings, self.id(), begin).await
    }

    async fn enter(&self, transaction: &mut SqlTransaction<D>) -> Result<(), StoreError> {
        match self.parameters()? {
            Some(parameters) => transaction.set_parameters(parameters).await,
            None => Ok(()),
        }
    }

    async fn end_patience(transaction: &mut SqlTransaction<D>) -> Result<(), StoreError> {
        if D::LOCKS_ROWS { transaction.run("SET LOCAL lock_timeout TO DEFAULT").await } else { Ok(()) }
    }

    async fn execute(
        transaction: &mut SqlTransaction<D>,
        statement: impl QueryStatementWriter + Send + Sync,
    ) -> Result<u64, StoreError> {
        transaction.execute(&statement).await
    }

    async fn fetch(
        transaction: &mut SqlTransaction<D>,
        select: SelectStatement,
    ) -> Result<Option<StoredKey>, StoreError> {
        let rows = transaction.fetch(&select).await?;
        rows.first().map(StoredKey::read::<D>).transpose()
    }

    async fn read(&self, select: SelectStatement) -> Result<Option<StoredKey>, StoreError> {
        let shared = &self.shared;
        let (sql, values) = D::build(&select);
        let mut lease = Lease::<D>::without_caller(&shared.connections, &shared.settings, Access::Read).await?;
        let rows = lease.fetch(None, sql.into(), values).await?;
        lease.finish().await?;
        rows.first().map(StoredKey::read::<D>).transpose()
    }

    async fn close_claims(&self) {
        if self.has_own_claims() {
            self.shared.connections.close().await;
        }
    }
}
