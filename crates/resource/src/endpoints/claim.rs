//! Defines [`Claim`], the lock on the idempotency key of a call. The operation runs in the transaction of the lock.

use restwright_core::http::HttpRequest;
use restwright_core::runtime::BoxFuture;

use super::problem::Failure;
#[cfg(feature = "idempotency")]
use crate::idempotency::{Begun, SharedClaim, in_progress};
use crate::store::Store;

/// The lock on an idempotency key. The operation makes its changes in the transaction of the lock.
pub(super) struct Claim {
    #[cfg(feature = "idempotency")]
    shared: Option<SharedClaim>,
}

#[cfg(feature = "idempotency")]
impl Claim {
    pub(super) fn of(request: &HttpRequest) -> Self {
        Self { shared: request.extensions().get::<SharedClaim>().cloned() }
    }

    /// Returns a claim for a call without an idempotency key.
    pub(super) fn none() -> Self {
        Self { shared: None }
    }

    /// Begins a transaction that also stores the idempotency key. Returns `None` if the idempotency key is not stored in the database of
    /// the store.
    pub(super) async fn begin<S: Store>(&self, store: &S) -> Result<Option<S::Transaction>, Failure> {
        let Some(shared) = &self.shared else { return Ok(None) };
        match shared.begin(store).await? {
            Some(Begun::Started(transaction)) => Ok(transaction),
            Some(Begun::Kept(_) | Begun::InFlight | Begun::OtherRequest) => Err(in_progress().into()),
            None => Ok(None),
        }
    }

    /// Passes the transaction to the idempotency middleware, which commits the transaction together with the response. `following` runs
    /// after the commit.
    pub(super) fn finish<S: Store>(&self, transaction: S::Transaction, following: BoxFuture<'static, ()>) {
        if let Some(shared) = &self.shared {
            shared.finish(transaction, following);
        }
    }
}

#[cfg(not(feature = "idempotency"))]
impl Claim {
    pub(super) fn of(_: &HttpRequest) -> Self {
        Self {}
    }

    pub(super) fn none() -> Self {
        Self {}
    }

    pub(super) async fn begin<S: Store>(&self, _: &S) -> Result<Option<S::Transaction>, Failure> {
        Ok(None)
    }

    pub(super) fn finish<S: Store>(&self, _: S::Transaction, _: BoxFuture<'static, ()>) {}
}
