//! Defines [`FilePools`], the pools of a SQLite database.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use restwright_resource::StoreError;

use super::groups::{Grouped, Groups};
use super::own_pool::OwnPool;
use super::queue::Place;
use crate::driver::{ChangeStatement, SqliteFile};
use crate::settings::StoreSettings;

/// The pools of a database that allows only one writer.
pub(crate) struct FilePools {
    pub(super) reads: Arc<OwnPool>,
    pub(super) writes: Arc<OwnPool>,
    /// The connections for statements of the application and of the start.
    pub(super) others: Arc<OwnPool>,
    pub(super) groups: Arc<Groups>,
    settings: Arc<StoreSettings>,
    waiting: Arc<AtomicUsize>,
}

impl FilePools {
    /// Creates pools without connections. Until `is_created`, the connections of the application create the file.
    pub(super) fn new(
        file: &SqliteFile,
        settings: &Arc<StoreSettings>,
        is_created: &Arc<AtomicBool>,
        waiting: &Arc<AtomicUsize>,
    ) -> Self {
        let writes = OwnPool::new(file, settings, 1, None);
        let (groups, waiting) = (Arc::default(), Arc::clone(waiting));
        // Each connection to a database in memory would have a separate database.
        if file.is_in_memory() {
            let (reads, others) = (Arc::clone(&writes), Arc::clone(&writes));
            return Self { reads, writes, others, groups, settings: Arc::clone(settings), waiting };
        }
        let reads = OwnPool::new(file, settings, settings.connections, None);
        let others = OwnPool::new(file, settings, settings.connections, Some(Arc::clone(is_created)));
        Self { reads, writes, others, groups, settings: Arc::clone(settings), waiting }
    }

    /// Returns `true` if changes can share a transaction.
    pub(super) fn has_groups(&self) -> bool {
        self.groups.is_allowed.load(Ordering::Relaxed)
    }

    /// Runs a change in a transaction, possibly with other changes, and returns its result after the commit.
    pub(crate) async fn change(&self, statement: ChangeStatement) -> Result<Grouped, StoreError> {
        let turn = self.writes.acquire(|| self.queue());
        self.groups.run(&self.settings, turn, statement).await
    }

    fn queue(&self) -> Result<Place<'_>, StoreError> {
        Place::take(&self.waiting, self.settings.queue)
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
