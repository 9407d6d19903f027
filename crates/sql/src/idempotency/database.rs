//! Defines [`KeyDatabase`], a store whose database can contain idempotency keys.

use std::sync::Arc;
use std::time::Duration;

use restwright_core::runtime::BoxFuture;
use restwright_core::{ApiState, BuildContext, BuildErrors};
use restwright_resource::{Store, StoreError, StoreFuture, Transaction};
use sea_query::{DeleteStatement, InsertStatement, SelectStatement};

use super::rows::{StoredKey, table};
use crate::connections::Access;
#[cfg(feature = "postgres")]
use crate::databases::PostgresStore;
#[cfg(feature = "sqlite")]
use crate::databases::SqliteStore;
use crate::dialect::{Connection, Dialect};
use crate::lease::Lease;
#[cfg(all(feature = "postgres", feature = "sqlite"))]
use crate::sql_store::{Kind, SqlStore};
use crate::store::{Address, DatabaseStore};
use crate::transaction::{SqlTransaction, begin_sql, is_taken};

/// A store whose database can contain idempotency keys. The trait is sealed: the crate does not export it.
pub trait KeyDatabase: Store {
    /// Returns the store, as the database of the keys.
    fn keys(&self) -> Arc<dyn Keys>;
}

/// The database of idempotency keys.
pub trait Keys: Store {
    /// Returns the name of the database, such as `SQLite`.
    fn database_name(&self) -> &'static str;

    /// Returns a copy of the store, with separate connections for idempotency keys where necessary. A request can then hold the connection
    /// that locks its key and still get a connection for its statements.
    fn for_claims(&self) -> Arc<dyn Keys>;

    /// Returns `true` if `store` uses the same database. Its settings may differ.
    fn is_same(&self, store: &dyn Store) -> bool;

    /// Returns `true` if transactions lock single rows, and `false` if they lock the whole database.
    fn locks_rows(&self) -> bool;

    /// Registers the store and the table of the idempotency keys.
    fn plan_keys(&self, context: &mut BuildContext<'_, ApiState>) -> Result<(), BuildErrors>;

    /// Begins a transaction and inserts the row of a key. Returns `None` if the key already has a row. Waits at most `patience` while another
    /// transaction locks the row.
    fn begin_with<'a>(
        &'a self,
        insert: &'a InsertStatement,
        patience: Duration,
    ) -> StoreFuture<'a, Option<Transaction>>;

    /// Sets the database parameters of the caller of `store` in the transaction that locks an idempotency key. The transaction begins without
    /// these parameters.
    fn enter<'a>(&'a self, store: &'a dyn Store, transaction: &'a mut Transaction) -> StoreFuture<'a, ()>;

    /// Reads the row of a key outside of a transaction.
    fn read_key(&self, select: SelectStatement) -> StoreFuture<'_, Option<StoredKey>>;

    /// Runs a `DELETE` statement outside of a transaction, and returns the number of deleted rows.
    fn run(&self, delete: DeleteStatement) -> StoreFuture<'_, u64>;

    /// Closes the separate connections of a store that [`for_claims`](Self::for_claims) returned.
    fn close_claims(&self) -> BoxFuture<'_, ()>;
}

#[cfg(all(feature = "postgres", feature = "sqlite"))]
impl KeyDatabase for SqlStore {
    fn keys(&self) -> Arc<dyn Keys> {
        match &self.0 {
            Kind::Sqlite(store) => store.keys(),
            Kind::Postgres(store) => store.keys(),
        }
    }
}

// A generic implementation would compile the methods of `Keys` in each application.
#[cfg(feature = "sqlite")]
impl KeyDatabase for SqliteStore {
    fn keys(&self) -> Arc<dyn Keys> {
        Arc::new(self.clone())
    }
}

#[cfg(feature = "postgres")]
impl KeyDatabase for PostgresStore {
    fn keys(&self) -> Arc<dyn Keys> {
        Arc::new(self.clone())
    }
}

impl<D: Dialect> DatabaseStore<D> {
    fn has_own_claims(&self) -> bool {
        D::IS_PER_WORKER && matches!(self.shared.address, Address::Url(_))
    }
}

impl<D: Dialect> Keys for DatabaseStore<D>
where
    Connection<D>: Sized,
{
    fn database_name(&self) -> &'static str {
        D::NAME
    }

    fn for_claims(&self) -> Arc<dyn Keys> {
        Arc::new(if self.has_own_claims() { self.clone().set(|_| {}) } else { self.clone() })
    }

    fn is_same(&self, store: &dyn Store) -> bool {
        let Some(other) = Self::of(store) else { return false };
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

    fn begin_with<'a>(
        &'a self,
        insert: &'a InsertStatement,
        patience: Duration,
    ) -> StoreFuture<'a, Option<Transaction>> {
        Box::pin(async move {
            let shared = &self.shared;
            let following = D::inline(insert)
                .map(|insert| format!("; SET LOCAL lock_timeout = {}; {insert}", lock_timeout(patience)));
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
        })
    }

    fn enter<'a>(&'a self, store: &'a dyn Store, transaction: &'a mut Transaction) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            let store = Self::of(store).ok_or_else(|| StoreError::failed("the store is on another database"))?;
            let transaction = transaction.get::<SqlTransaction<D>>()?;
            transaction.enter(store.id());
            match store.parameters()? {
                Some(parameters) => transaction.set_parameters(parameters).await,
                None => Ok(()),
            }
        })
    }

    fn read_key(&self, select: SelectStatement) -> StoreFuture<'_, Option<StoredKey>> {
        Box::pin(async move {
            let shared = &self.shared;
            let (sql, values) = D::build(&select);
            let mut lease = Lease::<D>::own(&shared.connections, Access::Read, None).await?;
            let rows = lease.fetch(None, sql.into(), values).await?;
            lease.finish().await?;
            rows.first().map(StoredKey::read::<D>).transpose()
        })
    }

    fn run(&self, delete: DeleteStatement) -> StoreFuture<'_, u64> {
        Box::pin(async move {
            let shared = &self.shared;
            let (sql, values) = D::build(&delete);
            let mut lease = Lease::<D>::own(&shared.connections, Access::Write, None).await?;
            let deleted = lease.execute(None, sql.into(), values).await?;
            lease.finish().await?;
            Ok(deleted)
        })
    }

    fn close_claims(&self) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            if self.has_own_claims() {
                self.shared.connections.close().await;
            }
        })
    }
}

/// Returns the `lock_timeout` for the transaction of an idempotency key, in milliseconds. It also applies to the statements of the
/// endpoint, so it is at least the 20 ms of a first attempt without a key.
fn lock_timeout(patience: Duration) -> u128 {
    patience.as_millis().max(20)
}
