//! The time in which the server does not do its work.

use std::fmt;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use restwright_core::Clock;

/// Remembers a failure, so that few requests wait for a server that is away, and the log is told once when it begins and once
/// when it ends.
pub(super) struct Outage {
    clock: Clock,
    /// When the server may be asked again, in microseconds; 0 while it does its work.
    next: AtomicU64,
    /// How often it was asked since it failed.
    asked: AtomicU32,
}

/// How long the server is not asked after a failure: short, since one late answer is not yet an outage, and twice as long after
/// each further one ..
const FIRST_PAUSE: Duration = Duration::from_millis(100);

/// .. up to this.
pub(super) const LONGEST_PAUSE: Duration = Duration::from_secs(1);

impl Outage {
    pub(super) fn new(clock: Clock) -> Self {
        Self { clock, next: AtomicU64::new(0), asked: AtomicU32::new(0) }
    }

    /// Whether the server may be asked: always while it does its work, else by one request after each pause.
    pub(super) fn may_ask(&self) -> bool {
        let next = self.next.load(Ordering::Relaxed);
        if next == 0 {
            return true;
        }
        if self.clock.elapsed_micros() < next {
            return false;
        }
        let after = self.after(self.asked.load(Ordering::Relaxed) + 1);
        let first = self.next.compare_exchange(next, after, Ordering::Relaxed, Ordering::Relaxed).is_ok();
        if first {
            self.asked.fetch_add(1, Ordering::Relaxed);
        }
        first
    }

    pub(super) fn begin(&self, error: &impl fmt::Display) {
        // Whoever asks during an outage has set the next time already, and others come late.
        if self.next.compare_exchange(0, self.after(0), Ordering::Relaxed, Ordering::Relaxed).is_ok() {
            tracing::error!(%error, "rate limits are not counted: Redis did not charge them");
        }
    }

    pub(super) fn end(&self) {
        if self.next.load(Ordering::Relaxed) != 0 && self.next.swap(0, Ordering::Relaxed) != 0 {
            self.asked.store(0, Ordering::Relaxed);
            tracing::info!("rate limits are counted again: Redis charges them");
        }
    }

    /// When the server may be asked again, when it was asked so often since it failed.
    fn after(&self, asked: u32) -> u64 {
        let pause = FIRST_PAUSE.saturating_mul(2_u32.saturating_pow(asked)).min(LONGEST_PAUSE);
        self.clock.elapsed_micros().saturating_add(u64::try_from(pause.as_micros()).unwrap_or(u64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn after_a_failure_one_asks_after_each_pause() {
        let clock = Clock::manual(0);
        let outage = Outage::new(clock.clone());
        for _ in 0..2 {
            assert!(outage.may_ask() && outage.may_ask());
            outage.begin(&"away");
            for pause in [100, 200, 400, 800, 1000, 1000].map(Duration::from_millis) {
                outage.begin(&"away, says one who asked earlier");
                clock.advance(pause - Duration::from_micros(1));
                assert!(!outage.may_ask(), "{pause:?}");
                clock.advance(Duration::from_micros(1));
                assert!(outage.may_ask(), "{pause:?}");
                assert!(!outage.may_ask(), "one finds out for all");
            }
            outage.end();
        }
        assert!(outage.may_ask() && outage.may_ask());
    }
}
