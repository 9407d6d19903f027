//! Defines [`MemoryIdempotencyStore`], which stores the responses to requests with idempotency keys in memory.

mod claim;
mod table;

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use restwright_core::report::Report;
use restwright_core::{ApiState, BuildContext, BuildErrors, Clock, Component, ComponentClock, ComponentError};

use self::table::{Found, Gate, Limits, Table};
use super::{Begun, Fingerprint, IdempotencyKey, IdempotencyStore, KeptResponse};

pub use self::claim::MemoryClaim;

/// Stores the responses to requests with idempotency keys in the memory of one process. Responses are kept for 24 hours by the clock of the
/// Api. The number and the total size of the responses are limited.
///
/// | bound | default | set with |
/// |---|---|---|
/// | keys of one caller | 1,000 | [`max_keys_per_caller`](Self::max_keys_per_caller) |
/// | bytes of one caller | 4 MiB | [`max_bytes_per_caller`](Self::max_bytes_per_caller) |
/// | keys in all | 100,000 | [`max_keys`](Self::max_keys) |
/// | bytes in all | 64 MiB | [`max_bytes`](Self::max_bytes) |
///
/// At a limit per caller, the oldest responses of this caller are removed. At a total limit, the oldest of all responses are removed. A request whose
/// key was removed is executed again. A response counts with its body, its headers and 512 bytes of overhead. A response larger than the bytes of one
/// caller is not stored, and the store logs this. Requests in progress are not counted, because the limits on requests apply to them.
///
/// Each operation takes logarithmic time. The keys are lost when the process ends. With several processes, or if a restart must not execute a request
/// twice, store the keys in a database, with `SqlIdempotency` of restwright-sql or a custom store.
///
/// ```
/// use restwright_resource::idempotency::{Idempotency, MemoryIdempotencyStore};
///
/// let idempotency = Idempotency::new(MemoryIdempotencyStore::new().max_keys_per_caller(100));
/// ```
pub struct MemoryIdempotencyStore {
    table: Arc<Mutex<Table>>,
    clock: ComponentClock,
    kept_for: Duration,
}

impl MemoryIdempotencyStore {
    /// Creates an empty store with the default limits.
    #[must_use]
    pub fn new() -> Self {
        Self { table: Arc::default(), clock: ComponentClock::default(), kept_for: Duration::from_secs(24 * 3600) }
    }

    /// Sets how long responses are stored. The default is 24 hours.
    #[must_use]
    pub fn keep_for(mut self, duration: Duration) -> Self {
        self.kept_for = duration;
        self
    }

    /// Sets the maximum number of keys per caller. The default is 1,000.
    #[must_use]
    pub fn max_keys_per_caller(self, keys: usize) -> Self {
        self.limit(|limits| limits.caller_keys = keys)
    }

    /// Sets the maximum total size of the stored responses per caller, in bytes.
    #[must_use]
    pub fn max_bytes_per_caller(self, bytes: usize) -> Self {
        self.limit(|limits| limits.caller_bytes = bytes)
    }

    /// Sets the maximum number of keys of all callers together. The default is 100,000.
    #[must_use]
    pub fn max_keys(self, keys: usize) -> Self {
        self.limit(|limits| limits.keys = keys)
    }

    /// Sets the maximum total size of all stored responses, in bytes.
    #[must_use]
    pub fn max_bytes(self, bytes: usize) -> Self {
        self.limit(|limits| limits.bytes = bytes)
    }

    /// Sets the clock that determines when stored responses expire. The default is the clock of the Api, or the system clock without an
    /// Api.
    #[must_use]
    pub fn clock(mut self, clock: Clock) -> Self {
        self.clock = clock.into();
        self
    }

    /// Returns the current number of stored responses.
    #[must_use]
    pub fn keys(&self) -> usize {
        lock(&self.table).keys()
    }

    /// Returns the current total size of the stored responses in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        lock(&self.table).bytes()
    }

    fn limit(self, set: impl FnOnce(&mut Limits)) -> Self {
        set(lock(&self.table).limits_mut());
        self
    }

    /// Locks an idempotency key, or returns its stored response. Waits while another request with the same key is in progress.
    async fn begin_in_turn(&self, key: &IdempotencyKey, fingerprint: &Fingerprint) -> Begun<MemoryClaim> {
        let mut turn = Gate::default().lock_owned().await;
        loop {
            let expired_before = self.clock.elapsed().checked_sub(self.kept_for);
            let found = lock(&self.table).begin(key, fingerprint, &turn, expired_before);
            let gate = match found {
                Found::Nothing => return Begun::Started(MemoryClaim::new(self.table.clone(), *key, turn)),
                Found::Kept(response) => return Begun::Kept(response),
                Found::OtherRequest => return Begun::OtherRequest,
                Found::InFlight(gate) => gate,
            };
            // Requests that wait for the released lock now also wait for the next lock.
            drop(turn);
            turn = gate.lock_owned().await;
        }
    }
}

impl Component for MemoryIdempotencyStore {
    fn name(&self) -> &str {
        "idempotency keys in memory"
    }

    fn report(&self, report: &mut Report) {
        let table = lock(&self.table);
        report.gauge("idempotency_keys", "Keys whose response is kept.", table.keys() as f64);
        report.gauge("idempotency_bytes", "Bytes of the responses that are kept.", table.bytes() as f64);
        report.counter(
            "idempotency_evictions",
            "Responses that were removed early, because a limit was reached.",
            table.evictions(),
        );
    }
}

impl IdempotencyStore for MemoryIdempotencyStore {
    type Claim = MemoryClaim;

    async fn begin(
        &self,
        key: &IdempotencyKey,
        fingerprint: &Fingerprint,
        patience: Duration,
    ) -> Result<Begun<MemoryClaim>, ComponentError> {
        let begun = tokio::time::timeout(patience, self.begin_in_turn(key, fingerprint)).await;
        Ok(begun.unwrap_or(Begun::InFlight))
    }

    async fn complete(&self, claim: MemoryClaim, response: KeptResponse) -> Result<(), ComponentError> {
        let bytes = response.bytes();
        if claim.complete(response, self.clock.elapsed()) {
            return Ok(());
        }
        Err(format!("a response of {bytes} bytes exceeds the maximum number of bytes per caller; raise it with `max_bytes_per_caller`").into())
    }

    fn kept_for(&self) -> Duration {
        self.kept_for
    }

    fn plan(&self, context: &mut BuildContext<'_, ApiState>) -> Result<(), BuildErrors> {
        self.clock.plan(context).map_err(|errors| errors.at(Component::name(self)))
    }
}

impl Default for MemoryIdempotencyStore {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for MemoryIdempotencyStore {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("MemoryIdempotencyStore")
            .field("keys", &self.keys())
            .field("bytes", &self.bytes())
            .finish_non_exhaustive()
    }
}

/// Locks the table of keys. The table is consistent between two calls, even after a panic.
fn lock(table: &Mutex<Table>) -> MutexGuard<'_, Table> {
    table.lock().unwrap_or_else(PoisonError::into_inner)
}
