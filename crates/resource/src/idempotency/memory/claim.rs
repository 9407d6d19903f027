//! Defines [`MemoryClaim`], which locks an idempotency key until the claim is dropped.

use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::OwnedMutexGuard;

use super::lock;
use super::table::Table;
use crate::idempotency::{IdempotencyKey, KeptResponse};

/// An exclusive lock on an idempotency key in a [`MemoryIdempotencyStore`](super::MemoryIdempotencyStore). The request that holds the lock
/// is executed. Dropping the lock releases the key.
pub struct MemoryClaim {
    table: Arc<Mutex<Table>>,
    /// The locked key, or `None` after the response was stored.
    key: Option<IdempotencyKey>,
    /// The lock that makes other requests with the same key wait. It is released after the key was removed from the table.
    _turn: OwnedMutexGuard<()>,
}

impl MemoryClaim {
    pub(super) fn new(table: Arc<Mutex<Table>>, key: IdempotencyKey, turn: OwnedMutexGuard<()>) -> Self {
        Self { table, key: Some(key), _turn: turn }
    }

    /// Stores the response under the key. Returns `false` if the response is too large.
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
