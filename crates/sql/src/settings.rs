//! [`Settings`]: the bounds of a store.

use std::num::NonZeroU32;
use std::time::Duration;

use crate::dialect::Dialect;
use crate::mapping::TableMapping;
use crate::part::StorePart;
use crate::per_transaction::CallerParameters;
use crate::slow::SlowLog;
use crate::store::DatabaseStore;

/// The time after which PostgreSQL ends a transaction whose client does nothing. One that a lost machine or network has left open would hold
/// its rows for hours.
pub(crate) const IDLE_TRANSACTION: Duration = Duration::from_secs(60);

/// The bounds of a store, with their defaults.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The time that a statement waits for a connection.
    pub(crate) wait: Duration,
    /// The time that one statement takes.
    pub(crate) statement_timeout: Duration,
    /// The number of connections; of each worker, if they are a worker's.
    pub(crate) connections: u32,
    /// The number of writes that wait for the one writer.
    pub(crate) queue: usize,
    pub(crate) is_serializable: bool,
    /// The connections are those of a proxy that hands them out by transaction.
    pub(crate) is_pooled: bool,
    pub(crate) migrates: bool,
    /// The parameters that each transaction sets for its caller.
    pub(crate) caller_parameters: Option<CallerParameters>,
    /// The parts without which the service is not ready.
    pub(crate) required: Vec<StorePart>,
    /// The time from which on a statement is logged.
    pub(crate) slow_after: Duration,
    pub(crate) slow: SlowLog,
}

impl Settings {
    pub(crate) fn is_required(&self, part: StorePart) -> bool {
        self.required.contains(&part)
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            wait: Duration::from_secs(2),
            statement_timeout: Duration::from_secs(5),
            connections: 4,
            queue: 256,
            is_serializable: false,
            is_pooled: false,
            migrates: false,
            caller_parameters: None,
            required: vec![StorePart::Reads, StorePart::Writes],
            slow_after: Duration::from_secs(1),
            slow: SlowLog::default(),
        }
    }
}

impl<D: Dialect> DatabaseStore<D> {
    /// Creates missing tables, columns and indexes when the Api starts, under a lock, so that several processes may start together.
    /// Without it the start fails if the tables are not as they have to be, and names each difference.
    #[must_use]
    pub fn migrate(self) -> Self {
        self.set(|plan| plan.settings.migrates = true)
    }

    /// Sets the names in a table that exists already.
    #[must_use]
    pub fn table(self, mapping: TableMapping) -> Self {
        self.set(|plan| plan.mappings.push(mapping))
    }

    /// Sets the longest time that a statement waits for a connection, 2 seconds by default; then the response is a 503.
    ///
    /// A PostgreSQL connection that takes longer to open is opened in the background, for up to 10 seconds, and serves later requests. The start waits
    /// that long for its first connection.
    #[must_use]
    pub fn wait(self, wait: Duration) -> Self {
        self.set(|plan| plan.settings.wait = wait)
    }

    /// Sets the longest time that one statement takes, 5 seconds by default; then the response is a 503.
    #[must_use]
    pub fn statement_timeout(self, limit: Duration) -> Self {
        self.set(|plan| plan.settings.statement_timeout = limit)
    }

    /// Sets the number of connections, 4 by default: of each worker on PostgreSQL, so that there are as many as workers times this number,
    /// and of all readers on SQLite, beside the one writer.
    ///
    /// Lists and their totals use at most three quarters of the connections, and one at least, so that slow lists leave the others to views and
    /// writes. A list beyond that waits as long as other statements do.
    #[must_use]
    pub fn connections(self, number: NonZeroU32) -> Self {
        self.set(|plan| plan.settings.connections = number.get())
    }

    /// Sets the number of statements that wait for a connection at a time, 256 by default; beyond it the response is a 503 at once.
    #[must_use]
    pub fn queue(self, number: usize) -> Self {
        self.set(|plan| plan.settings.queue = number)
    }

    /// Reads lists that may be [stale](restwright_resource::Endpoints::stale_lists) from the database at another URL: a replica.
    /// Everything else, and every read within a transaction, uses the first.
    ///
    /// While the replica fails, these lists are read from the first database. `store_replica_fallbacks` in the metrics counts them. The service stays
    /// ready, unless [`requires`](Self::requires) includes [`StorePart::Replica`].
    #[must_use]
    pub fn read_from(self, url: impl Into<String>) -> Self {
        self.set(|plan| plan.replica = Some(url.into()))
    }

    /// Sets the parts without which the service is not ready, by default [`StorePart::Reads`] and [`StorePart::Writes`].
    ///
    /// `/readyz?verbose` reports every part.
    #[must_use]
    pub fn requires(self, parts: impl IntoIterator<Item = StorePart>) -> Self {
        let parts = parts.into_iter().collect();
        self.set(|plan| plan.settings.required = parts)
    }
}
