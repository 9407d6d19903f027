//! Defines [`Held`], a connection that is in use.

#[cfg(feature = "sqlite")]
use super::own_pool::OwnGuard;
use super::pool::Pooled;
#[cfg(feature = "postgres")]
use super::worker_pool::WorkerGuard;
use crate::driver::Connection;

/// A connection that is in use. It returns to its pool when it is dropped.
pub(crate) enum Held {
    /// A connection from the pool that the application passed to the store.
    Pooled(Pooled),
    #[cfg(feature = "sqlite")]
    Own(OwnGuard),
    #[cfg(feature = "postgres")]
    Worker(WorkerGuard),
}

impl Held {
    pub(crate) fn connection(&mut self) -> Connection<'_> {
        match self {
            Self::Pooled(pooled) => pooled.connection(),
            #[cfg(feature = "sqlite")]
            Self::Own(guard) => Connection::Sqlite(guard.connection()),
            #[cfg(feature = "postgres")]
            Self::Worker(guard) => Connection::Postgres(guard.connection()),
        }
    }

    /// Returns `true` if this is one of the store's SQLite connections. The store begins and ends their transactions itself.
    pub(crate) fn is_own(&self) -> bool {
        #[cfg(feature = "sqlite")]
        let is_own = matches!(self, Self::Own(_));
        #[cfg(not(feature = "sqlite"))]
        let is_own = false;
        is_own
    }

    /// Records whether a statement may still be running. If so, the connection is closed on drop.
    pub(crate) fn set_busy(&mut self, is_busy: bool) {
        match self {
            Self::Pooled(pooled) => pooled.set_busy(is_busy),
            #[cfg(feature = "sqlite")]
            Self::Own(guard) => guard.set_busy(is_busy),
            #[cfg(feature = "postgres")]
            Self::Worker(guard) => guard.set_busy(is_busy),
        }
    }
}
