//! Responses in memory.

mod claim;
mod table;

use std::convert::Infallible;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use restwright_core::report::Report;
use restwright_core::{ApiState, BuildContext, BuildErrors, Clock, Component, ComponentClock, ComponentError};

use self::table::{Found, Gate, Limits, Table};
use super::{Begun, Fingerprint, IdempotencyKey, IdempotencyStore, KeptResponse};

pub use self::claim::MemoryClaim;

/// Keeps responses in the memory of one process, for 24 hours by the clock of the Api, bounded in number and bytes.
///
/// | bound | default | set with |
/// |---|---|---|
/// | keys of one caller | 1,000 | [`max_keys_per_caller`](Self::max_keys_per_caller) |
/// | bytes of one caller | 4 MiB | [`max_bytes_per_caller`](Self::max_bytes_per_caller) |
/// | keys in all | 100,000 | [`max_keys`](Self::max_keys) |
/// | bytes in all | 64 MiB | [`max_bytes`](Self::max_bytes) |
///
/// At a bound of a caller, the caller's oldest responses are forgotten, and nobody else's; at a bound of all, the oldest of all. A
/// request with a forgotten key is carried out again. A response counts with its body, its headers and 512 bytes for its place. One
/// that is larger than the bytes of a caller is not kept, which is logged. Requests that are being carried out are not counted,
/// since the limits on requests bound them.
///
/// Each operation takes logarithmic time. The keys are gone when the process ends: behind several processes, or where a restart must not
/// carry out a request again, keep them in a database, with `SqlIdempotency` of restwright-sql or a store of your own.
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
    /// Creates an empty store with the default bounds.
    #[must_use]
    pub fn new() -> Self {
        Self { table: Arc::default(), clock: ComponentClock::default(), kept_for: Duration::from_secs(24 * 3600) }
    }

    /// Sets how long responses are kept.
    #[must_use]
    pub fn keep_for(mut self, duration: Duration) -> Self {
        self.kept_for = duration;
        self
    }

    /// Sets the most keys of one caller.
    #[must_use]
    pub fn max_keys_per_caller(self, keys: usize) -> Self {
        self.limit(|limits| limits.caller_keys = keys)
    }

    /// Sets the most bytes of one caller.
    #[must_use]
    pub fn max_bytes_per_caller(self, bytes: usize) -> Self {
        self.limit(|limits| limits.caller_bytes = bytes)
    }

    /// Sets the most keys in all.
    #[must_use]
    pub fn max_keys(self, keys: usize) -> Self {
        self.limit(|limits| limits.keys = keys)
    }

    /// Sets the most bytes in all.
    #[must_use]
    pub fn max_bytes(self, bytes: usize) -> Self {
        self.limit(|limits| limits.bytes = bytes)
    }

    /// Uses this clock instead of that of the Api, or of the system clock without an Api.
    #[must_use]
    pub fn clock(mut self, clock: Clock) -> Self {
        self.clock = clock.into();
        self
    }

    /// Returns the current number of responses.
    #[must_use]
    pub fn keys(&self) -> usize {
        lock(&self.table).keys()
    }

    /// Returns the current number of bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        lock(&self.table).bytes()
    }

    fn limit(self, set: impl FnOnce(&mut Limits)) -> Self {
        set(lock(&self.table).limits_mut());
        self
    }

    /// Claims a key, or finds its response. While another request is carried out, this waits for its turn.
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
            // Those who wait for this turn wait for the other one too from now on.
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
            "Responses that were forgotten early, since a bound was reached.",
            table.evictions(),
        );
    }
}

impl IdempotencyStore for MemoryIdempotencyStore {
    type Claim = MemoryClaim;
    type Store = Infallible;

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
        Err(format!("a response of {bytes} bytes is larger than what is kept for one caller").into())
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

/// Locks the table, which is whole between two calls, even after a panic.
fn lock(table: &Mutex<Table>) -> MutexGuard<'_, Table> {
    table.lock().unwrap_or_else(PoisonError::into_inner)
}
