//! The time, as authenticators see it.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use tokio::sync::Notify;

/// The system's time, or one that a test moves.
///
/// ```
/// use std::time::Duration;
///
/// use restwright_auth::Clock;
///
/// let clock = Clock::manual(1_700_000_000);
/// clock.advance(Duration::from_secs(60));
/// assert_eq!(clock.unix_seconds(), 1_700_000_060);
/// ```
#[derive(Clone)]
pub struct Clock(Kind);

#[derive(Clone)]
enum Kind {
    System(Instant),
    Manual(Arc<Manual>),
}

struct Manual {
    start: i64,
    elapsed_millis: AtomicU64,
    pausing: Mutex<Vec<Weak<Notify>>>,
}

impl Clock {
    /// The system's time.
    #[must_use]
    pub fn system() -> Self {
        Self(Kind::System(Instant::now()))
    }

    /// A time that stands still between calls of [`advance`](Self::advance); clones share it.
    #[must_use]
    pub fn manual(unix_seconds: i64) -> Self {
        Self(Kind::Manual(Arc::new(Manual {
            start: unix_seconds,
            elapsed_millis: AtomicU64::new(0),
            pausing: Mutex::default(),
        })))
    }

    /// Moves a manual clock and wakes whoever waits for it; the system's time takes no notice.
    pub fn advance(&self, by: Duration) {
        let Kind::Manual(manual) = &self.0 else { return };
        manual.elapsed_millis.fetch_add(u64::try_from(by.as_millis()).unwrap_or(u64::MAX), Ordering::SeqCst);
        let mut pausing = manual.pausing.lock().unwrap_or_else(PoisonError::into_inner);
        pausing.retain(|one| one.upgrade().inspect(|one| one.notify_one()).is_some());
    }

    /// Seconds since 1970 (RFC 7519, section 2, `NumericDate`).
    #[must_use]
    pub fn unix_seconds(&self) -> i64 {
        match &self.0 {
            Kind::System(_) => {
                let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
                i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
            }
            Kind::Manual(manual) => {
                let elapsed = i64::try_from(self.elapsed().as_secs()).unwrap_or(i64::MAX);
                manual.start.saturating_add(elapsed)
            }
        }
    }

    /// The time since the clock was made; never goes back.
    pub(crate) fn elapsed(&self) -> Duration {
        match &self.0 {
            Kind::System(start) => start.elapsed(),
            Kind::Manual(manual) => Duration::from_millis(manual.elapsed_millis.load(Ordering::SeqCst)),
        }
    }

    /// Waits until a time since the clock was made, or until `woken`; may return too early.
    #[cfg_attr(not(feature = "jwt"), expect(dead_code, reason = "only key providers wait"))]
    pub(crate) async fn pause(&self, until: Duration, woken: &Arc<Notify>) {
        match &self.0 {
            Kind::System(_) => {
                drop(tokio::time::timeout(until.saturating_sub(self.elapsed()), woken.notified()).await);
            }
            Kind::Manual(manual) => {
                {
                    let mut pausing = manual.pausing.lock().unwrap_or_else(PoisonError::into_inner);
                    if !pausing.iter().any(|known| known.as_ptr() == Arc::as_ptr(woken)) {
                        pausing.push(Arc::downgrade(woken));
                    }
                }
                // Whoever moves the clock from here on wakes this.
                if self.elapsed() < until {
                    woken.notified().await;
                }
            }
        }
    }
}

impl Default for Clock {
    fn default() -> Self {
        Self::system()
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match &self.0 {
            Kind::System(_) => "System",
            Kind::Manual(_) => "Manual",
        };
        formatter.debug_tuple("Clock").field(&name).finish()
    }
}
