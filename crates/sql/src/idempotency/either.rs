//! Keys in the database of a [`SqlStore`].

use std::time::Duration;

use restwright_core::{ApiState, BuildContext, BuildErrors};
use restwright_resource::StoreError;
use sea_query::{QueryStatementWriter, SelectStatement};

use super::database::KeyDriver;
use super::rows::StoredKey;
use crate::sql_store::{AnyTransaction, Kind, TransactionKind};
use crate::{PostgresStore, SqlStore, SqliteStore};

/// Runs the same code on either store or transaction.
macro_rules! on {
    ($kind:ident, $either:expr, $one:ident => $code:expr) => {
        match $either {
            $kind::Sqlite($one) => $code,
            $kind::Postgres($one) => $code,
        }
    };
}

impl KeyDriver for SqlStore {
    fn database_name(&self) -> &'static str {
        on!(Kind, &self.0, store => store.database_name())
    }

    fn for_claims(&self) -> Self {
        Self(match &self.0 {
            Kind::Sqlite(store) => Kind::Sqlite(store.for_claims()),
            Kind::Postgres(store) => Kind::Postgres(store.for_claims()),
        })
    }

    fn is_same(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Kind::Sqlite(one), Kind::Sqlite(other)) => one.is_same(other),
            (Kind::Postgres(one), Kind::Postgres(other)) => one.is_same(other),
            _ => false,
        }
    }

    fn locks_rows(&self) -> bool {
        on!(Kind, &self.0, store => store.locks_rows())
    }

    fn plan_keys(&self, context: &mut BuildContext<'_, ApiState>) -> Result<(), BuildErrors> {
        on!(Kind, &self.0, store => store.plan_keys(context))
    }

    async fn begin_claim(&self, patience: Duration) -> Result<AnyTransaction, StoreError> {
        Ok(AnyTransaction(match &self.0 {
            Kind::Sqlite(store) => TransactionKind::Sqlite(store.begin_claim(patience).await?),
            Kind::Postgres(store) => TransactionKind::Postgres(store.begin_claim(patience).await?),
        }))
    }

    async fn enter(&self, transaction: &mut AnyTransaction) -> Result<(), StoreError> {
        match (&self.0, &mut transaction.0) {
            (Kind::Sqlite(store), TransactionKind::Sqlite(transaction)) => store.enter(transaction).await,
            (Kind::Postgres(store), TransactionKind::Postgres(transaction)) => store.enter(transaction).await,
            _ => Err(StoreError::failed("the transaction was begun by another store")),
        }
    }

    async fn end_patience(transaction: &mut AnyTransaction) -> Result<(), StoreError> {
        match &mut transaction.0 {
            TransactionKind::Sqlite(transaction) => SqliteStore::end_patience(transaction).await,
            TransactionKind::Postgres(transaction) => PostgresStore::end_patience(transaction).await,
        }
    }

    async fn execute(
        transaction: &mut AnyTransaction,
        statement: impl QueryStatementWriter + Send + Sync,
    ) -> Result<u64, StoreError> {
        transaction.execute(&statement).await
    }

    async fn fetch(transaction: &mut AnyTransaction, select: SelectStatement) -> Result<Option<StoredKey>, StoreError> {
        match &mut transaction.0 {
            TransactionKind::Sqlite(transaction) => <SqliteStore as KeyDriver>::fetch(transaction, select).await,
            TransactionKind::Postgres(transaction) => <PostgresStore as KeyDriver>::fetch(transaction, select).await,
        }
    }

    async fn read(&self, select: SelectStatement) -> Result<Option<StoredKey>, StoreError> {
        on!(Kind, &self.0, store => store.read(select).await)
    }

    async fn close_claims(&self) {
        on!(Kind, &self.0, store => store.close_claims().await);
    }
}
