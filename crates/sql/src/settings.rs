//! [`Settings`]: the bounds of a store.

use std::time::Duration;

use crate::part::StorePart;
use crate::slow::SlowLog;

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
            required: vec![StorePart::Reads, StorePart::Writes],
            slow_after: Duration::from_secs(1),
            slow: SlowLog::default(),
        }
    }
}
