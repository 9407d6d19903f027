//! Defines [`Schedule`], which determines when keys are fetched.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::time::Duration;

/// The time of the next fetch of keys, and whether a request needs newer keys before that time.
#[derive(Debug, Default)]
pub(super) struct Schedule {
    next: Duration,
    failures: u32,
    demanded: bool,
    running: bool,
    /// The number of fetches that have started so far. It is also the sequence number of the last of them.
    begun: u64,
    last_demand: Option<Duration>,
}

/// The result of requesting an early fetch.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum EarlyFetch {
    /// The caller must wait for the fetch with the sequence number `fetch`. `begun` is true if this fetch had already
    /// started.
    Wait { fetch: u64, begun: bool },
    /// No fetch was requested, because the cooldown after the previous early fetch has not ended.
    TooSoon,
}

impl Schedule {
    const LONGEST_BACKOFF: Duration = Duration::from_secs(60);
    /// The minimum pause between two fetches, regardless of the configuration.
    const SHORTEST_PAUSE: Duration = Duration::from_secs(1);

    /// Requests an early fetch for a token that the current keys do not verify. All callers share one request per
    /// cooldown.
    pub(super) fn demand(&mut self, now: Duration, cooldown: Duration) -> EarlyFetch {
        if self.running && !self.demanded {
            return EarlyFetch::Wait { fetch: self.begun, begun: true };
        }
        if !self.demanded {
            let cooldown = cooldown.max(Self::SHORTEST_PAUSE);
            if self.last_demand.is_some_and(|last| now.saturating_sub(last) < cooldown) {
                return EarlyFetch::TooSoon;
            }
            self.last_demand = Some(now);
            self.demanded = true;
        }
        EarlyFetch::Wait { fetch: self.begun + 1, begun: false }
    }

    /// If a fetch is due, records its start and returns `None`. If no fetch is due, returns the time of the next fetch.
    pub(super) fn begin(&mut self, now: Duration) -> Option<Duration> {
        if self.demanded || now >= self.next {
            self.running = true;
            self.demanded = false;
            self.begun += 1;
            return None;
        }
        Some(self.next)
    }

    /// Resets the schedule after an aborted fetch.
    pub(super) fn restart(&mut self) {
        self.running = false;
    }

    /// Returns the sequence number of the last fetch that has started.
    pub(super) fn begun(&self) -> u64 {
        self.begun
    }

    /// Records a successful fetch. Schedules the next fetch before the lifetime `fresh` of the keys ends.
    pub(super) fn succeeded(&mut self, now: Duration, fresh: Duration) {
        self.running = false;
        self.failures = 0;
        self.next = now + fresh.mul_f64(0.8 + 0.2 * jitter()).max(Self::SHORTEST_PAUSE);
    }

    /// Records a failed fetch. Schedules a retry with exponential backoff.
    pub(super) fn failed(&mut self, now: Duration) {
        self.running = false;
        let backoff = Duration::from_secs(1 << self.failures.min(6)).min(Self::LONGEST_BACKOFF);
        self.failures = self.failures.saturating_add(1);
        self.next = now + backoff.mul_f64(0.5 + 0.5 * jitter());
    }

    /// Returns the time until the next scheduled fetch.
    pub(super) fn pause(&self, now: Duration) -> Duration {
        self.next.saturating_sub(now)
    }

    pub(super) fn failures(&self) -> u32 {
        self.failures
    }
}

/// Returns a random number from 0 to 1. It spreads the fetches of many instances over time.
fn jitter() -> f64 {
    let random = RandomState::new().build_hasher().finish();
    f64::from(u32::try_from(random >> 32).unwrap_or_default()) / f64::from(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);
    const COOLDOWN: Duration = Duration::from_secs(30);

    #[test]
    fn demands_are_one_per_cooldown() {
        let mut schedule = Schedule::default();
        let wait = |fetch, begun| EarlyFetch::Wait { fetch, begun };
        assert_eq!(schedule.begin(Duration::ZERO), None);
        assert_eq!(schedule.demand(Duration::ZERO, COOLDOWN), wait(1, true));
        schedule.succeeded(Duration::ZERO, 600 * SECOND);
        assert!(schedule.begin(479 * SECOND).is_some());
        for _ in 0..1000 {
            assert_eq!(schedule.demand(SECOND, COOLDOWN), wait(2, false));
        }
        assert_eq!(schedule.begin(SECOND), None);
        assert_eq!(schedule.demand(SECOND, COOLDOWN), wait(2, true));
        schedule.succeeded(2 * SECOND, 600 * SECOND);
        assert_eq!(schedule.demand(30 * SECOND, COOLDOWN), EarlyFetch::TooSoon);
        assert!(schedule.begin(30 * SECOND).is_some());
        assert_eq!(schedule.demand(31 * SECOND, COOLDOWN), wait(3, false));
    }

    #[test]
    fn without_a_cooldown_there_is_a_pause() {
        let mut schedule = Schedule::default();
        assert_eq!(schedule.demand(SECOND, Duration::ZERO), EarlyFetch::Wait { fetch: 1, begun: false });
        assert_eq!(schedule.begin(SECOND), None);
        schedule.succeeded(SECOND, 600 * SECOND);
        assert_eq!(schedule.demand(SECOND, Duration::ZERO), EarlyFetch::TooSoon);
        assert_eq!(schedule.demand(2 * SECOND, Duration::ZERO), EarlyFetch::Wait { fetch: 2, begun: false });
    }

    #[test]
    fn nobody_waits_for_a_fetch_that_was_aborted() {
        let mut schedule = Schedule::default();
        assert_eq!(schedule.begin(Duration::ZERO), None);
        schedule.restart();
        assert_eq!(schedule.demand(SECOND, COOLDOWN), EarlyFetch::Wait { fetch: 2, begun: false });
    }

    #[test]
    fn failures_back_off() {
        let mut schedule = Schedule::default();
        let mut now = Duration::ZERO;
        for expected in [1, 2, 4, 8, 16, 32, 60, 60, 60] {
            schedule.failed(now);
            let pause = schedule.begin(now).unwrap() - now;
            assert!(pause <= expected * SECOND && 2 * pause >= expected * SECOND, "{pause:?} {expected}");
            now += pause;
            assert_eq!(schedule.begin(now), None);
        }
        assert_eq!(schedule.failures(), 9);
    }
}
