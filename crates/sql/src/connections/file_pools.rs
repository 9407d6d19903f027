//! Defines [`FilePools`], the pools of a SQLite database.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::own_pool::OwnPool;
use crate::driver::SqliteFile;
use crate::settings::StoreSettings;

/// The pools of a database that allows only one writer.
pub(super) struct FilePools {
    pub(super) reads: Arc<OwnPool>,
    pub(super) writes: Arc<OwnPool>,
    /// The connections for statements of the application and of the start.
    pub(super) others: Arc<OwnPool>,
}

impl FilePools {
    /// Creates pools without connections. Until `is_created`, the connections of the application create the file.
    pub(super) fn new(file: &SqliteFile, settings: &Arc<StoreSettings>, is_created: &Arc<AtomicBool>) -> Self {
        let writes = OwnPool::new(file, settings, 1, None);
        // Each connection to a database in memory would have a separate database.
        if file.is_in_memory() {
            let (reads, others) = (Arc::clone(&writes), Arc::clone(&writes));
            return Self { reads, writes, others };
        }
        let reads = OwnPool::new(file, settings, settings.connections, None);
        let others = OwnPool::new(file, settings, settings.connections, Some(Arc::clone(is_created)));
        Self { reads, writes, others }
    }

    /// Returns the pools whose connections the store counts. A database in memory has one pool for all statements.
    pub(super) fn counted(&self) -> impl Iterator<Item = &OwnPool> {
        let is_one = Arc::ptr_eq(&self.reads, &self.writes);
        [Some(&*self.writes), (!is_one).then_some(&*self.reads)].into_iter().flatten()
    }

    /// Closes the idle connections of all pools.
    pub(super) fn close(&self) {
        self.counted().chain([&*self.others]).for_each(OwnPool::close);
    }
}
