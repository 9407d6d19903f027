//! The time by which buckets refill.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The time by which buckets in memory refill: the system's, or one that a test moves.
///
/// ```
/// use std::time::Duration;
///
/// use restwright_list::rate_limit::Clock;
///
/// let clock = Clock::manual();
/// clock.advance(Duration::from_secs(60));
/// ```
#[derive(Debug, Clone)]
pub struct Clock(Source);

#[derive(Debug, Clone)]
enum Source {
    System(Instant),
    Manual(Arc<AtomicU64>),
}

impl Clock {
    /// The system's monotonic clock.
    #[must_use]
    pub fn system() -> Self {
        Self(Source::System(Instant::now()))
    }

    /// A clock that stands still until it is moved; its clones move with it.
    #[must_use]
    pub fn manual() -> Self {
        Self(Source::Manual(Arc::default()))
    }

    /// Moves a manual clock on; the system's goes by itself.
    pub fn advance(&self, by: Duration) {
        if let Source::Manual(now) = &self.0 {
            now.fetch_add(micros(by), Ordering::Relaxed);
        }
    }

    /// Microseconds since the clock was made.
    pub(crate) fn now(&self) -> u64 {
        match &self.0 {
            Source::System(start) => micros(start.elapsed()),
            Source::Manual(now) => now.load(Ordering::Relaxed),
        }
    }
}

fn micros(duration: Duration) -> u64 {
    duration.as_secs().saturating_mul(1_000_000).saturating_add(u64::from(duration.subsec_micros()))
}
