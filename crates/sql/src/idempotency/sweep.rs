//! [`Sweeper`]: deletes responses whose time has passed.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use jiff::Timestamp;
use restwright_core::ComponentClock;
use restwright_core::runtime::log;
use restwright_resource::StoreError;
use uuid::Uuid;

use super::database::KeyDatabase;
use super::rows::sweep;

/// The number of rows that one statement deletes, so that none takes long.
const BATCH: u64 = 500;

/// The time between two sweeps, at least and at most.
const INTERVAL: (Duration, Duration) = (Duration::from_secs(1), Duration::from_mins(10));

/// Deletes responses whose time has passed.
#[derive(Clone)]
pub(super) struct Sweeper<S> {
    pub(super) database: S,
    pub(super) clock: ComponentClock,
    pub(super) deleted: Arc<AtomicU64>,
}

impl<S: KeyDatabase> Sweeper<S> {
    /// Sweeps for ever, about a hundred times in the time for which responses are kept.
    pub(super) async fn run(self, kept_for: Duration) {
        let interval = (kept_for / 100).clamp(INTERVAL.0, INTERVAL.1);
        loop {
            tokio::time::sleep(random(interval)).await;
            if let Err(error) = self.sweep().await {
                log(|| tracing::warn!(%error, "idempotency keys whose time has passed were not deleted"));
            }
        }
    }

    pub(super) async fn sweep(&self) -> Result<u64, StoreError> {
        let now = time(&self.clock);
        let mut all = 0;
        loop {
            let deleted = self.database.run(sweep(now, BATCH, self.database.locks_rows())).await?;
            self.deleted.fetch_add(deleted, Ordering::Relaxed);
            all += deleted;
            if deleted < BATCH {
                return Ok(all);
            }
        }
    }
}

/// Returns the time in whole microseconds, which both databases keep.
pub(super) fn time(clock: &ComponentClock) -> Timestamp {
    Timestamp::from_microsecond(clock.unix_micros()).unwrap_or_default()
}

/// Returns a time from half to one and a half times this one, so that several processes do not sweep at once.
fn random(interval: Duration) -> Duration {
    let (_, random) = Uuid::new_v4().as_u64_pair();
    // The upper bits are those of the variant.
    let thousandths = u32::try_from(random % 1000).unwrap_or_default();
    interval / 2 + interval * thousandths / 1000
}
