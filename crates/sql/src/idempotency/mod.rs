//! Defines [`SqlIdempotency`], which stores idempotency keys and the responses to their requests in a database.

mod claim;
mod database;
mod postponed;
mod rows;
mod sweep;

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use jiff::SignedDuration;
use restwright_core::report::Report;
use restwright_core::runtime::log;
use restwright_core::{
    ApiState, BuildContext, BuildErrors, Clock, Component, ComponentClock, ComponentError, OutageLog, OutageSummary,
};
use restwright_resource::idempotency::{
    Begun, Fingerprint, IdempotencyKey, IdempotencyStore, KeptResponse, MemoryIdempotencyStore,
};
use restwright_resource::{Store, StoreError, Transaction};
use tokio::task::JoinHandle;

use self::claim::SqlClaim;
use self::rows::KeyRow;
use self::sweep::{Sweeper, time};
use crate::store::SqlStore;

/// Stores idempotency keys and the responses to their requests in the database of a store, for 24 hours by default.
///
/// Pass the store of the resource. The key and the changes of a request are then in one transaction. After a crash or a lost connection, a repeated
/// request gets the first response, or is executed exactly once. With another store or a custom controller, the key is written in a separate
/// transaction after the response exists. After a crash before this transaction, a repeated request is executed again.
///
/// A create or update of one entity without hooks is written at the end of the request, in one statement with its key and response, or on SQLite in a
/// transaction with other changes. If it fails, the request is executed a second time, in a transaction that locks the key first.
///
/// All processes on the database share the keys. Another request with a key waits for the first one, as the middleware specifies. On PostgreSQL it
/// waits for the row of the key, and each request holds a connection while it is executed. These are as many additional connections as
/// [`connections`](crate::SqlStore::connections), or come from the application's pool. On SQLite, which has one writer, a request holds nothing
/// before its resource writes. Several processes on one file may execute a request to a custom controller at the same time.
///
/// The table is `idempotency_keys`. [`migrate`](crate::SqlStore::migrate) creates it like the tables of entities. Expired responses are deleted
/// while the Api runs, 500 per statement. A response with more than 1 MiB of headers and body is not stored, and this is logged. Building an Api that
/// uses it also registers the store.
///
/// ```
/// # #[cfg(feature = "sqlite")] {
/// use restwright_resource::idempotency::Idempotency;
/// use restwright_sql::{SqlIdempotency, SqlStore};
///
/// let store = SqlStore::new("sqlite://shop.db").migrate();
/// let idempotency = Idempotency::new(SqlIdempotency::new(&store));
/// # }
/// ```
pub struct SqlIdempotency {
    name: String,
    store: SqlStore,
    /// A copy of the store, with separate connections for idempotency keys where necessary.
    database: SqlStore,
    clock: ComponentClock,
    kept_for: Duration,
    max_response_bytes: usize,
    /// The in-memory locks on keys, for requests of the same process. Only one request with the same key waits in the database. This store
    /// contains no responses.
    turns: MemoryIdempotencyStore,
    deleted: Arc<AtomicU64>,
    sweeping: Mutex<Option<JoinHandle<()>>>,
    too_large: Mutex<OutageLog>,
}

impl SqlIdempotency {
    /// Creates a store of idempotency keys in the database of `store`. Configure `store` first, because later settings do not apply.
    #[must_use]
    pub fn new(store: &SqlStore) -> Self {
        Self {
            name: format!("idempotency keys in {}", store.dialect().name()),
            database: store.for_claims(),
            store: store.clone(),
            clock: ComponentClock::default(),
            kept_for: Duration::from_hours(24),
            max_response_bytes: 1 << 20,
            turns: MemoryIdempotencyStore::new(),
            deleted: Arc::default(),
            sweeping: Mutex::default(),
            too_large: Mutex::default(),
        }
    }

    /// Sets how long responses are stored, 24 hours by default.
    #[must_use]
    pub fn keep_for(mut self, duration: Duration) -> Self {
        self.kept_for = duration;
        self
    }

    /// Sets the maximum size of a stored response in bytes, 1 MiB by default. The size includes headers and body.
    #[must_use]
    pub fn max_response_bytes(mut self, bytes: usize) -> Self {
        self.max_response_bytes = bytes;
        self
    }

    /// Sets the clock that determines when responses expire. The default is the clock of the Api, or the system clock without an Api.
    #[must_use]
    pub fn clock(mut self, clock: Clock) -> Self {
        self.clock = clock.into();
        self
    }

    /// Deletes expired responses and returns their number. A started Api calls it about a hundred times per [storage
    /// period](Self::keep_for), and at least every 15 minutes.
    ///
    /// # Errors
    /// The store is unavailable.
    pub async fn sweep(&self) -> Result<u64, StoreError> {
        self.sweeper().sweep().await
    }

    fn sweeper(&self) -> Sweeper {
        // The Api has set its clock by the time of the start.
        let clock = Clock::clone(&self.clock).into();
        Sweeper { database: self.store.clone(), clock, deleted: Arc::clone(&self.deleted) }
    }

    /// Returns the response if it is small enough to store. Otherwise returns `None` and logs a warning, at most once a minute.
    fn kept<'r>(&self, response: &'r KeptResponse) -> Option<&'r KeptResponse> {
        let bytes = response.bytes();
        if bytes <= self.max_response_bytes {
            return Some(response);
        }
        let (now, max_bytes) = (self.clock.elapsed(), self.max_response_bytes);
        let mut outage = self.too_large.lock().unwrap_or_else(PoisonError::into_inner);
        outage.ended_by_itself(now);
        if let Some(OutageSummary { failures, seconds }) = outage.failed(now) {
            log(|| {
                tracing::warn!(
                    bytes,
                    max_bytes,
                    failures,
                    seconds,
                    "a response is too large to be stored for its idempotency key; a repeated request will be executed again"
                )
            });
        }
        None
    }

    /// Locks a key in this process. On PostgreSQL it then locks the key in the database, unless the row is written at the end.
    async fn begin_by(
        &self,
        key: &IdempotencyKey,
        fingerprint: &Fingerprint,
        patience: Duration,
        is_postponed: bool,
    ) -> Result<Begun<SqlClaim>, ComponentError> {
        let began = Instant::now();
        let turn = match self.turns.begin(key, fingerprint, patience).await? {
            Begun::Started(turn) => turn,
            Begun::Kept(response) => return Ok(Begun::Kept(response)),
            Begun::OtherRequest => return Ok(Begun::OtherRequest),
            Begun::InFlight => return Ok(Begun::InFlight),
        };
        let now = time(&self.clock);
        let kept_for = SignedDuration::try_from(self.kept_for).unwrap_or(SignedDuration::MAX);
        let kept_until = now.saturating_add(kept_for)?;
        let row = KeyRow { key: *key, fingerprint: *fingerprint, now, kept_until };
        let begun = match self.store.dialect().locks_rows && !is_postponed {
            true => {
                let left = patience.saturating_sub(began.elapsed());
                row.claim(&self.database, left).await?.map(Some)
            }
            false => match self.store.read_key(row.select()).await? {
                Some(kept) => kept.begun(fingerprint),
                None => Begun::Started(None),
            },
        };
        Ok(begun.map(|transaction| SqlClaim { row, patience, transaction, is_postponed, _turn: turn }))
    }

    fn sweep_with(&self, sweeping: Option<JoinHandle<()>>) {
        let mut current = self.sweeping.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(previous) = std::mem::replace(&mut *current, sweeping) {
            previous.abort();
        }
    }
}

impl Component for SqlIdempotency {
    fn name(&self) -> &str {
        &self.name
    }

    async fn start(&self) -> Result<(), ComponentError> {
        self.sweep_with(Some(tokio::spawn(self.sweeper().run(self.kept_for))));
        Ok(())
    }

    async fn stop(&self) {
        self.sweep_with(None);
        self.database.close_claims().await;
    }

    fn report(&self, report: &mut Report) {
        let deleted = self.deleted.load(Ordering::Relaxed);
        report.counter("idempotency_deleted", "Expired responses that were deleted.", deleted);
    }
}

impl IdempotencyStore for SqlIdempotency {
    type Claim = SqlClaim;

    async fn begin(
        &self,
        key: &IdempotencyKey,
        fingerprint: &Fingerprint,
        patience: Duration,
    ) -> Result<Begun<SqlClaim>, ComponentError> {
        self.begin_by(key, fingerprint, patience, false).await
    }

    async fn begin_for_change(
        &self,
        key: &IdempotencyKey,
        fingerprint: &Fingerprint,
        patience: Duration,
    ) -> Result<Begun<SqlClaim>, ComponentError> {
        self.begin_by(key, fingerprint, patience, self.store.postpones()).await
    }

    async fn complete(&self, claim: SqlClaim, response: KeptResponse) -> Result<(), ComponentError> {
        let Some(response) = self.kept(&response) else { return Ok(()) };
        let SqlClaim { row, patience, transaction, is_postponed: _, _turn } = claim;
        let transaction = match transaction {
            Some(transaction) => transaction,
            // No endpoint has made changes in a transaction of the key.
            None => match row.claim(&self.database, patience).await? {
                Begun::Started(transaction) => transaction,
                Begun::Kept(_) | Begun::InFlight | Begun::OtherRequest => return Ok(()),
            },
        };
        Ok(row.commit(&self.database, transaction, Some(response)).await?)
    }

    async fn begin_transaction(
        &self,
        claim: &mut SqlClaim,
        store: &dyn Store,
    ) -> Result<Option<Begun<Transaction>>, StoreError> {
        if !self.store.is_same(store) {
            // The endpoint changes another database, so the key is locked before.
            return if claim.is_postponed { claim.lock(&self.database).await } else { Ok(None) };
        }
        if claim.is_postponed
            && let Some(store) = SqlStore::of(store).filter(|store| store.postpones())
        {
            // After a conflict, the next attempt of the endpoint locks the key first.
            claim.is_postponed = false;
            return Ok(Some(Begun::Started(claim.postponed(&self.database, store))));
        }
        let mut begun = match claim.transaction.take() {
            Some(transaction) => Begun::Started(transaction),
            None => claim.row.claim(&self.database, claim.patience).await?,
        };
        if let Begun::Started(transaction) = &mut begun {
            self.store.enter(store, transaction).await?;
        }
        Ok(Some(begun))
    }

    async fn commit(
        &self,
        claim: SqlClaim,
        transaction: Transaction,
        response: KeptResponse,
    ) -> Result<(), StoreError> {
        claim.commit((&self.database, &self.store), transaction, self.kept(&response)).await
    }

    fn kept_for(&self) -> Duration {
        self.kept_for
    }

    fn plan(&self, context: &mut BuildContext<'_, ApiState>) -> Result<(), BuildErrors> {
        self.clock.plan(context).map_err(|errors| errors.at(Component::name(self)))?;
        self.store.plan_keys(context)
    }
}

impl fmt::Debug for SqlIdempotency {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("SqlIdempotency").field("name", &self.name).finish_non_exhaustive()
    }
}
