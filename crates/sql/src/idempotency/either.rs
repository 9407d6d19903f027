//! Implements [`KeyDatabase`] for [`SqlStore`].

use std::time::Duration;

use restwright_core::{ApiState, BuildContext, BuildErrors};
use restwright_resource::{StoreError, Transaction};
use sea_query::{DeleteStatement, InsertStatement, SelectStatement};

use super::database::KeyDatabase;
use super::rows::StoredKey;
use crate::sql_store::Kind;
use crate::sql_store::SqlStore;

/// Runs the same code on the SQLite store or on the PostgreSQL store.
macro_rules! on {
    ($either:expr, $store:ident => $code:expr) => {
        match $either {
            Kind::Sqlite($store) => $code,
            Kind::Postgres($store) => $code,
        }
    };
}

impl KeyDatabase for SqlStore {
    fn database_name(&self) -> &'static str {
        on!(&self.0, store => store.database_name())
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
        on!(&self.0, store => store.locks_rows())
    }

    fn plan_keys(&self, context: &mut BuildContext<'_, ApiState>) -> Result<(), BuildErrors> {
        on!(&self.0, store => store.plan_keys(context))
    }

    async fn begin_with(
        &self,
        insert: &InsertStatement,
        patience: Duration,
    ) -> Result<Option<Transaction>, StoreError> {
        on!(&self.0, store => store.begin_with(insert, patience).await)
    }

    async fn enter(&self, transaction: &mut Transaction) -> Result<(), StoreError> {
        on!(&self.0, store => store.enter(transaction).await)
    }

    async fn read_key(&self, select: SelectStatement) -> Result<Option<StoredKey>, StoreError> {
        on!(&self.0, store => store.read_key(select).await)
    }

    async fn run(&self, delete: DeleteStatement) -> Result<u64, StoreError> {
        on!(&self.0, store => store.run(delete).await)
    }

    async fn close_claims(&self) {
        on!(&self.0, store => store.close_claims().await);
    }
}
