//! Defines [`OwnPool`], the connection pool for SQLite. Each connection has a separate thread and does not depend on a tokio runtime.
//!
//! A connection returns to the pool when it is dropped, in any runtime, even if the runtime has ended. A pool of sqlx needs a running task
//! for this.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use restwright_resource::StoreError;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{ConnectOptions as _, Connection as _};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::opening::opening_error;
use super::options::{file_address, is_in_memory};
use crate::driver::{Connection, Database, sqlite};
use crate::settings::StoreSettings;

/// A connection pool with a maximum number of connections.
pub(crate) struct OwnPool {
    options: SqliteConnectOptions,
    settings: Arc<StoreSettings>,
    places: Arc<Semaphore>,
    /// The maximum number of connections.
    most: usize,
    idle: Mutex<Vec<Idle>>,
    /// `true` if the database is in memory. Its connections are never closed, because they contain the entities.
    is_in_memory: bool,
}

struct Idle {
    connection: SqliteConnection,
    is_cancelled: Arc<AtomicBool>,
    /// `true` if a transaction was still open when the connection returned to the pool.
    is_open: bool,
}

/// A connection that is in use. It returns to the pool when it is dropped.
pub(crate) struct OwnGuard {
    connection: Option<SqliteConnection>,
    pool: Arc<OwnPool>,
    is_open: bool,
    /// `true` if a statement may still be running.
    is_busy: bool,
    /// A flag that is set to cancel the running statement of the connection.
    is_cancelled: Arc<AtomicBool>,
    place: Option<OwnedSemaphorePermit>,
}

impl OwnPool {
    pub(crate) fn new(options: &SqliteConnectOptions, settings: &Arc<StoreSettings>, connections: u32) -> Arc<Self> {
        let places = usize::try_from(connections).unwrap_or(Semaphore::MAX_PERMITS);
        Arc::new(Self {
            options: options.clone(),
            settings: Arc::clone(settings),
            places: Arc::new(Semaphore::new(places)),
            most: places,
            idle: Mutex::new(Vec::new()),
            is_in_memory: is_in_memory(options),
        })
    }

    /// Waits for a connection and returns it. `queue` adds the caller to the queue.
    pub(crate) async fn acquire<Q>(
        self: &Arc<Self>,
        queue: impl FnOnce() -> Result<Q, StoreError>,
    ) -> Result<OwnGuard, StoreError> {
        let places = Arc::clone(&self.places);
        let place = match Arc::clone(&places).try_acquire_owned() {
            Ok(place) => place,
            Err(_none) => {
                let _queue = queue()?;
                let waited = tokio::time::timeout(self.settings.wait, places.acquire_owned()).await;
                let waited = waited.map_err(|_elapsed| StoreError::unavailable("no connection was free in time"))?;
                waited.map_err(StoreError::unavailable)?
            }
        };
        if !self.is_in_memory && is_lost(&self.options) {
            self.idle().clear();
            return Err(StoreError::unavailable("the file of the database does not exist"));
        }
        let idle = self.idle().pop();
        let Idle { connection, is_cancelled, is_open } = match idle {
            Some(idle) => idle,
            None => self.connect().await?,
        };
        let mut guard = OwnGuard {
            connection: Some(connection),
            pool: Arc::clone(self),
            is_open,
            is_busy: false,
            is_cancelled,
            place: Some(place),
        };
        guard.roll_back().await?;
        Ok(guard)
    }

    async fn connect(&self) -> Result<Idle, StoreError> {
        let is_cancelled = Arc::new(AtomicBool::new(false));
        let connecting = async {
            let mut connection = Box::pin(self.options.connect()).await?;
            sqlite::cancel_by(&mut connection, is_cancelled.clone()).await?;
            Ok(connection)
        };
        let limit = self.settings.wait.max(Duration::from_secs(1));
        let connected = tokio::time::timeout(limit, connecting).await.map_err(|_elapsed| {
            let address = file_address(&self.options);
            StoreError::unavailable(format!(
                "cannot connect to {address} within {limit:?}; another process may have locked the file"
            ))
        })?;
        let connection = connected
            .map_err(|error: sqlx::Error| opening_error(Database::Sqlite, &file_address(&self.options), &error))?;
        Ok(Idle { connection, is_cancelled, is_open: false })
    }

    /// Returns the number of connections in use, of idle connections, and the maximum of both together.
    pub(crate) fn usage(&self) -> (usize, usize, usize) {
        let used = self.most.saturating_sub(self.places.available_permits());
        (used, self.idle().len(), self.most)
    }

    /// Closes all idle connections.
    pub(crate) fn close(&self) {
        if !self.is_in_memory {
            self.idle().clear();
        }
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Idle>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl OwnGuard {
    #[expect(clippy::expect_used, reason = "only `drop` removes the connection")]
    pub(crate) fn connection(&mut self) -> &mut SqliteConnection {
        self.connection.as_mut().expect("the guard contains its connection")
    }

    /// Records whether a transaction is open.
    pub(crate) fn set_open(&mut self, is_open: bool) {
        self.is_open = is_open;
    }

    /// Records whether a statement may still be running. If so, a drop cancels the statement and closes the connection.
    pub(crate) fn set_busy(&mut self, is_busy: bool) {
        self.is_busy = is_busy;
    }

    /// Rolls back the transaction that was open when the connection returned to the pool.
    async fn roll_back(&mut self) -> Result<(), StoreError> {
        let limit = self.pool.settings.statement_timeout;
        let Some(connection) = self.connection.as_mut().filter(|_| self.is_open) else { return Ok(()) };
        let rolled = tokio::time::timeout(limit, Connection::Sqlite(connection).run("ROLLBACK".into())).await;
        match rolled {
            // After some errors, SQLite has already rolled back the transaction.
            Ok(_ended) => {
                self.is_open = false;
                self.is_cancelled.store(false, Ordering::Relaxed);
                Ok(())
            }
            Err(elapsed) => {
                self.is_busy = true;
                Err(StoreError::unavailable(elapsed))
            }
        }
    }
}

impl Drop for OwnGuard {
    fn drop(&mut self) {
        let Some(connection) = self.connection.take() else { return };
        if self.is_busy && !self.pool.is_in_memory {
            self.is_cancelled.store(true, Ordering::Relaxed);
            let place = self.place.take();
            // The statement may still run for a moment. Its connection counts until it has ended.
            if let Ok(runtime) = tokio::runtime::Handle::try_current() {
                runtime.spawn(async move {
                    let closed = connection.close().await;
                    drop((closed, place));
                });
            }
            return;
        }
        let is_open = self.is_open || self.is_busy;
        // A statement of the application may run in a transaction that was left open.
        self.is_cancelled.store(is_open, Ordering::Relaxed);
        self.pool.idle().push(Idle { connection, is_cancelled: self.is_cancelled.clone(), is_open });
        // The next user rolls back the open transaction, or this task if there is no next user.
        if let Some(runtime) = tokio::runtime::Handle::try_current().ok().filter(|_| is_open) {
            let pool = Arc::clone(&self.pool);
            runtime.spawn(async move { drop(pool.acquire(|| Ok(())).await) });
        }
    }
}

/// Returns `true` if the database file was deleted. Open connections would still write to the deleted file.
fn is_lost(options: &SqliteConnectOptions) -> bool {
    matches!(options.get_filename().try_exists(), Ok(false))
}

impl fmt::Debug for OwnGuard {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("OwnGuard").field("is_open", &self.is_open).finish_non_exhaustive()
    }
}
