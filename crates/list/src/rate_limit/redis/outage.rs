//! The time in which the server does not do its work.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use restwright_core::Clock;

/// Remembers a failure, so that few requests wait for a server that is away, and the log is told once when it begins and once
/// when it ends.
pub(super) struct Outage {
    clock: Clock,
    /// When the server may be asked again, in microseconds; 0 while it does its work.
    next: AtomicU64,
}

/// How long the server is not asked after a failure.
pub(super) const PAUSE: Duration = Duration::from_secs(1);

const PAUSE_MICROS: u64 = 1_000_000;

impl Outage {
    pub(super) fn new(clock: Clock) -> Self {
        Self { clock, next: AtomicU64::new(0) }
    }

    /// Whether the server may be asked: always while it does its work, else by one request after each pause.
    pub(super) fn may_ask(&self) -> bool {
        let next = self.next.load(Ordering::Relaxed);
        if next == 0 {
            return true;
        }
        let now = self.clock.elapsed_micros();
        let after = now.saturating_add(PAUSE_MICROS);
        now >= next && self.next.compare_exchange(next, after, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }

    pub(super) fn begin(&self, error: &impl fmt::Display) {
        let next = self.clock.elapsed_micros().saturating_add(PAUSE_MICROS);
        if self.next.swap(next, Ordering::Relaxed) == 0 {
            tracing::error!(%error, "rate limits are not counted: Redis did not charge them");
        }
    }

    pub(super) fn end(&self) {
        if self.next.load(Ordering::Relaxed) != 0 && self.next.swap(0, Ordering::Relaxed) != 0 {
            tracing::info!("rate limits are counted again: Redis charges them");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn after_a_failure_one_asks_after_each_pause() {
        let clock = Clock::manual(0);
        let outage = Outage::new(clock.clone());
        assert!(outage.may_ask() && outage.may_ask());
        outage.begin(&"away");
        assert!(!outage.may_ask());
        clock.advance(PAUSE - Duration::from_micros(1));
        assert!(!outage.may_ask());
        clock.advance(Duration::from_micros(1));
        assert!(outage.may_ask());
        assert!(!outage.may_ask(), "one finds out for all");
        outage.begin(&"away");
        clock.advance(PAUSE);
        assert!(outage.may_ask());
        outage.end();
        assert!(outage.may_ask() && outage.may_ask());
    }
}
