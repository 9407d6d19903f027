//! Defines [`Connections`], the connection pools of a store.

mod connection_string;
#[cfg(test)]
mod dropped_tests;
#[cfg(feature = "sqlite")]
mod file_pools;
#[cfg(feature = "sqlite")]
mod groups;
mod held;
#[cfg(feature = "sqlite")]
mod inline;
mod list_places;
#[cfg(feature = "sqlite")]
mod of_file;
mod of_worker;
mod opening;
mod options;
#[cfg(feature = "sqlite")]
mod own_pool;
#[cfg(test)]
mod panicking_tests;
mod patience;
mod pool;
#[cfg(feature = "postgres")]
mod postgres_url;
mod queue;
mod source_facts;
#[cfg(feature = "sqlite")]
mod sqlite_url;
#[cfg(test)]
mod tests;
mod usage;
#[cfg(feature = "postgres")]
mod worker_pool;

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use restwright_resource::StoreError;
#[cfg(feature = "postgres")]
use sqlx::postgres::PgConnectOptions;
use tokio::runtime::Handle;
use tokio::time::timeout;

#[cfg(feature = "sqlite")]
use self::inline::InlineReads;
use self::of_worker::of_worker;
#[cfg(feature = "sqlite")]
use self::opening::opening_error;
use self::queue::Place;
#[cfg(feature = "postgres")]
use self::worker_pool::WorkerPool;
#[cfg(feature = "sqlite")]
use crate::driver::{Connection, SqliteConnection, SqliteFile, sqlite};
use crate::driver::{Database, store_error};
use crate::settings::{StorePart, StoreSettings};

#[cfg(feature = "sqlite")]
pub(crate) use file_pools::FilePools;
#[cfg(feature = "sqlite")]
pub(crate) use groups::Grouped;
pub(crate) use held::Held;
pub(crate) use list_places::{ListPlace, ListPlaces};
pub(crate) use opening::{is_crowded, log_crowded};
pub(crate) use options::ignored;
pub(crate) use patience::Patience;
pub(crate) use pool::{Pool, Pooled};

/// Specifies whether a connection is used for a read, a write or a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access<'e> {
    Read,
    Write,
    /// Reads a page of a list, or the total number of items. Such a read may scan the whole table. Contains the name of the entity definition.
    List(&'e str),
}

/// The connection pools that a store uses for its primary database or for its replica.
pub(crate) struct Connections {
    /// The unique id of this set of connections. Each worker finds its pool by this id.
    id: u64,
    pub(crate) settings: Arc<StoreSettings>,
    source: Source,
    /// The pools that run custom statements of the application. They are closed with the store.
    opened: Mutex<Vec<Pool>>,
    waiting: Arc<AtomicUsize>,
    /// The connections that lists may use. It is unused if each worker has a separate pool.
    lists: Arc<ListPlaces>,
    /// `true` after the store has created or found the database at startup. A database that is missing later is lost, and is not created
    /// again.
    is_created: Arc<AtomicBool>,
    alive: Arc<()>,
}

/// The pools from which a store gets its connections.
enum Source {
    /// The pool that the application passed to the store.
    Given(Pool),
    /// The URL is invalid. Contains the reason.
    Invalid(String),
    #[cfg(feature = "sqlite")]
    Sqlite { file: SqliteFile, pools: OnceLock<Arc<FilePools>>, inline: InlineReads },
    #[cfg(feature = "postgres")]
    Postgres {
        options: Box<PgConnectOptions>,
        /// The pools of all workers. They are closed with the store.
        workers: Mutex<Vec<WorkerPool>>,
        /// The number of worker connections that broke during use.
        broken: Arc<AtomicU64>,
    },
}

impl Connections {
    /// Creates the connections to the database at a URL. They open later.
    pub(crate) fn new(url: &str, settings: Arc<StoreSettings>) -> Self {
        let source = match settings.dialect.database {
            #[cfg(feature = "sqlite")]
            Database::Sqlite => {
                let file = sqlite_url::sqlite_file(url, settings.wait);
                file.map(|file| Source::Sqlite { file, pools: OnceLock::new(), inline: InlineReads::default() })
            }
            #[cfg(feature = "postgres")]
            Database::Postgres => options::postgres_options(url, &settings).map(|options| Source::Postgres {
                options: Box::new(options),
                workers: Mutex::default(),
                broken: Arc::default(),
            }),
        };
        let connections = settings.connections;
        Self::from(source.unwrap_or_else(Source::Invalid), settings, connections)
    }

    /// Uses the pool of the application.
    pub(crate) fn given(pool: Pool, settings: Arc<StoreSettings>) -> Self {
        let connections = pool.most();
        Self::from(Source::Given(pool), settings, connections)
    }

    fn from(source: Source, settings: Arc<StoreSettings>, connections: u32) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self {
            id: NEXT.fetch_add(1, Ordering::Relaxed),
            source,
            settings,
            opened: Mutex::new(Vec::new()),
            waiting: Arc::default(),
            lists: ListPlaces::new(connections),
            is_created: Arc::default(),
            alive: Arc::default(),
        }
    }

    /// Returns an error message if the database URL is invalid.
    pub(crate) fn mistake(&self) -> Option<&str> {
        if let Source::Invalid(mistake) = &self.source { Some(mistake) } else { None }
    }

    /// Returns the pool that runs custom statements of the application. It is the pool that the application passed to the store, or else a
    /// separate pool: on PostgreSQL one of this worker. The connections of the separate pool are in addition to the connections of the store.
    pub(crate) fn pool(&self) -> Result<Pool, StoreError> {
        match &self.source {
            Source::Given(pool) => Ok(pool.clone()),
            Source::Invalid(mistake) => Err(StoreError::failed(mistake.clone())),
            #[cfg(feature = "sqlite")]
            Source::Sqlite { file, pools, .. } => Ok(Pool::Sqlite(Arc::clone(&self.file_pools(file, pools).others))),
            #[cfg(feature = "postgres")]
            Source::Postgres { options, .. } => of_worker(self.id, &self.alive, Pool::is_closed, || {
                let pool = self.open(options, self.settings.connections, self.settings.wait);
                lock(&self.opened).push(pool.clone());
                Ok(pool)
            }),
        }
    }

    /// Creates the file of a SQLite database if it does not exist. Does nothing on other databases.
    pub(crate) async fn create(&self) -> Result<(), StoreError> {
        #[cfg(feature = "sqlite")]
        if let Source::Sqlite { file, .. } = &self.source
            && !file.is_in_memory()
        {
            let creating = SqliteFile { is_created: true, ..file.clone() };
            let address = options::file_address(file);
            let opened = SqliteConnection::open(creating).await;
            opened.map_err(|error| opening_error(Database::Sqlite, &address, &error))?;
            self.is_created.store(true, Ordering::Relaxed);
        }
        self.mistake().map_or(Ok(()), |mistake| Err(StoreError::failed(mistake.to_owned())))
    }

    /// Returns a connection pool for schema checks and migrations. A separate pool on PostgreSQL waits up to `wait` for its connection.
    pub(crate) fn patient_pool(&self, wait: Duration) -> Result<Pool, StoreError> {
        match &self.source {
            #[cfg(feature = "postgres")]
            Source::Postgres { options, .. } => Ok(self.open(options, 1, wait)),
            _ => self.pool(),
        }
    }

    /// Returns the store's connection pool for the current worker.
    #[cfg(feature = "postgres")]
    fn worker_pool(&self) -> Result<WorkerPool, StoreError> {
        let Source::Postgres { options, workers, broken } = &self.source else {
            return Err(StoreError::failed("the database has no pools of workers"));
        };
        let runtime = Handle::try_current().map_err(StoreError::failed)?;
        of_worker(self.id, &self.alive, WorkerPool::is_closed, || {
            let pool = WorkerPool::new(options, &self.settings, runtime, Arc::clone(broken));
            let mut workers = lock(workers);
            workers.retain(|pool| !pool.is_closed());
            workers.push(pool.clone());
            Ok(pool)
        })
    }

    /// Creates a pool of sqlx on the URL of the store.
    #[cfg(feature = "postgres")]
    fn open(&self, options: &PgConnectOptions, connections: u32, wait: Duration) -> Pool {
        Pool::of_postgres(options.clone(), connections, wait)
    }

    /// Waits for a connection and returns it. No other statement uses the connection until it is dropped.
    pub(crate) async fn acquire(&self, access: Access<'_>) -> Result<Held, StoreError> {
        let began = Instant::now();
        let acquired = self.acquire_from_source(access).await;
        self.settings.counts.wait(began.elapsed(), acquired.is_ok());
        acquired
    }

    async fn acquire_from_source(&self, access: Access<'_>) -> Result<Held, StoreError> {
        match &self.source {
            Source::Given(pool) => {
                let _place = self.queue()?;
                let acquired = timeout(self.settings.wait, pool.acquire()).await;
                let acquired = acquired.map_err(StoreError::unavailable)?;
                let database = self.settings.dialect.database;
                Ok(Held::Pooled(acquired.map_err(|error| store_error(&database.failure(&error), error))?))
            }
            Source::Invalid(mistake) => Err(StoreError::failed(mistake.clone())),
            #[cfg(feature = "sqlite")]
            Source::Sqlite { file, pools, .. } => {
                let pools = self.file_pools(file, pools);
                let pool = if access == Access::Write { &pools.writes } else { &pools.reads };
                Ok(Held::Own(pool.acquire(|| self.queue()).await?))
            }
            #[cfg(feature = "postgres")]
            Source::Postgres { .. } => {
                Ok(Held::Worker(self.worker_pool()?.acquire(self.settings.wait, || self.queue()).await?))
            }
        }
    }

    /// Opens a connection at startup. It may wait longer than a request.
    pub(crate) async fn start(&self) -> Result<(), StoreError> {
        #[cfg(feature = "postgres")]
        if let Source::Postgres { .. } = &self.source {
            return self.worker_pool()?.probe(|| self.queue()).await;
        }
        let held = self.acquire(Access::Write).await?;
        #[cfg(feature = "sqlite")]
        if let (Held::Own(mut guard), Source::Sqlite { file, .. }) = (held, &self.source)
            && self.settings.is_required(StorePart::Writes)
        {
            // SQLite begins a transaction on a read-only file without an error, so the probe creates a table.
            let probe = format!("{}; CREATE TABLE restwright_probe (id INTEGER)", self.settings.dialect.begin);
            let mut connection = Connection::Sqlite(guard.connection());
            if let Err(error) = connection.run(probe.into()).await
                && sqlite::is_read_only(&error)
            {
                return Err(opening_error(Database::Sqlite, &options::file_address(file), &error));
            }
            // Nothing waits for the table. If the rollback fails, the connection undoes it before its next use.
            let _ = connection.rollback().await;
        }
        Ok(())
    }

    /// Checks that every worker that uses the database has a working connection or can open one.
    pub(crate) async fn check_workers(&self) -> Result<(), StoreError> {
        #[cfg(feature = "postgres")]
        if let Source::Postgres { workers, .. } = &self.source {
            let workers = lock(workers).clone();
            let checks: Vec<_> =
                workers.into_iter().map(|pool| tokio::spawn(async move { pool.check().await })).collect();
            for check in checks {
                check.await.map_err(StoreError::failed)??;
            }
        }
        Ok(())
    }

    /// Waits for a connection for a list of an entity definition, and returns the connection with its place. Lists may use only a share of the
    /// connections, so slow lists leave the others to views and writes.
    pub(crate) async fn acquire_list(&self, entity: &str) -> Result<(Held, ListPlace), StoreError> {
        let places = match &self.source {
            #[cfg(feature = "postgres")]
            Source::Postgres { .. } => self.worker_pool()?.lists(),
            _ => Arc::clone(&self.lists),
        };
        if let Some(place) = places.try_take(entity) {
            return Ok((self.acquire(Access::List(entity)).await?, place));
        }
        let waiting = async {
            let queue = self.queue()?;
            let place = places.take(entity).await?;
            drop(queue);
            Ok((self.acquire(Access::List(entity)).await?, place))
        };
        let waited = timeout(self.settings.wait, waiting).await;
        waited.map_err(|_elapsed| StoreError::unavailable("other lists use all connections that lists may use"))?
    }

    /// Adds a statement to the queue of statements that wait for a connection. Fails if the queue is full.
    pub(crate) fn queue(&self) -> Result<Place<'_>, StoreError> {
        Place::take(&self.waiting, self.settings.queue)
    }

    /// Closes the pools that the store opened.
    pub(crate) async fn close(&self) {
        match &self.source {
            #[cfg(feature = "sqlite")]
            Source::Sqlite { pools, inline, .. } => {
                pools.get().into_iter().for_each(|pools| pools.close());
                inline.close();
            }
            #[cfg(feature = "postgres")]
            Source::Postgres { workers, .. } => {
                let workers = std::mem::take(&mut *lock(workers));
                for pool in workers {
                    pool.close().await;
                }
            }
            Source::Given(_) | Source::Invalid(_) => {}
        }
        let opened = std::mem::take(&mut *lock(&self.opened));
        for pool in opened {
            // A connection in use is closed when it is returned.
            let _ = timeout(self.settings.wait, pool.close()).await;
        }
    }
}

/// Closes all connection pools of the store. Dropping the store does not close them, because the workers hold references.
impl Drop for Connections {
    fn drop(&mut self) {
        let opened = std::mem::take(self.opened.get_mut().unwrap_or_else(PoisonError::into_inner));
        #[cfg(feature = "postgres")]
        if let Source::Postgres { workers, .. } = &self.source {
            lock(workers).iter().for_each(WorkerPool::begin_close);
        }
        let Ok(runtime) = Handle::try_current() else { return };
        for pool in opened.into_iter().filter(|pool| !pool.is_closed()) {
            runtime.spawn(async move { pool.close().await });
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
