//! Defines [`Patience`], the wait of a start for other sessions of the database.

use std::hash::{BuildHasher, RandomState};
use std::time::{Duration, Instant};

use tokio::time::sleep;

/// The first pause between two attempts. Each further pause is twice as long.
const FIRST: Duration = Duration::from_secs(1);

/// The longest pause between two attempts.
const LONGEST: Duration = Duration::from_secs(10);

/// The pauses between the attempts of a start, until its limit is over.
#[derive(Debug)]
pub(crate) struct Patience {
    began: Instant,
    limit: Duration,
    pause: Duration,
}

impl Patience {
    pub(crate) fn new(limit: Duration) -> Self {
        Self { began: Instant::now(), limit, pause: FIRST }
    }

    pub(crate) fn limit(&self) -> Duration {
        self.limit
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    /// Waits before the next attempt. Returns `false` without a wait if the limit is over.
    pub(crate) async fn pause(&mut self) -> bool {
        let Some(rest) = self.limit.checked_sub(self.elapsed()) else { return false };
        // Processes that started together must not try again together, so a pause lasts 50 to 100 % of its time.
        let percent = u32::try_from(RandomState::new().hash_one(()) % 51).unwrap_or_default() + 50;
        sleep((self.pause * percent / 100).min(rest)).await;
        self.pause = (self.pause * 2).min(LONGEST);
        true
    }
}
