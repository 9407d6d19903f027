//! Defines [`Clock`], the source of time for an Api and its components.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use tokio::sync::Notify;

/// A source of time, which is the system clock or a manual clock for tests.
///
/// [`Configuration::clock`](crate::Configuration::clock) sets it for an Api. Authenticators, fetched keys, limits in
/// memory and expiring cursors use this clock, so a test moves one clock for all of them.
///
/// A request type can have a field of this type, which contains the clock of the Api. A field of this type adds nothing to
/// the OpenAPI document.
///
/// A component that is also used without an Api has a method `clock`, which sets a separate clock
/// ([`ComponentClock`](crate::ComponentClock)). Deadlines, timeouts and limits on Redis always use real time.
///
/// ```
/// use std::time::Duration;
///
/// use restwright_core::{Clock, Configuration};
///
/// let clock = Clock::manual(1_700_000_000);
/// let configuration = Configuration::new("pets", "1.0.0").clock(clock.clone());
/// clock.advance(Duration::from_secs(60));
/// assert_eq!(clock.unix_seconds(), 1_700_000_060);
/// assert_eq!(clock.elapsed(), Duration::from_secs(60));
/// ```
#[derive(Debug, Clone)]
pub struct Clock(ClockSource);

#[derive(Debug, Clone)]
enum ClockSource {
    System(Instant),
    Manual(Arc<Manual>),
}

#[derive(Debug)]
struct Manual {
    start: i64,
    elapsed_micros: AtomicU64,
    moved: Notify,
}

impl Clock {
    /// Creates a clock that returns the system time.
    #[must_use]
    pub fn system() -> Self {
        Self(ClockSource::System(Instant::now()))
    }

    /// Creates a manual clock for tests. It moves only when [`advance`](Self::advance) is called. Clones share the
    /// time.
    #[must_use]
    pub fn manual(unix_seconds: i64) -> Self {
        let manual = Manual { start: unix_seconds, elapsed_micros: AtomicU64::new(0), moved: Notify::new() };
        Self(ClockSource::Manual(Arc::new(manual)))
    }

    /// Advances a manual clock and wakes the tasks that wait for it. The duration is rounded down to whole
    /// microseconds. Has no effect on the system clock.
    pub fn advance(&self, by: Duration) {
        let ClockSource::Manual(manual) = &self.0 else { return };
        let by = u64::try_from(by.as_micros()).unwrap_or(u64::MAX);
        let moved = |elapsed: u64| Some(elapsed.saturating_add(by));
        // `moved` never returns `None`, so the update cannot fail.
        let _ = manual.elapsed_micros.fetch_update(Ordering::SeqCst, Ordering::SeqCst, moved);
        manual.moved.notify_waiters();
    }

    /// Returns the Unix time in seconds, as in the `NumericDate` of a JWT (RFC 7519, section 2).
    #[must_use]
    pub fn unix_seconds(&self) -> i64 {
        match &self.0 {
            ClockSource::System(_) => {
                let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
                i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
            }
            ClockSource::Manual(manual) => {
                let elapsed = i64::try_from(self.elapsed().as_secs()).unwrap_or(i64::MAX);
                manual.start.saturating_add(elapsed)
            }
        }
    }

    /// Returns the Unix time in microseconds.
    #[must_use]
    pub fn unix_micros(&self) -> i64 {
        match &self.0 {
            ClockSource::System(_) => {
                let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
                i64::try_from(since.as_micros()).unwrap_or(i64::MAX)
            }
            ClockSource::Manual(manual) => {
                let elapsed = i64::try_from(self.elapsed_micros()).unwrap_or(i64::MAX);
                manual.start.saturating_mul(1_000_000).saturating_add(elapsed)
            }
        }
    }

    /// Returns the time since the clock was created. This time never decreases.
    #[inline]
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        match &self.0 {
            ClockSource::System(start) => start.elapsed(),
            ClockSource::Manual(manual) => Duration::from_micros(manual.elapsed_micros.load(Ordering::SeqCst)),
        }
    }

    /// Returns the microseconds since the clock was created, for lock-free counters.
    #[inline]
    #[must_use]
    pub fn elapsed_micros(&self) -> u64 {
        match &self.0 {
            ClockSource::System(start) => {
                let elapsed = start.elapsed();
                elapsed.as_secs().saturating_mul(1_000_000).saturating_add(u64::from(elapsed.subsec_micros()))
            }
            ClockSource::Manual(manual) => manual.elapsed_micros.load(Ordering::SeqCst),
        }
    }

    /// Waits until [`elapsed`](Self::elapsed) reaches this time. The system clock requires a tokio runtime.
    pub async fn sleep_until(&self, elapsed: Duration) {
        match &self.0 {
            ClockSource::System(start) => tokio::time::sleep(elapsed.saturating_sub(start.elapsed())).await,
            ClockSource::Manual(manual) => loop {
                // An `advance` after this line wakes the task.
                let moved = manual.moved.notified();
                if self.elapsed() >= elapsed {
                    return;
                }
                moved.await;
            },
        }
    }
}

impl Clock {
    /// Returns `true` if both clocks always return the same time.
    pub(crate) fn is_shared_with(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (ClockSource::System(_), ClockSource::System(_)) => true,
            (ClockSource::Manual(one), ClockSource::Manual(other)) => Arc::ptr_eq(one, other),
            _ => false,
        }
    }
}

impl Default for Clock {
    fn default() -> Self {
        Self::system()
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    use super::*;

    #[test]
    fn waiting_ends_when_the_clock_is_moved_far_enough() {
        let clock = Clock::manual(0);
        let second = Duration::from_secs(1);
        let (mut waiting, mut context) = (pin!(clock.sleep_until(2 * second)), Context::from_waker(Waker::noop()));
        for expected in [Poll::Pending, Poll::Pending, Poll::Ready(())] {
            assert_eq!(waiting.as_mut().poll(&mut context), expected, "{:?}", clock.elapsed());
            clock.clone().advance(second);
        }
    }

    #[test]
    fn a_manual_clock_never_goes_back() {
        let clock = Clock::manual(i64::MAX - 1);
        clock.advance(Duration::from_nanos(1_999));
        assert_eq!((clock.elapsed(), clock.elapsed_micros()), (Duration::from_micros(1), 1));
        clock.advance(Duration::MAX);
        assert_eq!((clock.elapsed(), clock.unix_seconds()), (Duration::from_micros(u64::MAX), i64::MAX));
        Clock::system().advance(Duration::MAX);
    }
}
