//! Defines [`Sweeper`], which deletes expired responses.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use jiff::Timestamp;
use restwright_core::ComponentClock;
use restwright_core::runtime::log;
use restwright_resource::StoreError;
use uuid::Uuid;

use super::rows::sweep;
use crate::store::SqlStore;

/// The maximum number of rows that one statement deletes. This limit keeps each statement short.
const BATCH: u64 = 500;

/// The minimum and maximum interval between two sweeps, before random variation.
const INTERVAL: (Duration, Duration) = (Duration::from_secs(1), Duration::from_mins(10));

/// Deletes expired responses.
#[derive(Clone)]
pub(super) struct Sweeper {
    pub(super) database: SqlStore,
    pub(super) clock: ComponentClock,
    pub(super) deleted: Arc<AtomicU64>,
}

impl Sweeper {
    /// Deletes expired responses in an endless loop, about a hundred times per storage period.
    pub(super) async fn run(self, kept_for: Duration) {
        let interval = (kept_for / 100).clamp(INTERVAL.0, INTERVAL.1);
        loop {
            tokio::time::sleep(random(interval)).await;
            if let Err(error) = self.sweep().await {
                log(|| tracing::warn!(%error, "expired idempotency keys were not deleted"));
            }
        }
    }

    pub(super) async fn sweep(&self) -> Result<u64, StoreError> {
        let now = time(&self.clock);
        let mut all = 0;
        loop {
            let deleted = self.database.delete_keys(sweep(now, BATCH, self.database.dialect().locks_rows)).await?;
            self.deleted.fetch_add(deleted, Ordering::Relaxed);
            all += deleted;
            if deleted < BATCH {
                return Ok(all);
            }
        }
    }
}

/// Returns the current time in whole microseconds, the precision of both databases.
pub(super) fn time(clock: &ComponentClock) -> Timestamp {
    Timestamp::from_microsecond(clock.unix_micros()).unwrap_or_default()
}

/// Varies an interval at random by up to 50 %, so several processes do not sweep at the same time.
fn random(interval: Duration) -> Duration {
    let (_, random) = Uuid::new_v4().as_u64_pair();
    // The lower half contains random bits below the two bits of the UUID's variant.
    let thousandths = u32::try_from(random % 1000).unwrap_or_default();
    interval / 2 + interval * thousandths / 1000
}
