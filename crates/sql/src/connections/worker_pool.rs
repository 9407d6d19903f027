//! Defines [`WorkerPool`], the connection pool of one worker. Its connections belong to the worker's runtime.
//!
//! A separate task opens each connection. If the request no longer waits, a later request uses the connection.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use restwright_resource::StoreError;
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{ConnectOptions as _, Connection as _};
use tokio::runtime::Handle;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, oneshot};
use tokio::time::timeout;

use super::ListPlaces;
use super::opening::{Crowded, log_crowded, opening_error};
use super::options::server_address;
use super::patience::Patience;
use crate::driver::{Connection, Database, depth};
use crate::settings::StoreSettings;

/// The maximum time for opening a connection. A request waits for at most [`StoreSettings::wait`].
const OPENING: Duration = Duration::from_secs(10);

/// The idle time after which a connection is tested before use.
const TRIED_AFTER: Duration = Duration::from_secs(1);

/// The idle time after which a connection is closed.
const IDLE: Duration = Duration::from_mins(10);

/// The maximum age of a connection. An older connection is closed after use.
const AGE: Duration = Duration::from_mins(30);

/// The maximum time for closing a connection.
const CLOSING: Duration = Duration::from_secs(5);

/// The connection pool of one worker, with a maximum number of connections.
pub(crate) struct WorkerPool(Arc<Inner>);

struct Inner {
    options: PgConnectOptions,
    settings: Arc<StoreSettings>,
    /// The tokio runtime on which the connections run.
    runtime: Handle,
    places: Arc<Semaphore>,
    /// The connections that lists may use.
    lists: Arc<ListPlaces>,
    idle: Mutex<Vec<Idle>>,
    /// The number of open connections.
    open: Arc<AtomicUsize>,
    /// The number of connections that broke during use, in all workers of the store.
    broken: Arc<AtomicU64>,
    /// Signals that a connection became idle.
    returned: Notify,
    is_closed: AtomicBool,
}

/// An open connection.
struct Live {
    connection: PgConnection,
    opened: Instant,
    _counted: Counted,
}

/// Counts an open connection until it is dropped.
struct Counted(Arc<AtomicUsize>);

struct Idle {
    live: Live,
    since: Instant,
    /// The value that [`Inner::broken`] had when the connection became idle.
    broken: u64,
}

/// A connection that is in use. It returns to its pool when it is dropped.
pub(crate) struct WorkerGuard {
    live: Option<Live>,
    pool: WorkerPool,
    place: Option<OwnedSemaphorePermit>,
    /// `true` if a statement may still be running.
    is_busy: bool,
}

impl WorkerPool {
    /// Creates a pool without connections. The pools of a store share the count of `broken` connections.
    pub(crate) fn new(
        options: &PgConnectOptions,
        settings: &Arc<StoreSettings>,
        runtime: Handle,
        broken: Arc<AtomicU64>,
    ) -> Self {
        let places = usize::try_from(settings.connections).unwrap_or(Semaphore::MAX_PERMITS);
        Self(Arc::new(Inner {
            options: options.clone(),
            settings: Arc::clone(settings),
            runtime,
            places: Arc::new(Semaphore::new(places)),
            lists: ListPlaces::new(settings.connections),
            idle: Mutex::default(),
            open: Arc::default(),
            broken,
            returned: Notify::new(),
            is_closed: AtomicBool::new(false),
        }))
    }

    /// Returns the connections that lists may use.
    pub(crate) fn lists(&self) -> Arc<ListPlaces> {
        Arc::clone(&self.0.lists)
    }

    /// Waits for a connection and returns it. `queue` adds the caller to the queue.
    pub(crate) async fn acquire<Q>(
        &self,
        wait: Duration,
        queue: impl Fn() -> Result<Q, StoreError>,
    ) -> Result<WorkerGuard, StoreError> {
        let acquired = timeout(wait, Box::pin(self.acquire_patiently(queue))).await;
        acquired.map_err(|_elapsed| {
            let address = server_address(&self.0.options);
            StoreError::unavailable(format!(
                "no connection to {address} was free, and none was opened, within {wait:?}"
            ))
        })?
    }

    /// Opens a connection at startup, and closes it. Waits while the server has too many connections.
    pub(crate) async fn probe<Q>(&self, queue: impl Fn() -> Result<Q, StoreError>) -> Result<(), StoreError> {
        // The error of the connection itself comes first.
        let wait = self.0.settings.wait.max(OPENING) + Duration::from_secs(1);
        let mut patience = Patience::new(self.0.settings.start_wait);
        while let Err(error) = self.acquire(wait, &queue).await.map(drop) {
            match &error {
                StoreError::Unavailable(cause) if cause.is::<Crowded>() => {
                    log_crowded(Database::Postgres, &cause.to_string())
                }
                _ => return Err(error),
            }
            if !patience.pause().await {
                return Err(error);
            }
        }
        // Otherwise, starts that wait for their second connection could keep each other waiting.
        self.end_idle();
        Ok(())
    }

    async fn acquire_patiently<Q>(&self, queue: impl Fn() -> Result<Q, StoreError>) -> Result<WorkerGuard, StoreError> {
        let places = Arc::clone(&self.0.places);
        let place = match Arc::clone(&places).try_acquire_owned() {
            Ok(place) => place,
            Err(_none) => {
                let _queue = queue()?;
                Arc::clone(&places).acquire_owned().await.map_err(StoreError::unavailable)?
            }
        };
        if let Some(live) = self.usable().await {
            return Ok(self.guard(live, place));
        }
        let mut opening = self.open(place);
        loop {
            let mut returned = std::pin::pin!(self.0.returned.notified());
            returned.as_mut().enable();
            // Another connection may become idle before the new one is open.
            if let Ok(place) = Arc::clone(&places).try_acquire_owned()
                && let Some(live) = self.usable().await
            {
                return Ok(self.guard(live, place));
            }
            tokio::select! {
                opened = &mut opening => {
                    let ended = |_| Err(StoreError::unavailable("the runtime of the connections has ended"));
                    return opened.unwrap_or_else(ended);
                }
                () = returned => {}
            }
        }
    }

    /// Removes an idle, working connection from the pool and returns it. Closes broken and outdated connections.
    async fn usable(&self) -> Option<Live> {
        loop {
            let Idle { mut live, since, broken } = self.idle().pop()?;
            // If one connection breaks, the others may be broken too.
            if since.elapsed() <= TRIED_AFTER && broken == self.0.broken.load(Ordering::Relaxed) {
                return Some(live);
            }
            if since.elapsed() > IDLE {
                self.end(live, None);
            } else if Box::pin(live.connection.ping()).await.is_ok() {
                return Some(live);
            }
        }
    }

    /// Opens a connection in a separate task. If no statement waits for the connection any more, it goes to the pool.
    fn open(&self, place: OwnedSemaphorePermit) -> oneshot::Receiver<Result<WorkerGuard, StoreError>> {
        let (sender, receiver) = oneshot::channel();
        let pool = self.clone();
        self.0.runtime.spawn(async move {
            let Inner { options, settings, .. } = &*pool.0;
            let limit = settings.wait.max(OPENING);
            let opened = match timeout(limit, Box::pin(options.connect())).await {
                Ok(Ok(connection)) => {
                    pool.0.open.fetch_add(1, Ordering::Relaxed);
                    let live = Live { connection, opened: Instant::now(), _counted: Counted(pool.0.open.clone()) };
                    Ok(pool.guard(live, place))
                }
                Ok(Err(error)) => Err(opening_error(Database::Postgres, &server_address(options), &error.into())),
                Err(_elapsed) => {
                    let address = server_address(options);
                    Err(StoreError::unavailable(format!("a connection to {address} did not open within {limit:?}; check the host and the port of the URL, and firewalls between")))
                }
            };
            // A guard that is not received returns to the pool.
            drop(sender.send(opened));
        });
        receiver
    }

    fn guard(&self, live: Live, place: OwnedSemaphorePermit) -> WorkerGuard {
        WorkerGuard { live: Some(live), pool: self.clone(), place: Some(place), is_busy: false }
    }

    /// Returns a connection to the pool. Also closes the oldest idle connection if it is outdated.
    fn put(&self, live: Live, place: Option<OwnedSemaphorePermit>) {
        if self.is_closed() || live.opened.elapsed() > AGE {
            return self.end(live, place);
        }
        let outdated = {
            let mut idle = self.idle();
            idle.push(Idle { live, since: Instant::now(), broken: self.0.broken.load(Ordering::Relaxed) });
            let is_outdated = idle.first().is_some_and(|first| first.since.elapsed() > IDLE);
            is_outdated.then(|| idle.remove(0))
        };
        drop(place);
        self.0.returned.notify_waiters();
        if let Some(outdated) = outdated {
            self.end(outdated.live, None);
        }
        if self.is_closed() {
            self.end_idle();
        }
    }

    /// Closes a connection in a separate task, and then releases its permit.
    fn end(&self, live: Live, place: Option<OwnedSemaphorePermit>) {
        self.0.runtime.spawn(async move {
            let Live { connection, _counted: counted, .. } = live;
            let closed = timeout(CLOSING, Box::pin(connection.close())).await;
            drop((closed, counted, place));
        });
    }

    fn end_idle(&self) {
        let idle = std::mem::take(&mut *self.idle());
        idle.into_iter().for_each(|idle| self.end(idle.live, None));
    }

    /// Checks that the worker has a working connection or can open one.
    ///
    /// A blocked or ended worker is skipped, because its requests do not reach the database.
    pub(crate) async fn check(&self) -> Result<(), StoreError> {
        let (pool, has_begun) = (self.clone(), Arc::new(AtomicBool::new(false)));
        let begun = has_begun.clone();
        let checking = self.0.runtime.spawn(async move {
            begun.store(true, Ordering::Relaxed);
            if pool.is_busy() {
                return Ok(());
            }
            let acquired = pool.acquire(pool.0.settings.wait, || Ok(())).await;
            if pool.is_busy() { Ok(()) } else { acquired.map(drop) }
        });
        match timeout(self.0.settings.wait + TRIED_AFTER, checking).await {
            Ok(Ok(checked)) => checked,
            Ok(Err(_ended)) => {
                self.begin_close();
                Ok(())
            }
            Err(elapsed) if has_begun.load(Ordering::Relaxed) => Err(StoreError::unavailable(elapsed)),
            Err(_blocked) => Ok(()),
        }
    }

    /// Returns `true` if statements use all connections. The database then works, because a broken connection is closed.
    pub(crate) fn is_busy(&self) -> bool {
        self.0.places.available_permits() == 0 && self.0.open.load(Ordering::Relaxed) > 0
    }

    /// Returns the number of connections in use, of idle connections, and the maximum of both together.
    pub(crate) fn usage(&self) -> (usize, usize, usize) {
        let (open, idle) = (self.0.open.load(Ordering::Relaxed), self.idle().len());
        (open.saturating_sub(idle), idle, self.0.settings.connections as usize)
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.0.is_closed.load(Ordering::SeqCst)
    }

    /// Closes the idle connections. Connections in use are closed when they are returned.
    pub(crate) fn begin_close(&self) {
        self.0.is_closed.store(true, Ordering::SeqCst);
        self.end_idle();
    }

    /// Closes the pool, and waits for the connections in use.
    pub(crate) async fn close(&self) {
        self.0.is_closed.store(true, Ordering::SeqCst);
        let wait = async {
            // Closes them without tasks, because the runtime of the connections may not be running.
            let idle = std::mem::take(&mut *self.idle());
            for Idle { live, .. } in idle {
                let Live { connection, _counted: counted, .. } = live;
                let closed = Box::pin(connection.close()).await;
                drop((closed, counted));
            }
            while self.0.open.load(Ordering::Relaxed) > 0 {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        let _ = timeout(self.0.settings.wait, wait).await;
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Idle>> {
        self.0.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl WorkerGuard {
    #[expect(clippy::expect_used, reason = "only `drop` removes the connection")]
    pub(crate) fn connection(&mut self) -> &mut PgConnection {
        &mut self.live.as_mut().expect("the guard contains its connection").connection
    }

    /// Records whether a statement may still be running. If so, the socket is closed on drop.
    pub(crate) fn set_busy(&mut self, is_busy: bool) {
        self.is_busy = is_busy;
    }
}

impl Drop for WorkerGuard {
    fn drop(&mut self) {
        let Some(mut live) = self.live.take() else { return };
        let (place, pool) = (self.place.take(), self.pool.clone());
        if self.is_busy {
            pool.0.broken.fetch_add(1, Ordering::Relaxed);
            // Skips the closing message of TLS, before which the server would finish its statement.
            return drop((live, place));
        }
        if depth(&live.connection) == 0 {
            return pool.put(live, place);
        }
        // The changes are rolled back before the connection is used again.
        self.pool.0.runtime.spawn(async move {
            while depth(&live.connection) > 0 {
                let rolled = async { Connection::Postgres(&mut live.connection).rollback().await };
                if !matches!(timeout(pool.0.settings.statement_timeout, rolled).await, Ok(Ok(()))) {
                    return pool.end(live, place);
                }
            }
            pool.put(live, place);
        });
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Clone for WorkerPool {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl fmt::Debug for WorkerGuard {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("WorkerGuard").field("is_busy", &self.is_busy).finish_non_exhaustive()
    }
}
