//! Checks the timeouts of all clients of a worker with one timer.

use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};
use std::sync::Arc;
use std::time::Duration;

use tokio::time::sleep;

use super::connections::Connections;
use super::places::{ConnectionPlace, ConnectionPlaces};
use super::state::ConnectionState;
use crate::host_settings::HostSettings;

/// Counts how long a worker waits for each client, in ticks of one timer. Requests create no timers.
pub(crate) struct Watchdog {
    places: Rc<ConnectionPlaces>,
    connections: RefCell<Vec<Weak<ConnectionState>>>,
    pace: Pace,
    stopping: Cell<bool>,
}

impl Watchdog {
    /// Creates the watchdog of a worker, and starts its timer on the current thread.
    pub(crate) fn start(settings: &HostSettings, open: &Arc<Connections>) -> Rc<Self> {
        let pace = Pace::new(settings);
        let places = ConnectionPlaces::new(settings.connections_per_worker(), pace.slow_rate(), open);
        let watchdog = Rc::new(Self { places, connections: RefCell::default(), pace, stopping: Cell::default() });
        let weak = Rc::downgrade(&watchdog);
        tokio::task::spawn_local(async move {
            loop {
                sleep(pace.interval).await;
                let Some(watchdog) = weak.upgrade() else { return };
                watchdog.each(|state| state.tick(&watchdog.pace));
                if watchdog.stopping.get() {
                    watchdog.each(ConnectionState::stop);
                }
                watchdog.places.close_for_those_that_wait(&watchdog.connections.borrow());
            }
        });
        watchdog
    }

    /// Waits until the connection limit allows a new connection.
    pub(super) async fn place(&self) -> ConnectionPlace {
        self.places.clone().take(&self.connections).await
    }

    /// Waits until the connection limit has blocked new connections for a long time.
    pub(super) async fn blocked(&self) {
        self.places.blocked().await;
    }

    /// Checks the timeouts of a connection until it closes.
    pub(crate) fn watch(&self, state: &Rc<ConnectionState>) {
        self.connections.borrow_mut().push(Rc::downgrade(state));
    }

    /// Closes the idle connections of the worker now, and every other connection after its current response.
    pub(super) fn close_all(&self) {
        self.stopping.set(true);
        self.each(ConnectionState::stop);
    }

    fn each(&self, act: impl Fn(&ConnectionState)) {
        self.connections.borrow_mut().retain(|state| {
            state.upgrade().is_some_and(|state| {
                act(&state);
                true
            })
        });
    }
}

/// The time that the server waits for the client to close its side before the server closes the connection. The server
/// discards all bytes that arrive in this time.
pub(super) const LINGER: Duration = Duration::from_secs(1);

/// The timeouts of clients, converted to timer ticks.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pace {
    interval: Duration,
    pub(super) head: u32,
    pub(super) body: u32,
    pub(super) keep_alive: u32,
    pub(super) linger: u32,
    bytes_per_second: u64,
}

impl Pace {
    /// Converts the timeouts of the server to timer ticks. A tick is a quarter of the shortest timeout, from 10 ms to 1
    /// s.
    fn new(settings: &HostSettings) -> Self {
        // Without keep-alive, no connection is idle after its request.
        let keep_alive = if settings.keep_alive.is_zero() { Duration::MAX } else { settings.keep_alive };
        let shortest = settings.head_timeout.min(settings.body_timeout).min(keep_alive);
        let interval = (shortest / 4).clamp(Duration::from_millis(10), Duration::from_secs(1));
        let ticks = |timeout: Duration| {
            u32::try_from(timeout.as_millis().div_ceil(interval.as_millis().max(1))).unwrap_or(u32::MAX)
        };
        Self {
            interval,
            head: ticks(settings.head_timeout),
            body: ticks(settings.body_timeout),
            keep_alive: ticks(keep_alive),
            linger: ticks(LINGER),
            bytes_per_second: settings.minimum_rate,
        }
    }

    /// Returns the transfer rate in bytes per tick below which a client is slow. It is four times the minimum rate. A
    /// new connection may replace a slow client.
    #[expect(clippy::cast_precision_loss, reason = "rates are compared, and need not be exact")]
    fn slow_rate(&self) -> f64 {
        4.0 * self.bytes_per_second as f64 * self.interval.as_secs_f64()
    }

    /// Returns whether a client that has transferred `received` bytes in `waited` ticks is below the minimum rate.
    pub(super) fn is_too_slow(&self, received: u64, waited: u64) -> bool {
        let beyond = u128::from(waited.saturating_sub(u64::from(self.body)));
        let expected = beyond * self.interval.as_millis() * u128::from(self.bytes_per_second) / 1000;
        u128::from(received) < expected
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tick_is_a_quarter_of_the_shortest_timeout() {
        let keep_alive = Duration::from_millis(400);
        let pace = Pace::new(&HostSettings { keep_alive, ..HostSettings::default() });
        assert_eq!((pace.interval, pace.keep_alive, pace.head), (Duration::from_millis(100), 4, 100));
    }

    #[test]
    fn a_body_must_keep_the_rate_beyond_the_first_timeout() {
        let settings = HostSettings {
            head_timeout: Duration::from_secs(8),
            body_timeout: Duration::from_secs(4),
            minimum_rate: 100,
            ..HostSettings::default()
        };
        let pace = Pace::new(&settings);
        assert_eq!((pace.interval, pace.head, pace.body), (Duration::from_secs(1), 8, 4));
        for (received, waited, expected) in
            [(0, 4, false), (0, 5, true), (100, 5, false), (99, 5, true), (1_000, 14, false), (999, 14, true)]
        {
            assert_eq!(pace.is_too_slow(received, waited), expected, "{received} bytes in {waited} ticks");
        }
    }
}
