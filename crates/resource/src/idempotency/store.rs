//! Defines [`IdempotencyStore`], the trait for stores of responses, and its object-safe counterpart [`ErasedStore`].

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use restwright_core::runtime::BoxFuture;
use restwright_core::{ApiState, BuildContext, BuildErrors, Component, ComponentError};

use super::{Fingerprint, IdempotencyKey, KeptResponse};
use crate::store::{Store, StoreError, StoreFuture, Transaction};

/// The default time for which responses are stored.
const KEPT_FOR: Duration = Duration::from_secs(24 * 3600);

/// Stores the responses to requests with idempotency keys.
///
/// A request [begins](Self::begin) with its key. If the store has nothing for the key, it returns a [claim](Self::Claim), and the request is
/// executed. A key has at most one claim at a time. The claim ends when the response is [stored](Self::complete), when the claim is
/// [abandoned](Self::abandon), or when it is dropped because the client disconnected or the server stops.
///
/// A process may end without dropping its claims. A store outside the process must therefore limit the time of a claim, to more than the deadline of
/// any route. Alternatively, a claim can hold a transaction, which ends with the process.
///
/// If the keys are in the database of a [`Store`], a request and its key share one transaction. The endpoint
/// [begins](Self::begin_transaction) the transaction, which contains the row of the key, and makes its changes in it. The middleware
/// [commits](Self::commit) the transaction with the response.
///
/// A store is a [`Component`]. An Api starts, stops and checks it together with its other components, so do not register it again.
///
/// ```
/// use std::collections::HashMap;
/// use std::sync::{Arc, Mutex};
/// use std::time::{Duration, Instant};
///
/// use restwright_core::{Component, ComponentError};
/// use restwright_resource::idempotency::{Begun, Fingerprint, IdempotencyKey, IdempotencyStore, KeptResponse};
///
/// /// The keys with their fingerprints; `None` is a request in progress.
/// type Keys = Arc<Mutex<HashMap<IdempotencyKey, (Fingerprint, Option<KeptResponse>)>>>;
///
/// /// Stores everything forever, so it is an example only.
/// #[derive(Default)]
/// struct Simple(Keys);
///
/// struct SimpleClaim {
///     keys: Keys,
///     key: IdempotencyKey,
/// }
///
/// impl Drop for SimpleClaim {
///     fn drop(&mut self) {
///         let mut keys = self.keys.lock().unwrap();
///         if let Some((_, None)) = keys.get(&self.key) {
///             keys.remove(&self.key);
///         }
///     }
/// }
///
/// impl Simple {
///     /// Finds a key or claims it, in one step.
///     fn find(&self, key: &IdempotencyKey, fingerprint: &Fingerprint) -> Begun<SimpleClaim> {
///         let mut keys = self.0.lock().unwrap();
///         match keys.get(key) {
///             Some((other, _)) if other != fingerprint => Begun::OtherRequest,
///             Some((_, Some(response))) => Begun::Kept(response.clone()),
///             Some((_, None)) => Begun::InFlight,
///             None => {
///                 keys.insert(*key, (*fingerprint, None));
///                 Begun::Started(SimpleClaim { keys: self.0.clone(), key: *key })
///             }
///         }
///     }
/// }
///
/// impl Component for Simple {
///     fn name(&self) -> &str {
///         "simple idempotency keys"
///     }
/// }
///
/// impl IdempotencyStore for Simple {
///     type Claim = SimpleClaim;
///
///     async fn begin(
///         &self,
///         key: &IdempotencyKey,
///         fingerprint: &Fingerprint,
///         patience: Duration,
///     ) -> Result<Begun<SimpleClaim>, ComponentError> {
///         let started = Instant::now();
///         loop {
///             match self.find(key, fingerprint) {
///                 Begun::InFlight if started.elapsed() < patience => tokio::time::sleep(Duration::from_millis(50)).await,
///                 begun => return Ok(begun),
///             }
///         }
///     }
///
///     async fn complete(&self, claim: SimpleClaim, response: KeptResponse) -> Result<(), ComponentError> {
///         if let Some((_, kept)) = self.0.lock().unwrap().get_mut(&claim.key) {
///             *kept = Some(response);
///         }
///         Ok(())
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not keep responses for idempotency keys",
    note = "implement `Component` and `IdempotencyStore` for it, or use `MemoryIdempotencyStore`"
)]
pub trait IdempotencyStore: Component {
    /// The exclusive right to execute the request with an idempotency key. Dropping the claim releases the key.
    type Claim: Send + 'static;

    /// Locks an idempotency key for this request, or returns the stored response of an earlier request. This is one atomic step: of several
    /// concurrent requests, only one is [started](Begun::Started).
    ///
    /// While another request with the key is in progress, this method waits for its end, at most for `patience`. The Api sets no other time
    /// limit here. A store that calls a server sets its own timeout.
    ///
    /// # Errors
    /// The store is not usable. The response is a 503, and the request is not executed.
    fn begin(
        &self,
        key: &IdempotencyKey,
        fingerprint: &Fingerprint,
        patience: Duration,
    ) -> impl Future<Output = Result<Begun<Self::Claim>, ComponentError>> + Send;

    /// Locks an idempotency key like [`begin`](Self::begin), for a request that changes one entity of a resource without hooks. A store in the
    /// database of the resource can write the key at the end, together with the change and the response. By default, it calls `begin`.
    ///
    /// # Errors
    /// The same as in `begin`.
    fn begin_for_change(
        &self,
        key: &IdempotencyKey,
        fingerprint: &Fingerprint,
        patience: Duration,
    ) -> impl Future<Output = Result<Begun<Self::Claim>, ComponentError>> + Send {
        self.begin(key, fingerprint, patience)
    }

    /// Stores the response and releases the lock on the key. The call finishes even if the client disconnects.
    ///
    /// # Errors
    /// The response was not stored. The error is logged, and the response is sent nevertheless.
    fn complete(
        &self,
        claim: Self::Claim,
        response: KeptResponse,
    ) -> impl Future<Output = Result<(), ComponentError>> + Send;

    /// Releases the lock on a key without storing a response. The next request with the key is then executed. By default, it drops the
    /// claim.
    fn abandon(&self, claim: Self::Claim) -> impl Future<Output = ()> + Send {
        async move { drop(claim) }
    }

    /// Begins a transaction of the entity store `store`, for the changes that an endpoint makes. The same transaction stores the key.
    ///
    /// It is called with the store of each resource, so an implementation returns `None` unless `store` is on the database of the keys. Check the
    /// type of the store, or its database. By default it returns `None`. The endpoint then begins its own transaction. An endpoint may
    /// drop the transaction and begin another one. If another request has claimed the key, the result is not [`Started`](Begun::Started). The
    /// response is then a 409, which is not stored. After [`begin_for_change`](Self::begin_for_change), the request is executed again instead, and
    /// begins with [`begin`](Self::begin).
    ///
    /// # Errors
    /// The database is not usable, or another transaction conflicts with this one.
    fn begin_transaction(
        &self,
        claim: &mut Self::Claim,
        store: &dyn Store,
    ) -> impl Future<Output = Result<Option<Begun<Transaction>>, StoreError>> + Send {
        let _ = (claim, store);
        async { Ok(None) }
    }

    /// Stores the response in the transaction that [`begin_transaction`](Self::begin_transaction) returned, and commits the transaction. The call
    /// finishes even if the client disconnects.
    ///
    /// # Errors
    /// Nothing was committed. After a [conflict](StoreError::TransactionConflict), the request is executed again. After any other error, the response
    /// is the error.
    fn commit(
        &self,
        claim: Self::Claim,
        transaction: Transaction,
        response: KeptResponse,
    ) -> impl Future<Output = Result<(), StoreError>> + Send {
        drop((claim, transaction, response));
        async {
            Err(StoreError::failed(
                "the store of idempotency keys begins transactions but does not commit them; implement `IdempotencyStore::commit`",
            ))
        }
    }

    /// Returns how long responses are stored. The default is 24 hours. The OpenAPI document contains this time.
    fn kept_for(&self) -> Duration {
        KEPT_FOR
    }

    /// Prepares the store while an Api is built. An implementation checks its settings, and reads the clock of the Api from `context`. This
    /// is called once per Api that uses the store.
    ///
    /// # Errors
    /// The store is not usable. Building the Api then fails.
    fn plan(&self, context: &mut BuildContext<'_, ApiState>) -> Result<(), BuildErrors> {
        let _ = context;
        Ok(())
    }
}

/// The result of locking an idempotency key. It is the claim, or the reason why the request is not executed.
#[derive(Debug)]
pub enum Begun<C> {
    /// The key was new, so this request is executed.
    Started(C),
    /// The response to an earlier request with the same fingerprint was stored.
    Kept(KeptResponse),
    /// Another request with the same fingerprint did not finish within the duration `patience`.
    InFlight,
    /// A request with a different fingerprint already uses the key. That request is in progress, or its response is stored.
    OtherRequest,
}

impl<C> Begun<C> {
    /// Applies a function to the claim in [`Started`](Self::Started). Other variants stay the same.
    pub fn map<T>(self, change: impl FnOnce(C) -> T) -> Begun<T> {
        match self {
            Self::Started(claim) => Begun::Started(change(claim)),
            Self::Kept(response) => Begun::Kept(response),
            Self::InFlight => Begun::InFlight,
            Self::OtherRequest => Begun::OtherRequest,
        }
    }
}

impl<S: IdempotencyStore> IdempotencyStore for Arc<S> {
    type Claim = S::Claim;

    async fn begin(
        &self,
        key: &IdempotencyKey,
        fingerprint: &Fingerprint,
        patience: Duration,
    ) -> Result<Begun<S::Claim>, ComponentError> {
        (**self).begin(key, fingerprint, patience).await
    }

    async fn begin_for_change(
        &self,
        key: &IdempotencyKey,
        fingerprint: &Fingerprint,
        patience: Duration,
    ) -> Result<Begun<S::Claim>, ComponentError> {
        (**self).begin_for_change(key, fingerprint, patience).await
    }

    async fn complete(&self, claim: S::Claim, response: KeptResponse) -> Result<(), ComponentError> {
        (**self).complete(claim, response).await
    }

    async fn abandon(&self, claim: S::Claim) {
        (**self).abandon(claim).await;
    }

    async fn begin_transaction(
        &self,
        claim: &mut S::Claim,
        store: &dyn Store,
    ) -> Result<Option<Begun<Transaction>>, StoreError> {
        (**self).begin_transaction(claim, store).await
    }

    async fn commit(
        &self,
        claim: S::Claim,
        transaction: Transaction,
        response: KeptResponse,
    ) -> Result<(), StoreError> {
        (**self).commit(claim, transaction, response).await
    }

    fn kept_for(&self) -> Duration {
        (**self).kept_for()
    }

    fn plan(&self, context: &mut BuildContext<'_, ApiState>) -> Result<(), BuildErrors> {
        (**self).plan(context)
    }
}

/// An [`IdempotencyStore`] of any type, as a trait object.
pub(super) trait ErasedStore: Send + Sync {
    /// Calls [`IdempotencyStore::begin_for_change`] if `is_for_change` is `true`, and otherwise [`IdempotencyStore::begin`].
    fn begin<'a>(
        self: Arc<Self>,
        key: &'a IdempotencyKey,
        fingerprint: &'a Fingerprint,
        patience: Duration,
        is_for_change: bool,
    ) -> BoxFuture<'a, Result<Begun<Box<dyn ErasedClaim>>, ComponentError>>;
    fn kept_for(&self) -> Duration;
    /// Calls [`IdempotencyStore::plan`] and registers the store as a component of the Api.
    fn register(self: Arc<Self>, context: &mut BuildContext<'_>) -> Result<(), BuildErrors>;
}

/// The claim of any [`IdempotencyStore`], as a trait object that includes the store.
pub(super) trait ErasedClaim: Send {
    fn begin_transaction<'a>(&'a mut self, store: &'a dyn Store) -> StoreFuture<'a, Option<Begun<Transaction>>>;
    fn commit(self: Box<Self>, transaction: Transaction, response: KeptResponse) -> StoreFuture<'static, ()>;
    fn complete(self: Box<Self>, response: KeptResponse) -> BoxFuture<'static, Result<(), ComponentError>>;
    fn abandon(self: Box<Self>) -> BoxFuture<'static, ()>;
}

struct StoreClaim<S: IdempotencyStore> {
    store: Arc<S>,
    claim: S::Claim,
}

impl<S: IdempotencyStore> ErasedStore for S {
    fn begin<'a>(
        self: Arc<Self>,
        key: &'a IdempotencyKey,
        fingerprint: &'a Fingerprint,
        patience: Duration,
        is_for_change: bool,
    ) -> BoxFuture<'a, Result<Begun<Box<dyn ErasedClaim>>, ComponentError>> {
        Box::pin(async move {
            let begun = match is_for_change {
                true => self.begin_for_change(key, fingerprint, patience).await?,
                false => IdempotencyStore::begin(&*self, key, fingerprint, patience).await?,
            };
            Ok(begun.map(|claim| Box::new(StoreClaim { store: self, claim }) as Box<dyn ErasedClaim>))
        })
    }

    fn kept_for(&self) -> Duration {
        IdempotencyStore::kept_for(self)
    }

    fn register(self: Arc<Self>, context: &mut BuildContext<'_>) -> Result<(), BuildErrors> {
        let planned = self.plan(&mut context.api());
        context.component(self);
        planned
    }
}

impl<S: IdempotencyStore> ErasedClaim for StoreClaim<S> {
    fn begin_transaction<'a>(&'a mut self, store: &'a dyn Store) -> StoreFuture<'a, Option<Begun<Transaction>>> {
        Box::pin(async move { self.store.begin_transaction(&mut self.claim, store).await })
    }

    fn commit(self: Box<Self>, transaction: Transaction, response: KeptResponse) -> StoreFuture<'static, ()> {
        let Self { store, claim } = *self;
        Box::pin(async move { store.commit(claim, transaction, response).await })
    }

    fn complete(self: Box<Self>, response: KeptResponse) -> BoxFuture<'static, Result<(), ComponentError>> {
        let Self { store, claim } = *self;
        Box::pin(async move { store.complete(claim, response).await })
    }

    fn abandon(self: Box<Self>) -> BoxFuture<'static, ()> {
        let Self { store, claim } = *self;
        Box::pin(async move { store.abandon(claim).await })
    }
}
