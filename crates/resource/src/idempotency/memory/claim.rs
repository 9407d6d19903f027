//! Claims, which end when they are dropped.

use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::OwnedMutexGuard;

use super::lock;
use super::table::Table;
use crate::idempotency::{IdempotencyKey, KeptResponse};

/// The right to carry out the request of a key in a [`MemoryIdempotencyStore`](super::MemoryIdempotencyStore); dropping it gives it up.
pub struct MemoryClaim {
    table: Arc<Mutex<Table>>,
    /// `None` once the response is kept.
    key: Option<IdempotencyKey>,
    /// The turn of those who wait, which ends after the claim was taken out of the table.
    _turn: OwnedMutexGuard<()>,
}

impl MemoryClaim {
    pub(super) fn new(table: Arc<Mutex<Table>>, key: IdempotencyKey, turn: OwnedMutexGuard<()>) -> Self {
        Self { table, key: Some(key), _turn: turn }
    }

    /// Keeps the response; `false` if it is too large.
    pub(super) fn complete(mut self, response: KeptResponse, now: Duration) -> bool {
        let Some(key) = self.key.take() else { return false };
        lock(&self.table).complete(&key, response, now)
    }
}

impl Drop for MemoryClaim {
    fn drop(&mut self) {
        if let Some(key) = self.key.take() {
            lock(&self.table).release(&key);
        }
    }
}

impl fmt::Debug for MemoryClaim {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("MemoryClaim").field("key", &self.key).finish_non_exhaustive()
    }
}
