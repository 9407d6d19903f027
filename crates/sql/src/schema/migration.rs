//! The migration: creates what is missing, in one transaction under a lock.

use std::time::{Duration, Instant};

use restwright_core::ComponentError;
use restwright_resource::StoreError;
use sqlx::{AssertSqlSafe, Transaction};

use super::{Schema, sql};
use crate::connections::Access;
use crate::dialect::Dialect;
use crate::store::{DatabaseStore, Shared};
use crate::violation::{Violation, store_error};

/// The time that a start waits for the migration of another process.
const WAIT: Duration = Duration::from_mins(10);

impl<D: Dialect> DatabaseStore<D> {
    /// Creates what is missing.
    pub(crate) async fn run_migration(&self) -> Result<(), ComponentError> {
        let schema = Schema::new(&self.shared);
        if !schema.mistakes.is_empty() {
            return Err(schema.mistakes.join("\n").into());
        }
        let mut transaction = begin(&self.shared).await?;
        D::lock_schema(&mut transaction).await?;
        let mut added = Vec::new();
        for table in schema.table_schemas() {
            if D::has_table(&mut transaction, table.schema.as_deref(), &table.name).await? {
                continue;
            }
            run::<D>(&mut transaction, sql::create_table::<D>(table)).await?;
            for index in &table.indexes {
                run::<D>(&mut transaction, sql::create_index::<D>(table, index)).await?;
            }
            added.push(table);
        }
        if D::ADDS_FOREIGN_KEYS {
            for table in added {
                for key in &table.foreign_keys {
                    run::<D>(&mut transaction, sql::add_foreign_key::<D>(table, key)).await?;
                }
            }
        }
        Ok(transaction.commit().await?)
    }
}

async fn run<D: Dialect>(transaction: &mut Transaction<'static, D::Database>, sql: String) -> Result<(), ComponentError> {
    tracing::info!(database = D::NAME, sql, "migrating");
    D::run(transaction, sql.as_str().into()).await.map_err(|error| format!("{error}; the statement was: {sql}").into())
}

/// Begins the transaction of a migration, and waits for that of another process.
async fn begin<D: Dialect>(shared: &Shared<D>) -> Result<Transaction<'static, D::Database>, StoreError> {
    let began = Instant::now();
    loop {
        let pool = shared.connections.pool(Access::Write)?;
        match pool.begin_with(AssertSqlSafe(D::BEGIN_MIGRATION)).await {
            Ok(transaction) => return Ok(transaction),
            Err(error) if D::is_locked(&error) && began.elapsed() < WAIT => {}
            Err(error) => return Err(store_error(&Violation::Unavailable, error)),
        }
    }
}
