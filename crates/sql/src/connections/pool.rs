//! Defines [`Pool`], a connection pool for statements of the application or of the start.

use std::sync::Arc;
#[cfg(feature = "postgres")]
use std::time::Duration;

#[cfg(feature = "sqlite")]
use restwright_resource::StoreError;
#[cfg(feature = "postgres")]
use sqlx::{
    ConnectOptions as _, Postgres,
    pool::{PoolConnection, PoolOptions},
    postgres::{PgConnectOptions, PgPool},
};

#[cfg(feature = "sqlite")]
use super::opening::Locked;
#[cfg(feature = "sqlite")]
use super::own_pool::{OwnGuard, OwnPool};
use crate::driver::{Connection, DriverError};
#[cfg(feature = "postgres")]
use crate::driver::{depth, start_rollback};

/// A connection pool. It is the pool of the application, or a pool that runs statements of the application or of the start.
#[derive(Clone)]
pub(crate) enum Pool {
    #[cfg(feature = "sqlite")]
    Sqlite(Arc<OwnPool>),
    #[cfg(feature = "postgres")]
    Postgres(PgPool),
}

impl Pool {
    /// Creates a pool without connections.
    #[cfg(feature = "postgres")]
    pub(super) fn of_postgres(options: PgConnectOptions, connections: u32, wait: Duration) -> Self {
        // The store reports timeouts itself.
        let pool =
            PoolOptions::new().max_connections(connections).acquire_timeout(wait).acquire_slow_threshold(wait * 2);
        Self::Postgres(pool.connect_lazy_with(options))
    }

    /// Waits for a connection.
    pub(crate) async fn acquire(&self) -> Result<Pooled, DriverError> {
        match self {
            #[cfg(feature = "sqlite")]
            Self::Sqlite(pool) => pool.acquire(|| Ok(())).await.map(Pooled::Sqlite).map_err(|error| match error {
                // A start tries again.
                StoreError::Unavailable(cause) if cause.is::<Locked>() => DriverError::locked(cause.to_string()),
                StoreError::Unavailable(cause) => DriverError::Unavailable(cause.to_string()),
                other => DriverError::Other(other.to_string()),
            }),
            #[cfg(feature = "postgres")]
            Self::Postgres(pool) => {
                let connection = Some(Box::pin(pool.acquire()).await?);
                Ok(Pooled::Postgres(PooledConnection { connection, is_busy: false }))
            }
        }
    }

    /// Opens and drops a connection outside of the pool. Its error is the reason why the pool has no connection.
    pub(crate) async fn try_connection(&self) -> Result<(), DriverError> {
        match self {
            #[cfg(feature = "sqlite")]
            Self::Sqlite(_) => self.acquire().await.map(drop),
            #[cfg(feature = "postgres")]
            Self::Postgres(pool) => Ok(pool.connect_options().connect().await.map(drop)?),
        }
    }

    /// Returns `true` if `other` is a handle to the same pool.
    #[cfg(feature = "idempotency")]
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            #[cfg(feature = "sqlite")]
            (Self::Sqlite(own), Self::Sqlite(other)) => Arc::ptr_eq(own, other),
            #[cfg(feature = "postgres")]
            (Self::Postgres(own), Self::Postgres(other)) => {
                Arc::ptr_eq(&own.connect_options(), &other.connect_options())
            }
            #[cfg(all(feature = "postgres", feature = "sqlite"))]
            _ => false,
        }
    }

    pub(super) fn most(&self) -> u32 {
        match self {
            #[cfg(feature = "sqlite")]
            Self::Sqlite(pool) => u32::try_from(pool.most()).unwrap_or(u32::MAX),
            #[cfg(feature = "postgres")]
            Self::Postgres(pool) => pool.options().get_max_connections(),
        }
    }

    /// Returns the number of open connections, and how many of them are idle.
    pub(super) fn usage(&self) -> (usize, usize) {
        match self {
            #[cfg(feature = "sqlite")]
            Self::Sqlite(pool) => {
                let (used, idle, _most) = pool.usage();
                (used + idle, idle)
            }
            #[cfg(feature = "postgres")]
            Self::Postgres(pool) => (pool.size() as usize, pool.num_idle()),
        }
    }

    pub(super) fn is_closed(&self) -> bool {
        match self {
            #[cfg(feature = "sqlite")]
            Self::Sqlite(_) => false,
            #[cfg(feature = "postgres")]
            Self::Postgres(pool) => pool.is_closed(),
        }
    }

    pub(super) async fn close(&self) {
        match self {
            #[cfg(feature = "sqlite")]
            Self::Sqlite(pool) => pool.close(),
            #[cfg(feature = "postgres")]
            Self::Postgres(pool) => pool.close().await,
        }
    }
}

/// A connection from a [`Pool`]. Dropping it rolls back its transactions.
#[derive(Debug)]
pub(crate) enum Pooled {
    #[cfg(feature = "sqlite")]
    Sqlite(OwnGuard),
    #[cfg(feature = "postgres")]
    Postgres(PooledConnection),
}

/// A connection from a pool of sqlx.
#[cfg(feature = "postgres")]
#[derive(Debug)]
pub(crate) struct PooledConnection {
    connection: Option<PoolConnection<Postgres>>,
    /// `true` if a statement may still be running.
    is_busy: bool,
}

impl Pooled {
    #[cfg_attr(
        feature = "postgres",
        expect(clippy::expect_used, reason = "only `close` and `drop` remove the connection")
    )]
    pub(crate) fn connection(&mut self) -> Connection<'_> {
        match self {
            #[cfg(feature = "sqlite")]
            Self::Sqlite(guard) => Connection::Sqlite(guard.connection()),
            #[cfg(feature = "postgres")]
            Self::Postgres(pooled) => {
                Connection::Postgres(pooled.connection.as_mut().expect("the connection was not closed"))
            }
        }
    }

    /// Records whether a statement may still be running. If so, the connection is closed on drop.
    pub(crate) fn set_busy(&mut self, is_busy: bool) {
        match self {
            #[cfg(feature = "sqlite")]
            Self::Sqlite(guard) => guard.set_busy(is_busy),
            #[cfg(feature = "postgres")]
            Self::Postgres(pooled) => pooled.is_busy = is_busy,
        }
    }

    /// Closes the connection on drop, so it does not return to the pool.
    #[cfg(feature = "postgres")]
    pub(crate) fn close_on_drop(&mut self) {
        if let Self::Postgres(PooledConnection { connection: Some(connection), .. }) = self {
            connection.close_on_drop();
        }
    }

    /// Closes the connection, and waits for its end.
    #[cfg(feature = "postgres")]
    pub(crate) async fn close(mut self) -> Result<(), DriverError> {
        if let Self::Postgres(pooled) = &mut self
            && let Some(connection) = pooled.connection.take()
        {
            connection.close().await?;
        }
        Ok(())
    }
}

/// Closes the connection if a statement may still be running. The pool would otherwise wait for the end of the statement.
#[cfg(feature = "postgres")]
impl Drop for PooledConnection {
    fn drop(&mut self) {
        let Some(mut connection) = self.connection.take() else { return };
        if self.is_busy {
            connection.close_on_drop();
        } else if depth(&connection) > 0 {
            start_rollback(&mut connection);
        }
    }
}
