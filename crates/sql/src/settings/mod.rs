//! Defines [`StoreSettings`], the limits and options of a store.

mod counts;
mod parameters;
mod part;
mod slow_log;

use std::sync::Arc;
use std::time::Duration;

use crate::dialect::Dialect;

pub(crate) use counts::Counts;
pub(crate) use parameters::{CallerParameters, Parameters, parameters_sql, with_parameters};
pub use part::StorePart;
pub(crate) use slow_log::SlowLog;

/// The value of the PostgreSQL setting `idle_in_transaction_session_timeout`. Without it, a transaction that a lost machine or network left
/// open would lock its rows for hours.
pub(crate) const IDLE_TRANSACTION: Duration = Duration::from_secs(60);

/// The limits and options of a store, with their defaults.
#[derive(Clone, Debug)]
pub(crate) struct StoreSettings {
    pub(crate) dialect: &'static Dialect,
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
    /// `true` if workers run short reads of SQLite themselves.
    pub(crate) reads_inline: bool,
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

impl StoreSettings {
    /// Returns the default settings of a database.
    pub(crate) fn new(dialect: &'static Dialect) -> Self {
        Self {
            dialect,
            wait: Duration::from_secs(2),
            statement_timeout: Duration::from_secs(5),
            connections: 4,
            queue: 256,
            is_serializable: false,
            is_pooled: false,
            migrates: false,
            start_wait: Duration::from_mins(10),
            reads_inline: true,
            skips_unreadable: false,
            caller_parameters: None,
            required: vec![StorePart::Reads, StorePart::Writes],
            slow_after: Duration::from_secs(1),
            slow: SlowLog::default(),
            counts: Arc::default(),
        }
    }
}
