//! [`Connections`]: the connections of a store, in pools of sqlx.

#[cfg(all(test, feature = "postgres", feature = "sqlite"))]
mod tests;

use std::any::Any;
use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use std::time::Duration;

use restwright_resource::StoreError;
use sqlx::Pool;
use sqlx::pool::{PoolConnection, PoolOptions};
use tokio::runtime::{self, Handle};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::dialect::{Connection, Dialect};
use crate::failure_kind::store_error;
use crate::own_pool::{OwnGuard, OwnPool};
use crate::settings::Settings;

/// Connections that were idle for longer are tried before they are used.
const TRIED_AFTER: Duration = Duration::from_secs(1);

/// The purpose of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    Write,
    /// A page of a list or its total, which may read the whole table.
    List,
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
    /// The places of lists, if all workers share the connections.
    lists: Arc<Semaphore>,
    alive: Arc<()>,
}

/// The connections of a database with one writer.
struct Shared<D: Dialect> {
    reads: OwnPool<D>,
    writes: OwnPool<D>,
}

/// A connection, which goes back to its pool when it is dropped.
pub(crate) enum Held<D: Dialect> {
    Pooled(PoolConnection<D::Database>),
    Own(OwnGuard<D>),
}

impl<D: Dialect> Held<D> {
    pub(crate) fn connection(&mut self) -> &mut Connection<D> {
        match self {
            Self::Pooled(connection) => connection,
            Self::Own(connection) => connection.connection(),
        }
    }

    /// Closes the connection when it is dropped, since a statement of it may still run.
    pub(crate) fn set_broken(&mut self) {
        match self {
            Self::Pooled(connection) => connection.close_on_drop(),
            Self::Own(connection) => connection.set_broken(),
        }
    }
}

/// The pool of a worker.
struct WorkerPool {
    /// The key of its store.
    id: u64,
    runtime: Option<runtime::Id>,
    /// Gone with the store.
    store: Weak<()>,
    pool: Box<dyn Any>,
    lists: Arc<Semaphore>,
}

thread_local! {
    static POOLS: RefCell<Vec<WorkerPool>> = const { RefCell::new(Vec::new()) };
}

impl<D: Dialect> Connections<D> {
    pub(crate) fn new(options: Result<D::Options, String>, settings: Settings) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let lists = list_places(settings.connections);
        Self {
            id: NEXT.fetch_add(1, Ordering::Relaxed),
            options,
            settings,
            given: None,
            shared: OnceLock::new(),
            opened: Mutex::new(Vec::new()),
            waiting: AtomicUsize::new(0),
            lists,
            alive: Arc::default(),
        }
    }

    pub(crate) fn given(pool: Pool<D::Database>, settings: Settings) -> Self {
        let mut connections = Self::new(Err("the pool is the application's".to_owned()), settings);
        connections.lists = list_places(pool.options().get_max_connections());
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

    /// Returns a pool for statements of the application: the one that it has handed in, that of this worker, or one beside the store's
    /// own connections.
    pub(crate) fn pool(&self) -> Result<Pool<D::Database>, StoreError> {
        match &self.given {
            Some(given) => Ok(given.clone()),
            None => Ok(self.of_worker(self.options()?).0),
        }
    }

    fn options(&self) -> Result<&D::Options, StoreError> {
        self.options.as_ref().map_err(|mistake| StoreError::failed(mistake.clone()))
    }

    fn own_pool(&self, access: Access) -> Result<&OwnPool<D>, StoreError> {
        let options = self.options()?;
        let shared = self.shared.get_or_init(|| {
            let writes = OwnPool::new(options, &self.settings, 1);
            let is_alone = D::is_in_memory(options);
            let reads = OwnPool::new(options, &self.settings, self.settings.connections);
            Shared { reads: if is_alone { writes.clone() } else { reads }, writes }
        });
        Ok(if access == Access::Write { &shared.writes } else { &shared.reads })
    }

    /// Returns `true` if connections come from a pool of sqlx.
    pub(crate) fn is_pooled(&self) -> bool {
        D::IS_PER_WORKER || self.given.is_some()
    }

    /// Returns the pool of this worker, with the places of its lists.
    fn of_worker(&self, options: &D::Options) -> (Pool<D::Database>, Arc<Semaphore>) {
        // A connection belongs to the runtime in which it was opened.
        let runtime = Handle::try_current().ok().map(|runtime| runtime.id());
        POOLS.with_borrow_mut(|pools| {
            let own = pools.iter().find(|own| own.id == self.id && own.runtime == runtime);
            if let Some(own) = own
                && let Some(pool) = own.pool.downcast_ref::<Pool<D::Database>>()
                && !pool.is_closed()
            {
                return (pool.clone(), Arc::clone(&own.lists));
            }
            let lists = list_places(self.settings.connections);
            let pool = self.open(options);
            pools.retain(|own| (own.id != self.id || own.runtime != runtime) && own.store.strong_count() > 0);
            let store = Arc::downgrade(&self.alive);
            let boxed = Box::new(pool.clone());
            pools.push(WorkerPool { id: self.id, runtime, store, pool: boxed, lists: Arc::clone(&lists) });
            (pool, lists)
        })
    }

    fn open(&self, options: &D::Options) -> Pool<D::Database> {
        let pool = PoolOptions::new()
            .max_connections(self.settings.connections)
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
        let pool = D::pool(options, pool);
        self.opened.lock().unwrap_or_else(PoisonError::into_inner).push(pool.clone());
        pool
    }

    /// Waits for a connection, which it has alone until it is dropped.
    pub(crate) async fn acquire(&self, access: Access) -> Result<Held<D>, StoreError> {
        if !self.is_pooled() {
            return Ok(Held::Own(self.own_pool(access)?.acquire(|| self.queue()).await?));
        }
        let pool = self.pool()?;
        let _place = self.queue()?;
        let acquired = Box::pin(pool.acquire()).await.map_err(|error| store_error(&D::failure(&error), error))?;
        Ok(Held::Pooled(acquired))
    }

    /// Waits for a connection that lists may have: they have a share of the connections, so that slow ones leave the others to views and writes.
    pub(crate) async fn acquire_list(&self) -> Result<(Held<D>, OwnedSemaphorePermit), StoreError> {
        let places = match self.given {
            None if D::IS_PER_WORKER => self.of_worker(self.options()?).1,
            _ => Arc::clone(&self.lists),
        };
        if let Ok(place) = Arc::clone(&places).try_acquire_owned() {
            return Ok((self.acquire(Access::List).await?, place));
        }
        let waiting = async {
            let queue = self.queue()?;
            let place = places.acquire_owned().await.map_err(StoreError::unavailable)?;
            drop(queue);
            Ok((self.acquire(Access::List).await?, place))
        };
        let waited = tokio::time::timeout(self.settings.wait, waiting).await;
        waited.map_err(|_elapsed| StoreError::unavailable("other lists had their share of the connections"))?
    }

    /// Takes a place among those that wait for a connection.
    pub(crate) fn queue(&self) -> Result<Place<'_>, StoreError> {
        Place::take(&self.waiting, self.settings.queue)
    }

    /// Closes the pools that the store has opened.
    pub(crate) async fn close(&self) {
        if let Some(shared) = self.shared.get() {
            shared.reads.close();
            shared.writes.close();
        }
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
        let Ok(runtime) = Handle::try_current() else { return };
        for pool in opened.into_iter().filter(|pool| !pool.is_closed()) {
            runtime.spawn(async move { pool.close().await });
        }
    }
}

/// Returns the places of lists among so many connections: three quarters, and one at least.
fn list_places(connections: u32) -> Arc<Semaphore> {
    let places = (u64::from(connections) * 3 / 4).max(1);
    let places = usize::try_from(places).unwrap_or(Semaphore::MAX_PERMITS);
    Arc::new(Semaphore::new(places.min(Semaphore::MAX_PERMITS)))
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
