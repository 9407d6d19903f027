//! Defines [`HostSettings`], the limits and time limits of a server.

use std::num::NonZeroUsize;
use std::time::Duration;

/// The settings of a server.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HostSettings {
    pub(crate) workers: usize,
    pub(crate) keep_alive: Duration,
    pub(crate) head_timeout: Duration,
    pub(crate) body_timeout: Duration,
    pub(crate) minimum_rate: u64,
    pub(crate) max_connections: usize,
    /// The maximum number of event streams and WebSockets, or `None` for half of the connections.
    pub(crate) max_long_lived: Option<usize>,
    pub(crate) max_connections_per_address: Option<usize>,
    pub(crate) drain: Duration,
    pub(crate) grace: Duration,
}

impl Default for HostSettings {
    fn default() -> Self {
        Self {
            workers: std::thread::available_parallelism().map_or(2, NonZeroUsize::get).min(MOST_WORKERS),
            keep_alive: Duration::from_secs(75),
            head_timeout: Duration::from_secs(10),
            body_timeout: Duration::from_secs(10),
            minimum_rate: 500,
            max_connections: 10_000,
            max_long_lived: None,
            max_connections_per_address: None,
            drain: Duration::ZERO,
            grace: Duration::from_secs(30),
        }
    }
}

impl HostSettings {
    /// Returns the maximum number of open connections per worker.
    pub(crate) fn connections_per_worker(&self) -> usize {
        self.max_connections.div_ceil(self.workers)
    }

    /// Returns the maximum number of event streams and WebSockets per worker.
    pub(crate) fn long_lived_per_worker(&self) -> usize {
        self.max_long_lived.map_or((self.connections_per_worker() / 2).max(1), |limit| limit.div_ceil(self.workers))
    }
}

/// The maximum number of workers that actix-server supports.
pub(crate) const MOST_WORKERS: usize = 512;
