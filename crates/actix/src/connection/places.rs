//! Limits the number of open connections of a worker.

use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

use super::connections::Connections;
use super::state::ConnectionState;

/// The connection limit of one worker. Each open connection occupies one place. If no place is free, a new connection
/// replaces the connection that has been idle for the longest time, or else the slowest client. If no connection is
/// idle and no client is slow, the new connection waits.
pub(super) struct ConnectionPlaces {
    limit: usize,
    /// The transfer rate in bytes per tick below which a client is slow. A new connection may replace a slow client.
    slow_rate: f64,
    open: Arc<Connections>,
    taken: Cell<usize>,
    freed: Notify,
    /// The number of new connections that wait for a place. `unpromised` is the number of waiting connections for which
    /// no other connection is closing yet.
    waiting: Cell<usize>,
    unpromised: Cell<usize>,
    /// The time at which a new connection began to wait, if no request has completed and no connection has closed after
    /// it.
    blocked_since: Cell<Option<Instant>>,
    /// The sequence number of the last connection that became idle.
    turns: Cell<u64>,
    /// The idle connections to close next, each with its sequence number. The connection with the longest idle time is
    /// last.
    longest_idle: RefCell<Vec<(u64, Weak<ConnectionState>)>>,
}

/// The number of connections without a place that a worker accepts. Each of them waits for a place. While all places are
/// taken, it can send one request to a health check.
pub(crate) const NEWCOMERS: usize = 4;

/// The time without a completed request after which new connections no longer wait for a place.
const BLOCKED: Duration = Duration::from_secs(5);

impl ConnectionPlaces {
    pub(super) fn new(limit: usize, slow_rate: f64, open: &Arc<Connections>) -> Rc<Self> {
        Rc::new(Self {
            limit,
            slow_rate,
            open: open.clone(),
            taken: Cell::default(),
            freed: Notify::new(),
            waiting: Cell::default(),
            unpromised: Cell::default(),
            blocked_since: Cell::default(),
            turns: Cell::default(),
            longest_idle: RefCell::default(),
        })
    }

    /// Returns a sequence number for a connection that becomes idle now. A lower number means a longer idle time.
    pub(super) fn next_turn(&self) -> u64 {
        self.turns.set(self.turns.get() + 1);
        self.turns.get()
    }

    /// Returns whether a connection must close when it becomes idle, because a new connection is waiting.
    pub(super) fn claims(&self) -> bool {
        self.blocked_since.take();
        let left = self.unpromised.get().checked_sub(1);
        self.unpromised.set(left.unwrap_or_default());
        left.is_some()
    }

    /// Waits until the number of open connections is below the limit, and then counts a new connection as open.
    pub(super) async fn take(self: Rc<Self>, connections: &RefCell<Vec<Weak<ConnectionState>>>) -> ConnectionPlace {
        if self.is_full() {
            let _waiting = WaitingConnection::new(&self);
            let closes = self.close_longest_idle(&connections.borrow()) || self.close_slowest(&connections.borrow());
            if !closes {
                self.unpromised.set(self.unpromised.get() + 1);
            }
            let _counted = (!closes).then(|| self.open.wait());
            while self.is_full() {
                self.freed.notified().await;
            }
        }
        self.taken.set(self.taken.get() + 1);
        ConnectionPlace(self)
    }

    /// Waits until new connections have waited for [`BLOCKED`] without a completed request.
    pub(super) async fn blocked(&self) {
        loop {
            let since = self.blocked_since();
            if since.elapsed() >= BLOCKED {
                return;
            }
            sleep_until(since + BLOCKED).await;
        }
    }

    fn blocked_since(&self) -> Instant {
        let since = self.blocked_since.get().unwrap_or_else(Instant::now);
        self.blocked_since.set(Some(since));
        since
    }

    fn is_full(&self) -> bool {
        self.taken.get() >= self.limit
    }

    /// Closes the connections of slow clients if new connections wait. The watchdog calls this method once per tick.
    pub(super) fn close_for_those_that_wait(&self, connections: &[Weak<ConnectionState>]) {
        while self.unpromised.get() > 0 && self.close_slowest(connections) {
            self.unpromised.set(self.unpromised.get() - 1);
        }
        self.open.log_ended();
    }

    /// Closes the connection of the slowest client. Returns `false` if no client is slow.
    fn close_slowest(&self, connections: &[Weak<ConnectionState>]) -> bool {
        let rates = connections.iter().filter_map(|state| {
            let state = state.upgrade()?;
            Some((state.slow_rate(self.slow_rate)?, state))
        });
        let slowest = rates.min_by(|(one, _), (other, _)| one.total_cmp(other));
        slowest.is_some_and(|(_, state)| {
            state.give_up();
            true
        })
    }

    /// Closes the connection that has been idle for the longest time. Returns `false` if no connection is idle.
    ///
    /// A search through all connections stores an eighth of the idle connections for later calls, so each new
    /// connection costs little.
    fn close_longest_idle(&self, connections: &[Weak<ConnectionState>]) -> bool {
        let mut longest_idle = self.longest_idle.borrow_mut();
        loop {
            while let Some((turn, state)) = longest_idle.pop() {
                if let Some(state) = state.upgrade().filter(|state| state.idle_since() == Some(turn)) {
                    state.close();
                    return true;
                }
            }
            let idle = connections.iter().filter_map(|state| Some((state.upgrade()?.idle_since()?, state.clone())));
            longest_idle.extend(idle);
            if longest_idle.is_empty() {
                return false;
            }
            longest_idle.sort_unstable_by_key(|(turn, _)| *turn);
            let eighth = longest_idle.len().div_ceil(8);
            longest_idle.truncate(eighth);
            longest_idle.shrink_to_fit();
            longest_idle.reverse();
        }
    }
}

/// A place within the connection limit, reserved for one connection. Dropping this value frees the place.
pub(super) struct ConnectionPlace(Rc<ConnectionPlaces>);

impl ConnectionPlace {
    pub(super) fn places(&self) -> &Rc<ConnectionPlaces> {
        &self.0
    }
}

impl Drop for ConnectionPlace {
    fn drop(&mut self) {
        self.0.taken.set(self.0.taken.get().saturating_sub(1));
        self.0.blocked_since.take();
        if self.0.waiting.get() > 0 {
            self.0.freed.notify_one();
        }
    }
}

/// Counts a new connection as waiting until this value is dropped.
struct WaitingConnection<'a>(&'a ConnectionPlaces);

impl<'a> WaitingConnection<'a> {
    fn new(places: &'a ConnectionPlaces) -> Self {
        places.waiting.set(places.waiting.get() + 1);
        places.blocked_since();
        Self(places)
    }
}

impl Drop for WaitingConnection<'_> {
    fn drop(&mut self) {
        let waiting = self.0.waiting.get().saturating_sub(1);
        self.0.waiting.set(waiting);
        self.0.unpromised.set(self.0.unpromised.get().min(waiting));
    }
}
