//! One timer per worker in place of several per connection.

use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};
use std::time::Duration;

use tokio::time::sleep;

use crate::connection_state::ConnectionState;
use crate::host::Settings;

/// Counts how long each client of a worker lets it wait. A request that comes in time costs no timer.
pub(crate) struct Watchdog {
    peers: RefCell<Vec<Weak<ConnectionState>>>,
    stopping: Cell<bool>,
}

impl Watchdog {
    /// Starts on this thread; it ends with its worker.
    pub(crate) fn start(settings: &Settings) -> Rc<Self> {
        let pace = Pace::new(settings);
        let watchdog = Rc::new(Self { peers: RefCell::default(), stopping: Cell::default() });
        let weak = Rc::downgrade(&watchdog);
        tokio::task::spawn_local(async move {
            loop {
                sleep(pace.interval).await;
                let Some(watchdog) = weak.upgrade() else { return };
                watchdog.each_peer(|peer| peer.tick(&pace));
            }
        });
        watchdog
    }

    /// Watches a client for as long as it is there.
    pub(crate) fn watch(&self, peer: &Rc<ConnectionState>) {
        self.peers.borrow_mut().push(Rc::downgrade(peer));
        if self.stopping.get() {
            peer.close();
        }
    }

    /// Closes every connection, at once or after the answer that is under way.
    pub(crate) fn close_all(&self) {
        self.stopping.set(true);
        self.each_peer(|peer| peer.close());
    }

    fn each_peer(&self, act: impl Fn(&ConnectionState)) {
        self.peers.borrow_mut().retain(|peer| {
            peer.upgrade().is_some_and(|peer| {
                act(&peer);
                true
            })
        });
    }
}

/// The timeouts in ticks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pace {
    interval: Duration,
    pub(crate) head: u32,
    pub(crate) body: u32,
    bytes_per_second: u64,
}

impl Pace {
    /// A tick is a quarter of the shortest timeout, but not more than a second.
    fn new(settings: &Settings) -> Self {
        let shortest = settings.head_timeout.min(settings.body_timeout);
        let interval = (shortest / 4).clamp(Duration::from_millis(10), Duration::from_secs(1));
        let ticks = |timeout: Duration| {
            u32::try_from(timeout.as_millis().div_ceil(interval.as_millis().max(1))).unwrap_or(u32::MAX)
        };
        Self {
            interval,
            head: ticks(settings.head_timeout),
            body: ticks(settings.body_timeout),
            bytes_per_second: settings.minimum_body_rate,
        }
    }

    /// Whether `received` bytes in `waited` ticks are less than the minimum rate admits.
    pub(crate) fn is_too_slow(&self, received: u64, waited: u64) -> bool {
        let beyond = u128::from(waited.saturating_sub(u64::from(self.body)));
        let expected = beyond * self.interval.as_millis() * u128::from(self.bytes_per_second) / 1000;
        u128::from(received) < expected
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_has_to_keep_the_rate_beyond_the_first_timeout() {
        let settings = Settings {
            head_timeout: Duration::from_secs(8),
            body_timeout: Duration::from_secs(4),
            minimum_body_rate: 100,
            ..Settings::default()
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
