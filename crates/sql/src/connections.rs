//! [`Connections`]: the connections of a store, in pools of sqlx.

use std::any::Any;
use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use std::time::Duration;

use restwright_resource::StoreError;
use sqlx::Pool;
use sqlx::pool::{PoolConnection, PoolOptions};

use crate::dialect::{Connection, Dialect};
use crate::settings::Settings;
use crate::violation::store_error;

/// Connections that were idle for longer are tried before they are used.
const TRIED_AFTER: Duration = Duration::from_secs(1);

/// The purpose of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    Write,
}

/// The connections to one address.
pub(crate) struct Connections<D: Dialect> {
    /// The key of the pools that belong to workers.
    id: u64,
    options: Result<D::Options, String>,
    settings: Settings,
    /// The pool that the application has handed in.
    given: Option<Pool<D::Database>>,
    shared: OnceLock<Shared<D>>,
    /// The pools of all workers, which are closed with the store.
    opened: Mutex<Vec<Pool<D::Database>>>,
    waiting: AtomicUsize,
    alive: Arc<()>,
}

/// The pools of a database with one writer.
struct Shared<D: Dialect> {
    reads: Pool<D::Database>,
    writes: Pool<D::Database>,
}

/// The pool of a worker.
struct WorkerPool {
    /// The key of its store.
    id: u64,
    /// Whether the store is still there.
    store: Weak<()>,
    pool: Box<dyn Any>,
}

thread_local! {
    static POOLS: RefCell<Vec<WorkerPool>> = const { RefCell::new(Vec::new()) };
}

impl<D: Dialect> Connections<D> {
    pub(crate) fn new(options: Result<D::Options, String>, settings: Settings) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self {
            id: NEXT.fetch_add(1, Ordering::Relaxed),
            options,
            settings,
            given: None,
            shared: OnceLock::new(),
            opened: Mutex::new(Vec::new()),
            waiting: AtomicUsize::new(0),
            alive: Arc::default(),
        }
    }

    pub(crate) fn given(pool: Pool<D::Database>, settings: Settings) -> Self {
        let mut connections = Self::new(Err("the pool is the application's".to_owned()), settings);
        connections.given = Some(pool);
        connections
    }

    /// Returns the reason why there are no connections.
    pub(crate) fn mistake(&self) -> Option<&str> {
        match (&self.given, &self.options) {
            (None, Err(mistake)) => Some(mistake),
            _ => None,
        }
    }

    /// Returns the pool for a purpose, of this worker if it has one of its own.
    pub(crate) fn pool(&self, access: Access) -> Result<Pool<D::Database>, StoreError> {
        if let Some(given) = &self.given {
            return Ok(given.clone());
        }
        let options = self.options.as_ref().map_err(|mistake| StoreError::failed(mistake.clone()))?;
        if D::IS_PER_WORKER {
            return Ok(self.of_worker(options));
        }
        let shared = self.shared.get_or_init(|| {
            let writes = self.open(options, 1, false);
            let is_alone = D::is_in_memory(options);
            let reads = if is_alone { writes.clone() } else { self.open(options, self.settings.connections, true) };
            Shared { reads, writes }
        });
        Ok(if access == Access::Write { shared.writes.clone() } else { shared.reads.clone() })
    }

    fn of_worker(&self, options: &D::Options) -> Pool<D::Database> {
        POOLS.with_borrow_mut(|pools| {
            let own = pools.iter().find(|own| own.id == self.id);
            if let Some(pool) = own.and_then(|own| own.pool.downcast_ref::<Pool<D::Database>>())
                && !pool.is_closed()
            {
                return pool.clone();
            }
            let pool = self.open(options, self.settings.connections, false);
            pools.retain(|own| own.id != self.id && own.store.strong_count() > 0);
            pools.push(WorkerPool { id: self.id, store: Arc::downgrade(&self.alive), pool: Box::new(pool.clone()) });
            pool
        })
    }

    fn open(&self, options: &D::Options, connections: u32, reads_only: bool) -> Pool<D::Database> {
        let pool = PoolOptions::new()
            .max_connections(connections)
            .acquire_timeout(self.settings.wait)
            // The store reports what it could not serve.
            .acquire_slow_threshold(self.settings.wait * 2)
            .test_before_acquire(false)
            .before_acquire(|connection, metadata| {
                let is_tried = D::IS_PER_WORKER && metadata.idle_for > TRIED_AFTER;
                Box::pin(async move {
                    if is_tried {
                        sqlx::Connection::ping(connection).await?;
                    }
                    Ok(true)
                })
            });
        let pool = D::pool(options, pool, &self.settings, reads_only);
        self.opened.lock().unwrap_or_else(PoisonError::into_inner).push(pool.clone());
        pool
    }

    /// Waits for a connection, which it has alone until it is dropped.
    pub(crate) async fn acquire(&self, access: Access) -> Result<PoolConnection<D::Database>, StoreError> {
        let pool = self.pool(access)?;
        // Without the trial of a connection that was idle.
        if !D::IS_PER_WORKER
            && let Some(connection) = pool.try_acquire()
        {
            return Ok(connection);
        }
        let _place = self.queue()?;
        pool.acquire().await.map_err(|error| store_error(&D::failure(&error), error))
    }

    /// Takes a place among those that wait for a connection.
    pub(crate) fn queue(&self) -> Result<Place<'_>, StoreError> {
        Place::take(&self.waiting, self.settings.queue)
    }

    /// Returns `true` if the entities are in the memory of a connection, and gone with it.
    pub(crate) fn is_in_memory(&self) -> bool {
        self.options.as_ref().is_ok_and(D::is_in_memory)
    }

    /// Opens a connection beside the pools.
    pub(crate) async fn connect(&self) -> Result<Connection<D>, StoreError> {
        let options = self.options.as_ref().map_err(|mistake| StoreError::failed(mistake.clone()))?;
        let connecting = tokio::time::timeout(self.settings.wait, D::connect(options, &self.settings)).await;
        let connected = connecting.map_err(StoreError::unavailable)?;
        connected.map_err(|error| store_error(&D::failure(&error), error))
    }

    /// Closes the pools that the store has opened.
    pub(crate) async fn close(&self) {
        let opened = std::mem::take(&mut *self.opened.lock().unwrap_or_else(PoisonError::into_inner));
        for pool in opened {
            // One that is still used is closed when it comes back.
            let _ = tokio::time::timeout(self.settings.wait, pool.close()).await;
        }
    }
}

/// Workers may still hold their pools.
impl<D: Dialect> Drop for Connections<D> {
    fn drop(&mut self) {
        let opened = std::mem::take(self.opened.get_mut().unwrap_or_else(PoisonError::into_inner));
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        for pool in opened.into_iter().filter(|pool| !pool.is_closed()) {
            runtime.spawn(async move { pool.close().await });
        }
    }
}

/// A place in the queue for a connection, until it is dropped.
pub(crate) struct Place<'q>(&'q AtomicUsize);

impl<'q> Place<'q> {
    fn take(waiting: &'q AtomicUsize, most: usize) -> Result<Self, StoreError> {
        let place = Self(waiting);
        if waiting.fetch_add(1, Ordering::Relaxed) < most {
            return Ok(place);
        }
        Err(StoreError::unavailable("too many statements wait for a connection"))
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
