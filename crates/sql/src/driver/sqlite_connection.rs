//! Defines [`SqliteConnection`], a connection to a SQLite database.

use std::fmt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use rusqlite::{Connection, OpenFlags};

use super::driver_error::DriverError;

/// The number of SQLite virtual machine steps between two checks for cancellation. These steps take less than 1 ms.
const STEPS: i32 = 1_000;

/// The maximum number of prepared statements that a connection keeps.
const KEPT: usize = 100;

/// The maximum time that SQLite can wait for a lock, about 24 days.
const LONGEST_WAIT: Duration = Duration::from_millis(i32::MAX as u64);

/// The file of a SQLite database, and how its connections open it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SqliteFile {
    /// The path. It is empty for a database in memory.
    pub(crate) path: PathBuf,
    pub(crate) is_read_only: bool,
    /// `true` if no process changes the file, so it is read without locks.
    pub(crate) is_immutable: bool,
    pub(crate) is_created: bool,
    /// How long a statement waits for a lock of another connection.
    pub(crate) wait: Duration,
}

impl SqliteFile {
    /// Returns `true` if the database is in memory. Its data is lost when its connection closes.
    pub(crate) fn is_in_memory(&self) -> bool {
        self.path.as_os_str().is_empty()
    }

    pub(super) fn open(&self) -> rusqlite::Result<Connection> {
        if self.is_in_memory() {
            let raw = Connection::open_in_memory()?;
            raw.pragma_update(None, "foreign_keys", true)?;
            return Ok(raw);
        }
        let mut flags = OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_EXRESCODE;
        flags |= if self.is_read_only { OpenFlags::SQLITE_OPEN_READ_ONLY } else { OpenFlags::SQLITE_OPEN_READ_WRITE };
        if self.is_created && !self.is_read_only {
            flags |= OpenFlags::SQLITE_OPEN_CREATE;
        }
        let raw = if self.is_immutable {
            let path = self.path.to_string_lossy().replace('%', "%25").replace('?', "%3f").replace('#', "%23");
            Connection::open_with_flags(format!("file:{path}?immutable=1"), flags | OpenFlags::SQLITE_OPEN_URI)?
        } else {
            Connection::open_with_flags(&self.path, flags)?
        };
        raw.busy_timeout(self.wait.min(LONGEST_WAIT))?;
        if !self.is_immutable {
            // The pragma returns the mode as a row.
            raw.query_row("PRAGMA journal_mode = WAL", [], |_row| Ok(()))?;
        }
        raw.execute_batch("PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL")?;
        Ok(raw)
    }
}

/// A connection to a SQLite database. Its statements run on the threads of the runtime for blocking work, one after the other.
///
/// A statement whose future is dropped before a thread has begun it never runs. A statement that runs goes on until it ends or is cancelled, and the
/// next statement of the connection waits for it.
pub(crate) struct SqliteConnection {
    raw: Arc<Mutex<Connection>>,
    interruption: Arc<Interruption>,
}

/// The conditions that interrupt the running statement of a connection.
struct Interruption {
    is_cancelled: AtomicBool,
    opened: Instant,
    /// The time after which a statement is interrupted, in microseconds since `opened`. 0 is no limit.
    deadline: AtomicU64,
}

impl Interruption {
    fn new() -> Self {
        Self { is_cancelled: AtomicBool::new(false), opened: Instant::now(), deadline: AtomicU64::new(0) }
    }

    fn now(&self) -> u64 {
        u64::try_from(self.opened.elapsed().as_micros()).unwrap_or(u64::MAX)
    }

    fn is_due(&self) -> bool {
        let deadline = self.deadline.load(Ordering::Relaxed);
        self.is_cancelled.load(Ordering::Relaxed) || (deadline > 0 && self.now() > deadline)
    }
}

impl SqliteConnection {
    pub(crate) async fn open(file: SqliteFile) -> Result<Self, DriverError> {
        let interruption = Arc::new(Interruption::new());
        let own = Arc::clone(&interruption);
        let opening = move || {
            let mut raw = file.open().map_err(|error| without_path(error.into(), &file))?;
            raw.set_prepared_statement_cache_capacity(KEPT);
            on_progress(&mut raw, STEPS, move || own.is_due())?;
            Ok(raw)
        };
        let raw = on_thread(opening).await?;
        Ok(Self { raw: Arc::new(Mutex::new(raw)), interruption })
    }

    /// Runs code on the connection, on a thread for blocking work.
    pub(crate) async fn with<T: Send + 'static, E: Into<DriverError>>(
        &mut self,
        run: impl FnOnce(&mut Connection) -> Result<T, E> + Send + 'static,
    ) -> Result<T, DriverError> {
        let (raw, claim) = (Arc::clone(&self.raw), FirstOf::new());
        let of_thread = claim.clone();
        on_thread(move || {
            let mut raw = lock(&raw);
            // Otherwise, the code would run in the transaction of the next user.
            if !of_thread.is_first() {
                return Err(DriverError::Unavailable("the request of a statement has ended".to_owned()));
            }
            run(&mut raw).map_err(Into::into)
        })
        .await
    }

    /// Returns `true` if a transaction is open, or a statement still runs.
    pub(crate) fn is_in_use(&self) -> bool {
        match self.raw.try_lock() {
            Ok(raw) => !raw.is_autocommit(),
            // Code of the application has panicked.
            Err(TryLockError::Poisoned(raw)) => !raw.into_inner().is_autocommit(),
            Err(TryLockError::WouldBlock) => true,
        }
    }

    /// Removes the limits of the last user.
    pub(crate) fn reset(&self) {
        self.cancel(false);
        self.set_deadline(None);
    }

    /// Cancels the statements of the connection until this is undone.
    pub(crate) fn cancel(&self, is_cancelled: bool) {
        self.interruption.is_cancelled.store(is_cancelled, Ordering::Relaxed);
    }

    /// Sets the time after which a statement is interrupted.
    pub(super) fn set_deadline(&self, limit: Option<Duration>) {
        let limit = limit.map_or(0, |limit| u64::try_from(limit.as_micros()).unwrap_or(u64::MAX));
        let deadline = if limit == 0 { 0 } else { self.interruption.now().saturating_add(limit) };
        self.interruption.deadline.store(deadline, Ordering::Relaxed);
    }

    /// Waits for the end of a running statement, and returns the connection. Blocks the thread.
    pub(super) fn lock(&self) -> MutexGuard<'_, Connection> {
        lock(&self.raw)
    }

    /// Waits for the end of a running statement, and closes the connection. Blocks the thread.
    pub(crate) fn close(self) {
        drop(lock(&self.raw));
    }
}

/// Makes a connection interrupt its statements if `is_over` returns `true`, which it calls every `steps` steps.
pub(super) fn on_progress(
    raw: &mut Connection,
    steps: i32,
    is_over: impl FnMut() -> bool + Send + 'static,
) -> rusqlite::Result<()> {
    raw.progress_handler(steps, Some(is_over))
}

/// Decides whether the thread of a statement begins it before its future is dropped.
struct FirstOf(Arc<AtomicBool>);

impl FirstOf {
    fn new() -> Self {
        Self(Arc::new(AtomicBool::new(false)))
    }

    /// Returns `true` for the first of both.
    fn is_first(&self) -> bool {
        !self.0.swap(true, Ordering::AcqRel)
    }
}

impl Clone for FirstOf {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl Drop for FirstOf {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

/// Removes the path from a message, because the error of an opening contains the path.
fn without_path(error: DriverError, file: &SqliteFile) -> DriverError {
    match error {
        DriverError::Sqlite { code, message } => {
            let message = message.trim_end_matches(&format!(": {}", file.path.display())).to_owned();
            DriverError::Sqlite { code, message }
        }
        other => other,
    }
}

async fn on_thread<T: Send + 'static>(
    run: impl FnOnce() -> Result<T, DriverError> + Send + 'static,
) -> Result<T, DriverError> {
    match tokio::task::spawn_blocking(run).await {
        Ok(ran) => ran,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            Err(_cancelled) => Err(DriverError::Unavailable("the runtime of the statement has ended".to_owned())),
        },
    }
}

fn lock(raw: &Mutex<Connection>) -> MutexGuard<'_, Connection> {
    raw.lock().unwrap_or_else(PoisonError::into_inner)
}

impl fmt::Debug for SqliteConnection {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("SqliteConnection")
            .field("is_cancelled", &self.interruption.is_cancelled)
            .finish_non_exhaustive()
    }
}
