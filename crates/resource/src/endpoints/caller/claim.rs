//! Defines [`Claim`], the lock on the idempotency key of a call. The operation runs in the transaction of the lock.

#[cfg(feature = "idempotency")]
use std::cell::Cell;

use restwright_core::Result;
use restwright_core::http::HttpRequest;
use restwright_core::runtime::BoxFuture;

use super::problem::Failure;
#[cfg(feature = "idempotency")]
use crate::idempotency::{Begun, KeptSteps, SharedClaim, in_progress};
use crate::store::{Store, Transaction};

/// The lock on an idempotency key. The operation makes its changes in the transaction of the lock.
pub(in crate::endpoints) struct Claim {
    #[cfg(feature = "idempotency")]
    shared: Option<SharedClaim>,
    #[cfg(feature = "idempotency")]
    kept: Option<KeptSteps>,
    /// The number of steps that have run.
    #[cfg(feature = "idempotency")]
    ran: Cell<usize>,
}

#[cfg(feature = "idempotency")]
impl Claim {
    pub(super) fn of(request: &HttpRequest) -> Self {
        let extensions = request.extensions();
        Self { shared: extensions.get().cloned(), kept: extensions.get().cloned(), ran: Cell::default() }
    }

    /// Returns a claim for a call without an idempotency key.
    pub(in crate::endpoints) fn none() -> Self {
        Self { shared: None, kept: None, ran: Cell::default() }
    }

    /// Returns `true` if the call has an idempotency key.
    pub(in crate::endpoints) fn is_given(&self) -> bool {
        self.shared.is_some()
    }

    /// Runs a step before the transaction. If the request is executed again, returns the result of the first time.
    pub(in crate::endpoints) async fn once<T: Clone + 'static>(
        &self,
        step: impl Future<Output = Result<T>>,
    ) -> Result<T> {
        let Some(kept) = &self.kept else { return step.await };
        let number = self.ran.replace(self.ran.get() + 1);
        if let Some(earlier) = kept.get(number) {
            return Ok(earlier);
        }
        let result = step.await?;
        kept.push(result.clone());
        Ok(result)
    }

    /// Begins a transaction that also stores the idempotency key. Returns `None` if the idempotency key is not stored in the database of
    /// the store.
    pub(in crate::endpoints) async fn begin(&self, store: &dyn Store) -> Result<Option<Transaction>, Failure> {
        let Some(shared) = &self.shared else { return Ok(None) };
        match shared.begin(store).await? {
            Some(Begun::Started(transaction)) => Ok(Some(transaction)),
            Some(Begun::Kept(_) | Begun::InFlight | Begun::OtherRequest) => Err(in_progress().into()),
            None => Ok(None),
        }
    }

    /// Passes the transaction to the idempotency middleware, which commits the transaction together with the response. `following` runs
    /// after the commit.
    pub(in crate::endpoints) fn finish(&self, transaction: Transaction, following: BoxFuture<'static, ()>) {
        if let Some(shared) = &self.shared {
            shared.finish(transaction, following);
        }
    }
}

#[cfg(not(feature = "idempotency"))]
impl Claim {
    pub(in crate::endpoints) fn of(_: &HttpRequest) -> Self {
        Self {}
    }

    pub(in crate::endpoints) fn none() -> Self {
        Self {}
    }

    pub(in crate::endpoints) fn is_given(&self) -> bool {
        false
    }

    pub(in crate::endpoints) async fn once<T>(&self, step: impl Future<Output = Result<T>>) -> Result<T> {
        step.await
    }

    pub(in crate::endpoints) async fn begin(&self, _: &dyn Store) -> Result<Option<Transaction>, Failure> {
        Ok(None)
    }

    pub(in crate::endpoints) fn finish(&self, _: Transaction, _: BoxFuture<'static, ()>) {}
}
