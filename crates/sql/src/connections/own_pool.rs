//! Defines [`OwnPool`], the connection pool for SQLite. Its connections do not depend on a tokio runtime.
//!
//! A connection returns to the pool when it is dropped, in any runtime, even if the runtime has ended.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use restwright_resource::StoreError;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::opening::opening_error;
use super::options::file_address;
use crate::driver::{Connection, Database, SqliteConnection, SqliteFile};
use crate::settings::StoreSettings;

/// A connection pool with a maximum number of connections.
pub(crate) struct OwnPool {
    file: SqliteFile,
    settings: Arc<StoreSettings>,
    places: Arc<Semaphore>,
    /// The maximum number of connections.
    most: usize,
    idle: Mutex<Vec<SqliteConnection>>,
    /// `false` until the file exists, if the connections of this pool create the file.
    is_created: Option<Arc<AtomicBool>>,
}

/// A connection that is in use. It returns to the pool when it is dropped.
pub(crate) struct OwnGuard {
    connection: Option<SqliteConnection>,
    pool: Arc<OwnPool>,
    /// `true` if a statement may still be running.
    is_busy: bool,
    place: Option<OwnedSemaphorePermit>,
}

impl OwnPool {
    pub(crate) fn new(
        file: &SqliteFile,
        settings: &Arc<StoreSettings>,
        connections: u32,
        is_created: Option<Arc<AtomicBool>>,
    ) -> Arc<Self> {
        let places = usize::try_from(connections).unwrap_or(Semaphore::MAX_PERMITS);
        Arc::new(Self {
            file: file.clone(),
            settings: Arc::clone(settings),
            places: Arc::new(Semaphore::new(places)),
            most: places,
            idle: Mutex::new(Vec::new()),
            is_created,
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
        let creates = self.is_created.as_ref().is_some_and(|is_created| !is_created.load(Ordering::Relaxed));
        if !creates && self.is_lost() {
            self.idle().clear();
            return Err(StoreError::unavailable("the file of the database does not exist"));
        }
        let idle = self.idle().pop();
        let connection = match idle {
            Some(idle) => idle,
            None => self.connect(creates).await?,
        };
        let mut guard =
            OwnGuard { connection: Some(connection), pool: Arc::clone(self), is_busy: false, place: Some(place) };
        guard.roll_back().await?;
        Ok(guard)
    }

    async fn connect(&self, creates: bool) -> Result<SqliteConnection, StoreError> {
        let file = SqliteFile { is_created: creates, ..self.file.clone() };
        let limit = self.settings.wait.max(Duration::from_secs(1));
        let connected = tokio::time::timeout(limit, SqliteConnection::open(file)).await.map_err(|_elapsed| {
            let address = file_address(&self.file);
            StoreError::unavailable(format!(
                "cannot connect to {address} within {limit:?}; another process may have locked the file"
            ))
        })?;
        connected.map_err(|error| opening_error(Database::Sqlite, &file_address(&self.file), &error))
    }

    /// Returns `true` if the database file was deleted. Open connections would still write to the deleted file.
    fn is_lost(&self) -> bool {
        !self.file.is_in_memory() && matches!(self.file.path.try_exists(), Ok(false))
    }

    pub(super) fn most(&self) -> usize {
        self.most
    }

    /// Returns the number of connections in use, of idle connections, and the maximum of both together.
    pub(crate) fn usage(&self) -> (usize, usize, usize) {
        let used = self.most.saturating_sub(self.places.available_permits());
        (used, self.idle().len(), self.most)
    }

    /// Closes all idle connections, but not the connection to a database in memory, because it contains the entities.
    pub(crate) fn close(&self) {
        if !self.file.is_in_memory() {
            self.idle().clear();
        }
    }

    fn idle(&self) -> MutexGuard<'_, Vec<SqliteConnection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl OwnGuard {
    #[expect(clippy::expect_used, reason = "only `drop` removes the connection")]
    pub(crate) fn connection(&mut self) -> &mut SqliteConnection {
        self.connection.as_mut().expect("the guard contains its connection")
    }

    /// Records whether a statement may still be running. If so, a drop cancels the statement and closes the connection.
    pub(crate) fn set_busy(&mut self, is_busy: bool) {
        self.is_busy = is_busy;
    }

    /// Rolls back the transaction that was open when the connection returned to the pool.
    async fn roll_back(&mut self) -> Result<(), StoreError> {
        let limit = self.pool.settings.statement_timeout;
        let Some(connection) = self.connection.as_mut() else { return Ok(()) };
        if !connection.is_in_use() {
            // A cancelled statement may have ended its transaction itself.
            connection.reset();
            return Ok(());
        }
        let rolled = tokio::time::timeout(limit, Connection::Sqlite(connection).rollback()).await;
        match rolled {
            // After some errors, SQLite has already rolled back the transaction.
            Ok(_ended) => {
                connection.reset();
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
        let runtime = tokio::runtime::Handle::try_current().ok();
        if self.is_busy && !self.pool.file.is_in_memory() {
            connection.cancel(true);
            let place = self.place.take();
            // The statement may still run for a moment. Its connection counts until it has ended.
            if let Some(runtime) = runtime {
                runtime.spawn_blocking(move || {
                    connection.close();
                    drop(place);
                });
            }
            return;
        }
        let is_open = connection.is_in_use();
        // A statement may run in a transaction that was left open.
        connection.cancel(is_open);
        self.pool.idle().push(connection);
        // The next user rolls back the open transaction, or this task if there is no next user.
        if let Some(runtime) = runtime.filter(|_| is_open) {
            let pool = Arc::clone(&self.pool);
            runtime.spawn(async move { drop(pool.acquire(|| Ok(())).await) });
        }
    }
}

impl fmt::Debug for OwnGuard {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("OwnGuard").field("is_busy", &self.is_busy).finish_non_exhaustive()
    }
}
