//! Defines [`RedisOutage`], which limits retries and log lines while a Redis server is down.

use std::fmt;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use restwright_core::runtime::log;
use restwright_core::{Clock, OutageLog, OutageSummary};

/// Tracks the outage of a Redis server. During an outage, few requests wait for the server, and few lines are logged.
pub(super) struct RedisOutage {
    clock: Clock,
    /// The time of the next attempt to reach the server, in microseconds. It is 0 if there is no outage.
    next: AtomicU64,
    /// The number of attempts to reach the server since the outage began.
    attempts: AtomicU32,
    /// The number of failed commands since the process started.
    failures: AtomicU64,
    log: Mutex<OutageLog>,
}

/// The time between the first failure and the next attempt to reach the server. It is short, because one late response
/// is not an outage. Each further failure doubles it.
const FIRST_PAUSE: Duration = Duration::from_millis(100);

/// The maximum time between two attempts to reach the server.
pub(super) const LONGEST_PAUSE: Duration = Duration::from_secs(1);

impl RedisOutage {
    pub(super) fn new(clock: Clock) -> Self {
        Self {
            clock,
            next: AtomicU64::new(0),
            attempts: AtomicU32::new(0),
            failures: AtomicU64::new(0),
            log: Mutex::default(),
        }
    }

    /// Returns whether a command may be sent to the server now. During an outage, one command may be sent after each
    /// pause.
    pub(super) fn may_send(&self) -> bool {
        let next = self.next.load(Ordering::Relaxed);
        if next == 0 {
            return true;
        }
        if self.clock.elapsed_micros() < next {
            return false;
        }
        let after = self.after(self.attempts.load(Ordering::Relaxed) + 1);
        let first = self.next.compare_exchange(next, after, Ordering::Relaxed, Ordering::Relaxed).is_ok();
        if first {
            self.attempts.fetch_add(1, Ordering::Relaxed);
        }
        first
    }

    /// Returns whether the last command failed.
    pub(super) fn is_ongoing(&self) -> bool {
        self.next.load(Ordering::Relaxed) != 0
    }

    /// Returns the number of failed commands since the process started.
    pub(super) fn failures(&self) -> u64 {
        self.failures.load(Ordering::Relaxed)
    }

    /// Records a failed command, which begins or continues an outage.
    pub(super) fn begin(&self, error: &impl fmt::Display) {
        self.failures.fetch_add(1, Ordering::Relaxed);
        // An attempt during an outage has already set the time of the next attempt.
        let _ = self.next.compare_exchange(0, self.after(0), Ordering::Relaxed, Ordering::Relaxed);
        let line = self.log().failed(self.clock.elapsed());
        if let Some(OutageSummary { failures, seconds }) = line {
            log(|| tracing::error!(%error, failures, seconds, "rate limits are not counted because Redis failed"));
        }
    }

    /// Records a successful command, which ends an outage.
    pub(super) fn end(&self) {
        if self.is_ongoing() && self.next.swap(0, Ordering::Relaxed) != 0 {
            self.attempts.store(0, Ordering::Relaxed);
            let ended = self.log().ended(self.clock.elapsed());
            if let Some(OutageSummary { failures, seconds }) = ended {
                log(|| tracing::info!(failures, seconds, "rate limits are counted again because Redis responds"));
            }
        }
    }

    fn log(&self) -> MutexGuard<'_, OutageLog> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the time of the next attempt to reach the server, in microseconds. `attempts` is the number of attempts
    /// in the outage so far.
    fn after(&self, attempts: u32) -> u64 {
        let pause = FIRST_PAUSE.saturating_mul(2_u32.saturating_pow(attempts)).min(LONGEST_PAUSE);
        self.clock.elapsed_micros().saturating_add(u64::try_from(pause.as_micros()).unwrap_or(u64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use restwright_tests::Log;
    use tracing::Level;

    use super::*;

    #[test]
    fn an_outage_has_a_line_at_its_beginning_one_a_minute_and_one_at_its_end() {
        let (clock, log) = (Clock::manual(0), Log::up_to(Level::INFO));
        let outage = RedisOutage::new(clock.clone());
        log.during(|| {
            outage.end();
            for _ in 0..130 {
                (0..10).for_each(|_| outage.begin(&"away"));
                clock.advance(Duration::from_secs(1));
            }
            outage.end();
            outage.end();
        });
        let line = |failures: u64, seconds: u64| {
            format!(
                "ERROR restwright_rate_limit::redis::outage: message=rate limits are not counted because Redis failed error=away failures={failures} seconds={seconds}"
            )
        };
        let end = "INFO restwright_rate_limit::redis::outage: message=rate limits are counted again because Redis responds failures=1300 seconds=130";
        assert_eq!(log.take(""), [line(1, 0), line(601, 60), line(1201, 120), end.to_owned()]);
    }

    #[test]
    fn after_a_failure_one_command_is_sent_after_each_pause() {
        let clock = Clock::manual(0);
        let outage = RedisOutage::new(clock.clone());
        for _ in 0..2 {
            assert!(outage.may_send() && outage.may_send());
            outage.begin(&"away");
            for pause in [100, 200, 400, 800, 1000, 1000].map(Duration::from_millis) {
                outage.begin(&"still away");
                clock.advance(pause - Duration::from_micros(1));
                assert!(!outage.may_send(), "{pause:?}");
                clock.advance(Duration::from_micros(1));
                assert!(outage.may_send(), "{pause:?}");
                assert!(!outage.may_send(), "one is sent for all");
            }
            outage.end();
        }
        assert!(outage.may_send() && outage.may_send() && !outage.is_ongoing());
        assert_eq!(outage.failures(), 14);
    }
}
