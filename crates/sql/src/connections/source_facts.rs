//! Facts about the pools of a store.

use super::{Connections, Source};

impl Connections {
    /// Returns `true` if each worker has a separate pool.
    #[cfg(feature = "idempotency")]
    pub(crate) fn are_per_worker(&self) -> bool {
        match &self.source {
            #[cfg(feature = "postgres")]
            Source::Postgres { .. } => true,
            _ => false,
        }
    }

    /// Returns `true` if other stores on the same URL use the same database. A database in memory belongs to one store.
    #[cfg(feature = "idempotency")]
    pub(crate) fn is_shared(&self) -> bool {
        match &self.source {
            #[cfg(feature = "sqlite")]
            Source::Sqlite { file, .. } => !file.is_in_memory(),
            Source::Invalid(_) => false,
            _ => true,
        }
    }

    /// Returns `true` if statements use all connections of the current worker. Other pools do not count the open connections.
    pub(crate) fn is_busy(&self) -> bool {
        match &self.source {
            #[cfg(feature = "postgres")]
            Source::Postgres { .. } => self.worker_pool().is_ok_and(|pool| pool.is_busy()),
            _ => false,
        }
    }

    /// Returns `true` if the application passed a pool of one connection. The server may accept no other connection.
    pub(crate) fn is_single(&self) -> bool {
        matches!(&self.source, Source::Given(pool) if pool.most() == 1)
    }
}
