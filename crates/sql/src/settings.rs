//! Defines [`StoreSettings`], the limits and options of a store.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use crate::counts::Counts;
use crate::dialect::Dialect;
use crate::mapping::TableMapping;
use crate::part::StorePart;
use crate::per_transaction::CallerParameters;
use crate::slow::SlowLog;
use crate::store::DatabaseStore;

/// The value of the PostgreSQL setting `idle_in_transaction_session_timeout`. Without it, a transaction that a lost machine or network left
/// open would lock its rows for hours.
pub(crate) const IDLE_TRANSACTION: Duration = Duration::from_secs(60);

/// The limits and options of a store, with their defaults.
#[derive(Clone, Debug)]
pub struct StoreSettings {
    /// The maximum time that a statement waits for a connection.
    pub(crate) wait: Duration,
    /// The maximum duration of one statement.
    pub(crate) statement_timeout: Duration,
    /// The maximum number of connections. If each worker has separate connections, it is the maximum per worker.
    pub(crate) connections: u32,
    /// The maximum number of statements that wait for a connection.
    pub(crate) queue: usize,
    pub(crate) is_serializable: bool,
    /// `true` if the store connects through a transaction pooler.
    pub(crate) is_pooled: bool,
    pub(crate) migrates: bool,
    /// The maximum time that a start waits for other sessions of the database.
    pub(crate) start_wait: Duration,
    /// `true` if lists leave out unreadable rows.
    pub(crate) skips_unreadable: bool,
    /// The function that returns the database parameters for the caller of a transaction.
    pub(crate) caller_parameters: Option<CallerParameters>,
    /// The parts of the store that must work for the service to be ready.
    pub(crate) required: Vec<StorePart>,
    /// The time after which a statement is logged as slow.
    pub(crate) slow_after: Duration,
    pub(crate) slow: SlowLog,
    pub(crate) counts: Arc<Counts>,
}

impl StoreSettings {
    pub(crate) fn is_required(&self, part: StorePart) -> bool {
        self.required.contains(&part)
    }
}

impl Default for StoreSettings {
    fn default() -> Self {
        Self {
            wait: Duration::from_secs(2),
            statement_timeout: Duration::from_secs(5),
            connections: 4,
            queue: 256,
            is_serializable: false,
            is_pooled: false,
            migrates: false,
            start_wait: Duration::from_mins(10),
            skips_unreadable: false,
            caller_parameters: None,
            required: vec![StorePart::Reads, StorePart::Writes],
            slow_after: Duration::from_secs(1),
            slow: SlowLog::default(),
            counts: Arc::default(),
        }
    }
}

impl<D: Dialect> DatabaseStore<D> {
    /// Creates missing tables, columns and indexes when the Api starts. Without this setting, the start fails if the tables differ from the
    /// definitions, and the error lists each difference.
    ///
    /// Several processes may start together, because one of them migrates while the others wait.
    ///
    /// On PostgreSQL, each change is a separate transaction, and waits up to a second for the locks of other sessions before it tries again. The
    /// earlier version of the service can read and write during the migration. On SQLite and with
    /// `PostgresStore::transaction_pooler`, the migration is one transaction.
    ///
    /// ```
    /// use restwright_sql::PostgresStore;
    ///
    /// let store = PostgresStore::new("postgres://shelter@localhost/shelter").migrate();
    /// ```
    #[must_use]
    pub fn migrate(self) -> Self {
        self.set(|plan| plan.settings.migrates = true)
    }

    /// Sets the maximum time that a start waits for other sessions of the database, 10 minutes by default. After this time, the start fails.
    ///
    /// A start waits for the migration of another process, and for the locks that a change of the migration needs. On PostgreSQL, it also waits
    /// while the server accepts no further connections (SQLSTATE 53300). Each of these waits may last this long. The log contains a warning during
    /// a wait. The first connection of a store from [`from_pool`](Self::from_pool) waits only as long as [`wait`](Self::wait).
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use restwright_sql::PostgresStore;
    ///
    /// let store = PostgresStore::new("postgres://shelter@localhost/shelter").migrate().start_wait(Duration::from_secs(60));
    /// ```
    #[must_use]
    pub fn start_wait(self, wait: Duration) -> Self {
        self.set(|plan| plan.settings.start_wait = wait)
    }

    /// Maps a resource to an existing table.
    #[must_use]
    pub fn table(self, mapping: TableMapping) -> Self {
        self.set(|plan| plan.mappings.push(mapping))
    }

    /// Sets the maximum time that a statement waits for a connection, 2 seconds by default. After this time, the response is a 503.
    ///
    /// If opening a PostgreSQL connection takes longer, it continues in the background for up to 10 seconds, and the connection serves later
    /// requests. The start waits up to 10 seconds for its first connection.
    #[must_use]
    pub fn wait(self, wait: Duration) -> Self {
        self.set(|plan| plan.settings.wait = wait)
    }

    /// Sets the maximum duration of one statement, 5 seconds by default. A slower statement is cancelled, and the response is a 503.
    #[must_use]
    pub fn statement_timeout(self, limit: Duration) -> Self {
        self.set(|plan| plan.settings.statement_timeout = limit)
    }

    /// Sets the maximum number of connections, 4 by default. On PostgreSQL, each worker has up to this many connections. On SQLite, all
    /// readers share them, in addition to one connection for writes.
    ///
    /// Lists and their totals use at most three quarters of the connections, and at least one. Slow lists then leave the others to views and
    /// writes. The lists of one entity definition leave one of these connections to other lists. Further lists wait as long as other statements.
    #[must_use]
    pub fn connections(self, number: NonZeroU32) -> Self {
        self.set(|plan| plan.settings.connections = number.get())
    }

    /// Sets the maximum number of statements that wait for a connection, 256 by default. Further statements fail immediately with a 503.
    #[must_use]
    pub fn queue(self, number: usize) -> Self {
        self.set(|plan| plan.settings.queue = number)
    }

    /// Sets the URL of a replica that serves [stale](restwright_resource::Endpoints::stale_lists) lists. All other statements, and all reads within a
    /// transaction, use the primary.
    ///
    /// While the replica fails, the primary serves these lists. The metric `store_replica_fallbacks` counts them. The service stays ready, unless
    /// [`requires`](Self::requires) includes [`StorePart::Replica`].
    #[must_use]
    pub fn read_from(self, url: impl Into<String>) -> Self {
        self.set(|plan| plan.replica = Some(url.into()))
    }

    /// Sets the parts of the store that must work for the service to be ready. The default is [`StorePart::Reads`] and
    /// [`StorePart::Writes`].
    ///
    /// `/readyz?verbose` reports every part.
    #[must_use]
    pub fn requires(self, parts: impl IntoIterator<Item = StorePart>) -> Self {
        let parts = parts.into_iter().collect();
        self.set(|plan| plan.settings.required = parts)
    }
}
