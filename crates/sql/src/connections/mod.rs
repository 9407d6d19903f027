//! Defines [`Connections`], the connection pools of a store.

mod list_places;
#[cfg(test)]
mod tests;

use std::any::Any;
use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::{Duration, Instant};

use restwright_core::report::{Report, SampleValue};
use restwright_resource::StoreError;
use sqlx::Pool;
use sqlx::pool::PoolOptions;
use tokio::runtime::{self, Handle};
use tokio::time::timeout;

use crate::dialect::Dialect;
use crate::failure_kind::{opening_error, store_error};
use crate::held::{Held, Pooled};
use crate::own_pool::OwnPool;
use crate::part::StorePart;
use crate::settings::StoreSettings;
use crate::worker_pool::WorkerPool;

pub(crate) use list_places::{ListPlace, ListPlaces};

/// Specifies whether a connection is used for a read, a write or a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access<'e> {
    Read,
    Write,
    /// Reads a page of a list, or the total number of items. Such a read may scan the whole table. Contains the name of the entity definition.
    List(&'e str),
}

/// The connection pools that a store uses for its primary database or for its replica.
pub(crate) struct Connections<D: Dialect> {
    /// The unique id of this set of connections. Each worker finds its pool by this id.
    id: u64,
    options: Result<D::Options, String>,
    pub(crate) settings: Arc<StoreSettings>,
    /// The pool that the application passed to `from_pool`, if any.
    given: Option<Pool<D::Database>>,
    shared: OnceLock<Shared<D>>,
    /// The pools of all workers. They are closed with the store.
    workers: Mutex<Vec<WorkerPool<D>>>,
    /// The pools that run custom statements of the application. They are closed with the store.
    opened: Mutex<Vec<Pool<D::Database>>>,
    waiting: AtomicUsize,
    /// The number of worker connections that broke during use.
    broken: Arc<AtomicU64>,
    /// The connections that lists may use. It is unused if each worker has a separate pool.
    lists: Arc<ListPlaces>,
    /// `true` after the store has created or found the database at startup. A database that is missing later is lost, and is not created
    /// again.
    is_created: AtomicBool,
    alive: Arc<()>,
}

/// The read pool and the write pool of a database that allows only one writer.
struct Shared<D: Dialect> {
    reads: Arc<OwnPool<D>>,
    writes: Arc<OwnPool<D>>,
}

/// A connection pool that belongs to the current worker.
struct PoolOfWorker {
    /// The `id` of the [`Connections`] that the pool belongs to.
    id: u64,
    runtime: Option<runtime::Id>,
    /// A weak reference that expires when the store is dropped. The worker then removes the pool when it opens another pool.
    store: Weak<()>,
    pool: Box<dyn Any>,
}

thread_local! {
    static POOLS: RefCell<Vec<PoolOfWorker>> = const { RefCell::new(Vec::new()) };
}

impl<D: Dialect> Connections<D> {
    pub(crate) fn new(options: Result<D::Options, String>, settings: Arc<StoreSettings>) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let lists = ListPlaces::new(settings.connections);
        Self {
            id: NEXT.fetch_add(1, Ordering::Relaxed),
            options,
            settings,
            given: None,
            shared: OnceLock::new(),
            workers: Mutex::default(),
            opened: Mutex::new(Vec::new()),
            waiting: AtomicUsize::new(0),
            broken: Arc::default(),
            lists,
            is_created: AtomicBool::new(false),
            alive: Arc::default(),
        }
    }

    pub(crate) fn given(pool: Pool<D::Database>, settings: Arc<StoreSettings>) -> Self {
        let mut connections = Self::new(Err("the pool is the application's".to_owned()), settings);
        connections.lists = ListPlaces::new(pool.options().get_max_connections());
        connections.given = Some(pool);
        connections
    }

    /// Returns an error message if the database URL is invalid.
    pub(crate) fn mistake(&self) -> Option<&str> {
        match (&self.given, &self.options) {
            (None, Err(mistake)) => Some(mistake),
            _ => None,
        }
    }

    /// Returns the pool that runs custom statements of the application. It is the pool that the application passed to the store, or else a
    /// separate pool of this worker. The connections of the separate pool are in addition to the connections of the store.
    pub(crate) fn pool(&self) -> Result<Pool<D::Database>, StoreError> {
        if let Some(given) = &self.given {
            return Ok(given.clone());
        }
        let options = self.options()?;
        // A missing database is created only before the start.
        let creating = (!self.is_created.load(Ordering::Relaxed)).then(|| D::creating(options)).flatten();
        let creates = creating.is_some();
        let is_over = |(pool, made): &(Pool<D::Database>, bool)| pool.is_closed() || *made != creates;
        let (pool, _) = self.of_worker(is_over, || {
            let options = creating.as_ref().unwrap_or(options);
            let pool = self.open(options, self.settings.connections, self.settings.wait);
            lock(&self.opened).push(pool.clone());
            (pool, creates)
        });
        Ok(pool)
    }

    /// Creates the file of a SQLite database if it does not exist. Does nothing on other databases.
    pub(crate) async fn create(&self) -> Result<(), StoreError> {
        if self.given.is_some() {
            return Ok(());
        }
        let Some(options) = D::creating(self.options()?) else { return Ok(()) };
        let created = async {
            let connection = D::connect(&options, &self.settings).await?;
            sqlx::Connection::close(connection).await
        };
        created.await.map_err(|error| opening_error::<D>(&options, &error))?;
        self.is_created.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// Returns a connection pool for schema checks and migrations. A separate pool on PostgreSQL waits up to `wait` for its connection.
    pub(crate) fn patient_pool(&self, wait: Duration) -> Result<Pool<D::Database>, StoreError> {
        if D::IS_PER_WORKER && self.given.is_none() { Ok(self.open(self.options()?, 1, wait)) } else { self.pool() }
    }

    fn options(&self) -> Result<&D::Options, StoreError> {
        self.options.as_ref().map_err(|mistake| StoreError::failed(mistake.clone()))
    }

    fn own_pool(&self, access: Access<'_>) -> Result<&Arc<OwnPool<D>>, StoreError> {
        let shared = match self.shared.get() {
            Some(shared) => shared,
            None => {
                let options = self.options()?;
                self.shared.get_or_init(|| {
                    let writes = OwnPool::new(options, &self.settings, 1);
                    let is_alone = D::is_in_memory(options);
                    let reads = OwnPool::new(options, &self.settings, self.settings.connections);
                    Shared { reads: if is_alone { Arc::clone(&writes) } else { reads }, writes }
                })
            }
        };
        Ok(match access {
            Access::Write => &shared.writes,
            Access::Read | Access::List(_) => &shared.reads,
        })
    }

    /// Returns the store's connection pool for the current worker.
    fn worker_pool(&self) -> Result<WorkerPool<D>, StoreError> {
        let options = self.options()?;
        let runtime = Handle::try_current().map_err(StoreError::failed)?;
        Ok(self.of_worker(WorkerPool::is_closed, || {
            let pool = WorkerPool::new(options, &self.settings, runtime, Arc::clone(&self.broken));
            let mut workers = lock(&self.workers);
            workers.retain(|pool| !pool.is_closed());
            workers.push(pool.clone());
            pool
        }))
    }

    /// Returns the store's pool of the type `P` for the current worker. Calls `open` if the worker has no such pool or `is_closed` returns
    /// `true`.
    fn of_worker<P: Clone + 'static>(&self, is_closed: impl Fn(&P) -> bool, open: impl FnOnce() -> P) -> P {
        // A connection can be used only in the runtime that opened it.
        let runtime = Handle::try_current().ok().map(|runtime| runtime.id());
        POOLS.with_borrow_mut(|pools| {
            let own = pools.iter().filter(|own| own.id == self.id && own.runtime == runtime);
            let mut own = own.filter_map(|own| own.pool.downcast_ref::<P>());
            if let Some(pool) = own.find(|pool| !is_closed(pool)) {
                return pool.clone();
            }
            let pool = open();
            pools.retain(|own| {
                let is_same = own.id == self.id && own.runtime == runtime && own.pool.is::<P>();
                !is_same && own.store.strong_count() > 0
            });
            let store = Arc::downgrade(&self.alive);
            pools.push(PoolOfWorker { id: self.id, runtime, store, pool: Box::new(pool.clone()) });
            pool
        })
    }

    fn open(&self, options: &D::Options, connections: u32, wait: Duration) -> Pool<D::Database> {
        // The store reports timeouts itself.
        let pool =
            PoolOptions::new().max_connections(connections).acquire_timeout(wait).acquire_slow_threshold(wait * 2);
        D::pool(options, pool)
    }

    /// Waits for a connection and returns it. No other statement uses the connection until it is dropped.
    pub(crate) async fn acquire(&self, access: Access<'_>) -> Result<Held<D>, StoreError> {
        let began = Instant::now();
        let acquired = async {
            if let Some(given) = &self.given {
                let _place = self.queue()?;
                let acquired = timeout(self.settings.wait, Box::pin(given.acquire())).await;
                let acquired = acquired.map_err(StoreError::unavailable)?;
                let connection = acquired.map_err(|error| store_error(&D::failure(&error), error))?;
                return Ok(Held::Pooled(Pooled { connection, is_busy: false }));
            }
            if D::IS_PER_WORKER {
                return Ok(Held::Worker(self.worker_pool()?.acquire(self.settings.wait, || self.queue()).await?));
            }
            Ok(Held::Own(self.own_pool(access)?.acquire(|| self.queue()).await?))
        };
        let acquired = acquired.await;
        self.settings.counts.wait(began.elapsed(), acquired.is_ok());
        acquired
    }

    /// Returns `true` if statements use all connections of the current worker. Other pools do not count the open connections.
    pub(crate) fn is_busy(&self) -> bool {
        D::IS_PER_WORKER && self.given.is_none() && self.worker_pool().is_ok_and(|pool| pool.is_busy())
    }

    /// Returns `true` if the application passed a pool of one connection. The server may accept no other connection.
    pub(crate) fn is_single(&self) -> bool {
        self.given.as_ref().is_some_and(|pool| pool.options().get_max_connections() == 1)
    }

    /// Opens a connection at startup. It may wait longer than a request.
    pub(crate) async fn start(&self) -> Result<(), StoreError> {
        if D::IS_PER_WORKER && self.given.is_none() {
            return self.worker_pool()?.probe(|| self.queue()).await;
        }
        let mut held = self.acquire(Access::Write).await?;
        if let (Held::Own(connection), true) = (&mut held, self.settings.is_required(StorePart::Writes)) {
            connection.set_open(true);
            // SQLite begins a transaction on a read-only file without an error, so the probe creates a table.
            let probe = format!("{}; CREATE TABLE restwright_probe (id INTEGER)", D::BEGIN);
            if let Err(error) = D::run(connection.connection(), probe.into()).await
                && D::is_read_only(&error)
            {
                return Err(opening_error::<D>(self.options()?, &error));
            }
            // Nothing waits for the table. If the rollback fails, the connection undoes it before its next use.
            if D::run(connection.connection(), "ROLLBACK".into()).await.is_ok() {
                connection.set_open(false);
            }
        }
        Ok(())
    }

    /// Checks that every worker that uses the database has a working connection or can open one.
    pub(crate) async fn check_workers(&self) -> Result<(), StoreError> {
        let workers = lock(&self.workers).clone();
        let checks: Vec<_> = workers.into_iter().map(|pool| tokio::spawn(async move { pool.check().await })).collect();
        for check in checks {
            check.await.map_err(StoreError::failed)??;
        }
        Ok(())
    }

    /// Waits for a connection for a list of an entity definition, and returns the connection with its place. Lists may use only a share of the
    /// connections, so slow lists leave the others to views and writes.
    pub(crate) async fn acquire_list(&self, entity: &str) -> Result<(Held<D>, ListPlace), StoreError> {
        let places = match self.given {
            None if D::IS_PER_WORKER => self.worker_pool()?.lists(),
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

    /// Adds the numbers of connections to a metrics report.
    #[expect(clippy::cast_precision_loss, reason = "counts of connections are far below 2^52")]
    pub(crate) fn report(&self, report: &mut Report) {
        let (used, idle, most) = self.usage();
        for (state, count) in [("used", used), ("idle", idle)] {
            let count = SampleValue::Gauge(count as f64);
            report.labelled("db_client_connections", "Open connections.", [("state", state)], count);
        }
        report.gauge("db_client_connections_max", "The maximum number of connections.", most as f64);
        let pending = self.waiting.load(Ordering::Relaxed) as f64;
        report.gauge("db_client_connections_pending", "Statements that wait for a connection.", pending);
    }

    /// Returns the number of connections in use, of idle connections, and the maximum of both together.
    fn usage(&self) -> (usize, usize, usize) {
        if let Some(given) = &self.given {
            let (open, idle) = (given.size() as usize, given.num_idle());
            return (open.saturating_sub(idle), idle, given.options().get_max_connections() as usize);
        }
        let workers = lock(&self.workers);
        let pools = workers.iter().filter(|pool| !pool.is_closed()).map(WorkerPool::usage);
        let shared = self.shared.get().into_iter().flat_map(|shared| {
            // A database in memory has one pool.
            let is_one = Arc::ptr_eq(&shared.reads, &shared.writes);
            [Some(&shared.writes), (!is_one).then_some(&shared.reads)].into_iter().flatten().map(|pool| pool.usage())
        });
        pools.chain(shared).fold((0, 0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1, sum.2 + one.2))
    }

    /// Closes the pools that the store opened.
    pub(crate) async fn close(&self) {
        if let Some(shared) = self.shared.get() {
            shared.reads.close();
            shared.writes.close();
        }
        let workers = std::mem::take(&mut *lock(&self.workers));
        for pool in workers {
            pool.close().await;
        }
        let opened = std::mem::take(&mut *lock(&self.opened));
        for pool in opened {
            // A connection in use is closed when it is returned.
            let _ = timeout(self.settings.wait, pool.close()).await;
        }
    }
}

/// Closes all connection pools of the store. Dropping the store does not close them, because the workers hold references.
impl<D: Dialect> Drop for Connections<D> {
    fn drop(&mut self) {
        let opened = std::mem::take(self.opened.get_mut().unwrap_or_else(PoisonError::into_inner));
        let workers = std::mem::take(self.workers.get_mut().unwrap_or_else(PoisonError::into_inner));
        workers.iter().for_each(WorkerPool::begin_close);
        let Ok(runtime) = Handle::try_current() else { return };
        for pool in opened.into_iter().filter(|pool| !pool.is_closed()) {
            runtime.spawn(async move { pool.close().await });
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A place in the queue of statements that wait for a connection. Dropping it frees the place.
pub(crate) struct Place<'q>(&'q AtomicUsize);

impl<'q> Place<'q> {
    fn take(waiting: &'q AtomicUsize, most: usize) -> Result<Self, StoreError> {
        let place = Self(waiting);
        if waiting.fetch_add(1, Ordering::Relaxed) < most {
            return Ok(place);
        }
        Err(StoreError::unavailable("too many statements are waiting for a connection"))
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
