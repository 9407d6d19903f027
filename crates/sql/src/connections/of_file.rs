//! Connections to a SQLite database.

use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};

use restwright_resource::StoreError;
use sea_query::Value as SqlValue;

use super::file_pools::FilePools;
use super::{Connections, Held, Pool, Source};
use crate::driver::{Database, SqlRow, SqliteFile, store_error};

impl Connections {
    /// Waits for a connection for custom statements on SQLite.
    pub(crate) async fn other_sqlite(&self) -> Result<Held, StoreError> {
        match self.pool()? {
            Pool::Sqlite(pool) => Ok(Held::Own(pool.acquire(|| self.queue()).await?)),
            #[cfg(feature = "postgres")]
            Pool::Postgres(_) => Err(StoreError::failed("the store is on PostgreSQL; call `postgres_pool`")),
        }
    }

    pub(super) fn file_pools<'p>(&self, file: &SqliteFile, pools: &'p OnceLock<Arc<FilePools>>) -> &'p Arc<FilePools> {
        pools.get_or_init(|| Arc::new(FilePools::new(file, &self.settings, &self.is_created, &self.waiting)))
    }

    /// Returns the pools whose changes share transactions, if they do.
    pub(crate) fn grouped(&self) -> Option<Arc<FilePools>> {
        let Source::Sqlite { pools, .. } = &self.source else { return None };
        pools.get().filter(|pools| pools.has_groups()).map(Arc::clone)
    }

    /// Lets changes share transactions, if no constraint of the database is checked at a commit.
    pub(crate) async fn allow_groups(&self) -> Result<(), StoreError> {
        let Source::Sqlite { file, pools, .. } = &self.source else { return Ok(()) };
        if file.is_in_memory() {
            return Ok(());
        }
        let pools = self.file_pools(file, pools);
        let mut guard = pools.writes.acquire(|| self.queue()).await?;
        let deferred = "SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE sql LIKE '%DEFERRABLE%INITIALLY%DEFERRED%')";
        let query = |raw: &mut rusqlite::Connection| raw.query_row(deferred, [], |row| row.get::<_, bool>(0));
        let has_deferred = guard.connection().with(query).await;
        let has_deferred = has_deferred.map_err(|error| store_error(&Database::Sqlite.failure(&error), error))?;
        pools.groups.is_allowed.store(!has_deferred, Ordering::Relaxed);
        Ok(())
    }

    /// Runs a short read on the thread of the worker. Returns `None` if a connection of a pool must run it.
    pub(crate) async fn fetch_inline(&self, sql: &Arc<str>, values: &[SqlValue]) -> Option<Vec<SqlRow>> {
        match &self.source {
            Source::Sqlite { file, inline, .. } if self.settings.reads_inline && !file.is_in_memory() => {
                inline.fetch((self.id, &self.alive), file, sql, values).await
            }
            _ => None,
        }
    }
}
