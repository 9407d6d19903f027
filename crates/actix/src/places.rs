//! The places of a worker for connections.

use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};
use std::sync::Arc;

use tokio::sync::Notify;

use crate::connection_state::ConnectionState;
use crate::connections::Connections;

/// The places for connections on one worker. A newcomer that finds none takes that of the connection that has been idle for
/// longest, or of the slowest client that is awaited, and waits while there is neither.
pub(crate) struct Places {
    limit: usize,
    /// The bytes in a tick below which a client loses its connection to a newcomer.
    slow_rate: f64,
    open: Arc<Connections>,
    taken: Cell<usize>,
    freed: Notify,
    /// The newcomers that wait, and those of them for whom no connection closes yet.
    waiting: Cell<usize>,
    unpromised: Cell<usize>,
    /// The times that a connection became idle.
    turns: Cell<u64>,
    /// Those that were idle for longest when they were last looked for, with their turn; the longest comes last.
    longest_idle: RefCell<Vec<(u64, Weak<ConnectionState>)>>,
}

impl Places {
    pub(crate) fn new(limit: usize, slow_rate: f64, open: &Arc<Connections>) -> Rc<Self> {
        Rc::new(Self {
            limit,
            slow_rate,
            open: open.clone(),
            taken: Cell::default(),
            freed: Notify::new(),
            waiting: Cell::default(),
            unpromised: Cell::default(),
            turns: Cell::default(),
            longest_idle: RefCell::default(),
        })
    }

    /// Returns the turn of a connection that is idle from now on.
    pub(crate) fn next_turn(&self) -> u64 {
        self.turns.set(self.turns.get() + 1);
        self.turns.get()
    }

    /// Returns whether a connection that becomes idle is to close for a newcomer.
    pub(crate) fn claims(&self) -> bool {
        let left = self.unpromised.get().checked_sub(1);
        self.unpromised.set(left.unwrap_or_default());
        left.is_some()
    }

    /// Takes a place for a newcomer, as soon as there is one.
    pub(crate) async fn take(self: Rc<Self>, connections: &RefCell<Vec<Weak<ConnectionState>>>) -> Place {
        if self.is_full() {
            let _waiting = Waiting::new(&self);
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
        Place(self)
    }

    fn is_full(&self) -> bool {
        self.taken.get() >= self.limit
    }

    /// Closes slow connections for newcomers that wait; called once in a tick.
    pub(crate) fn close_for_those_that_wait(&self, connections: &[Weak<ConnectionState>]) {
        while self.unpromised.get() > 0 && self.close_slowest(connections) {
            self.unpromised.set(self.unpromised.get() - 1);
        }
        self.open.log_ended();
    }

    /// Closes the connection of the slowest client that is awaited; returns false if none is slow.
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

    /// Closes the connection that has been idle for longest; returns false if none is idle.
    ///
    /// Looking through all of them finds the next eighth, too, so that a newcomer costs little, however many connections there are.
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

/// A place that is taken, until it is dropped.
pub(crate) struct Place(Rc<Places>);

impl Drop for Place {
    fn drop(&mut self) {
        self.0.taken.set(self.0.taken.get().saturating_sub(1));
        if self.0.waiting.get() > 0 {
            self.0.freed.notify_one();
        }
    }
}

/// Counts a newcomer that waits, until it is dropped.
struct Waiting<'a>(&'a Places);

impl<'a> Waiting<'a> {
    fn new(places: &'a Places) -> Self {
        places.waiting.set(places.waiting.get() + 1);
        Self(places)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        let waiting = self.0.waiting.get().saturating_sub(1);
        self.0.waiting.set(waiting);
        self.0.unpromised.set(self.0.unpromised.get().min(waiting));
    }
}
