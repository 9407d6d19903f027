//! Defines [`Pool`], a connection pool of sqlx.

#[cfg(feature = "idempotency")]
use std::sync::Arc;
use std::time::Duration;

use sqlx::ConnectOptions as _;
use sqlx::pool::{PoolConnection, PoolOptions};
#[cfg(feature = "postgres")]
use sqlx::postgres::{PgConnectOptions, PgPool};
#[cfg(feature = "sqlite")]
use sqlx::sqlite::{SqliteConnectOptions, SqlitePool};

use crate::driver::Connection;

/// A connection pool of sqlx. It is the pool of the application, or a pool that runs statements of the application or of the start.
#[derive(Clone, Debug)]
pub(crate) enum Pool {
    #[cfg(feature = "sqlite")]
    Sqlite(SqlitePool),
    #[cfg(feature = "postgres")]
    Postgres(PgPool),
}

/// Runs the same code on the pool or on the connection of either database.
macro_rules! on {
    ($pool:expr, $kind:ident, $raw:ident => $code:expr) => {
        match $pool {
            #[cfg(feature = "sqlite")]
            $kind::Sqlite($raw) => $code,
            #[cfg(feature = "postgres")]
            $kind::Postgres($raw) => $code,
        }
    };
}

impl Pool {
    /// Creates a pool without connections.
    #[cfg(feature = "sqlite")]
    pub(super) fn of_sqlite(options: SqliteConnectOptions, connections: u32, wait: Duration) -> Self {
        // Each connection has its own thread, so it does not end with a worker.
        let pool = limited(connections, wait).idle_timeout(None).max_lifetime(None);
        Self::Sqlite(pool.connect_lazy_with(options))
    }

    /// Creates a pool without connections.
    #[cfg(feature = "postgres")]
    pub(super) fn of_postgres(options: PgConnectOptions, connections: u32, wait: Duration) -> Self {
        Self::Postgres(limited(connections, wait).connect_lazy_with(options))
    }

    /// Waits for a connection.
    pub(crate) async fn acquire(&self) -> Result<Pooled, sqlx::Error> {
        let connection = match self {
            #[cfg(feature = "sqlite")]
            Self::Sqlite(pool) => PooledConnection::Sqlite(Box::pin(pool.acquire()).await?),
            #[cfg(feature = "postgres")]
            Self::Postgres(pool) => PooledConnection::Postgres(Box::pin(pool.acquire()).await?),
        };
        Ok(Pooled { connection: Some(connection), is_busy: false })
    }

    /// Opens and drops a connection outside of the pool. Its error is the reason why the pool has no connection.
    pub(crate) async fn try_connection(&self) -> Result<(), sqlx::Error> {
        on!(self, Self, pool => pool.connect_options().connect().await.map(drop))
    }

    /// Returns `true` if `other` is a handle to the same pool.
    #[cfg(feature = "idempotency")]
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            #[cfg(feature = "sqlite")]
            (Self::Sqlite(own), Self::Sqlite(other)) => Arc::ptr_eq(&own.connect_options(), &other.connect_options()),
            #[cfg(feature = "postgres")]
            (Self::Postgres(own), Self::Postgres(other)) => {
                Arc::ptr_eq(&own.connect_options(), &other.connect_options())
            }
            #[cfg(all(feature = "postgres", feature = "sqlite"))]
            _ => false,
        }
    }

    pub(super) fn most(&self) -> u32 {
        on!(self, Self, pool => pool.options().get_max_connections())
    }

    /// Returns the number of open connections, and how many of them are idle.
    pub(super) fn usage(&self) -> (usize, usize) {
        on!(self, Self, pool => (pool.size() as usize, pool.num_idle()))
    }

    pub(super) fn is_closed(&self) -> bool {
        on!(self, Self, pool => pool.is_closed())
    }

    pub(super) async fn close(&self) {
        on!(self, Self, pool => pool.close().await);
    }
}

fn limited<D: sqlx::Database>(connections: u32, wait: Duration) -> PoolOptions<D> {
    // The store reports timeouts itself.
    PoolOptions::new().max_connections(connections).acquire_timeout(wait).acquire_slow_threshold(wait * 2)
}

/// A connection from a pool of sqlx. Dropping it rolls back its transactions.
#[derive(Debug)]
pub(crate) struct Pooled {
    connection: Option<PooledConnection>,
    /// `true` if a statement may still be running.
    is_busy: bool,
}

#[derive(Debug)]
enum PooledConnection {
    #[cfg(feature = "sqlite")]
    Sqlite(PoolConnection<sqlx::Sqlite>),
    #[cfg(feature = "postgres")]
    Postgres(PoolConnection<sqlx::Postgres>),
}

impl PooledConnection {
    fn raw(&mut self) -> Connection<'_> {
        match self {
            #[cfg(feature = "sqlite")]
            Self::Sqlite(connection) => Connection::Sqlite(connection),
            #[cfg(feature = "postgres")]
            Self::Postgres(connection) => Connection::Postgres(connection),
        }
    }
}

impl Pooled {
    #[expect(clippy::expect_used, reason = "only `close` and `drop` remove the connection")]
    pub(crate) fn connection(&mut self) -> Connection<'_> {
        self.connection.as_mut().expect("the connection was not closed").raw()
    }

    /// Records whether a statement may still be running. If so, the connection is closed on drop.
    pub(crate) fn set_busy(&mut self, is_busy: bool) {
        self.is_busy = is_busy;
    }

    /// Closes the connection on drop, so it does not return to the pool.
    #[cfg(feature = "postgres")]
    pub(crate) fn close_on_drop(&mut self) {
        if let Some(connection) = &mut self.connection {
            on!(connection, PooledConnection, connection => connection.close_on_drop());
        }
    }

    /// Closes the connection, and waits for its end.
    #[cfg(feature = "postgres")]
    pub(crate) async fn close(mut self) -> Result<(), sqlx::Error> {
        match self.connection.take() {
            Some(connection) => on!(connection, PooledConnection, connection => connection.close().await),
            None => Ok(()),
        }
    }
}

/// Closes the connection if a statement may still be running. The pool would otherwise wait for the end of the statement.
impl Drop for Pooled {
    fn drop(&mut self) {
        let Some(mut connection) = self.connection.take() else { return };
        if self.is_busy {
            on!(&mut connection, PooledConnection, connection => connection.close_on_drop());
        } else if connection.raw().depth() > 0 {
            connection.raw().start_rollback();
        }
    }
}
