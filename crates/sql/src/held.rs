//! Defines [`Held`], a connection that is in use.

use sqlx::Database;
use sqlx::pool::PoolConnection;
use sqlx_core::transaction::TransactionManager;

use crate::dialect::{Connection, Dialect, Driver};
use crate::own_pool::OwnGuard;
use crate::worker_pool::WorkerGuard;

/// The transaction manager of sqlx. It counts the transactions of a connection, so the application can begin nested transactions.
pub(crate) type Manager<D> = <<D as Driver>::Database as Database>::TransactionManager;

/// A connection that is in use. It returns to its pool when it is dropped.
pub(crate) enum Held<D: Dialect> {
    /// A connection from the pool that the application passed to the store.
    Pooled(Pooled<D>),
    Own(OwnGuard<D>),
    Worker(WorkerGuard<D>),
}

/// A [`Held`] as a trait object. A crate that drops it contains no code of its pool.
pub(crate) trait AnyHeld<D: Dialect>: Send + Sync {
    fn held(&mut self) -> &mut Held<D>;
}

impl<D: Dialect> AnyHeld<D> for Held<D> {
    fn held(&mut self) -> &mut Held<D> {
        self
    }
}

/// A connection from the pool that the application passed to the store. Dropping it rolls back its transaction.
pub(crate) struct Pooled<D: Dialect> {
    pub(crate) connection: PoolConnection<D::Database>,
    /// `true` if a statement may still be running.
    pub(crate) is_busy: bool,
}

impl<D: Dialect> Held<D> {
    pub(crate) fn connection(&mut self) -> &mut Connection<D> {
        match self {
            Self::Pooled(pooled) => &mut pooled.connection,
            Self::Own(connection) => connection.connection(),
            Self::Worker(connection) => connection.connection(),
        }
    }

    /// Records whether a statement may still be running. If so, the connection is closed on drop.
    pub(crate) fn set_busy(&mut self, is_busy: bool) {
        match self {
            Self::Pooled(pooled) => pooled.is_busy = is_busy,
            Self::Own(connection) => connection.set_busy(is_busy),
            Self::Worker(connection) => connection.set_busy(is_busy),
        }
    }
}

/// Closes the connection if a statement may still be running. The pool would otherwise wait for the end of the statement.
impl<D: Dialect> Drop for Pooled<D> {
    fn drop(&mut self) {
        if self.is_busy {
            self.connection.close_on_drop();
        } else if Manager::<D>::get_transaction_depth(&self.connection) > 0 {
            Manager::<D>::start_rollback(&mut self.connection);
        }
    }
}
