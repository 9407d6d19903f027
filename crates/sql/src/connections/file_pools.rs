//! Defines [`FilePools`], the pools of a SQLite database.

use std::sync::Arc;

use sqlx::sqlite::SqliteConnectOptions;

use super::options::is_in_memory;
use super::own_pool::OwnPool;
use crate::settings::StoreSettings;

/// The read pool and the write pool of a database that allows only one writer.
pub(super) struct FilePools {
    pub(super) reads: Arc<OwnPool>,
    pub(super) writes: Arc<OwnPool>,
}

impl FilePools {
    pub(super) fn new(options: &SqliteConnectOptions, settings: &Arc<StoreSettings>) -> Self {
        let writes = OwnPool::new(options, settings, 1);
        // Each connection to a database in memory would have a separate database.
        let reads = match is_in_memory(options) {
            true => Arc::clone(&writes),
            false => OwnPool::new(options, settings, settings.connections),
        };
        Self { reads, writes }
    }

    /// Returns the pools. A database in memory has one pool for reads and writes.
    pub(super) fn all(&self) -> impl Iterator<Item = &OwnPool> {
        let is_one = Arc::ptr_eq(&self.reads, &self.writes);
        [Some(&*self.writes), (!is_one).then_some(&*self.reads)].into_iter().flatten()
    }
}
