//! Claims in whose transaction the endpoints of a resource make their changes.

use std::any::Any;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

use restwright_core::runtime::BoxFuture;

use crate::store::{Store, StoreError};

/// The transaction of a claim in the database of a [`Store`], in which the endpoints of a resource make their changes, so that an entity is
/// there exactly if its response is kept.
///
/// An endpoint [begins](Self::begin) the transaction, and [hands it back](Self::finish) when all is done. It may drop one and begin
/// another, in which the key is claimed again. The middleware then [completes](super::IdempotencyStore::complete) the claim, which writes
/// the response in the transaction and commits it. If that fails, nothing has happened: after a
/// [conflict](StoreError::TransactionConflict) the request is carried out again, and otherwise the response is the error.
pub trait ClaimTransaction<S: Store>: Send + Sync + 'static {
    /// Begins the transaction in which the key is claimed.
    ///
    /// # Errors
    /// The database cannot be used, or another transaction is in the way.
    fn begin<'a>(&'a self, store: &'a S) -> ClaimFuture<'a, S>;

    /// Takes the transaction back.
    fn finish(&self, transaction: S::Transaction);
}

/// The future of [`ClaimTransaction::begin`].
pub type ClaimFuture<'a, S> =
    Pin<Box<dyn Future<Output = Result<ClaimBegun<<S as Store>::Transaction>, StoreError>> + Send + 'a>>;

/// The transaction of a claim, if it was begun.
#[derive(Debug)]
pub enum ClaimBegun<T> {
    /// A transaction that claims the key.
    Transaction(T),
    /// The store is that of another database, so that an endpoint begins a transaction of its own.
    OtherStore,
    /// Another request has claimed the key meanwhile, which is a 409 that is not kept.
    Taken,
}

/// A [`ClaimTransaction`] whose store is forgotten.
pub struct AnyClaimTransaction(Box<dyn Any + Send + Sync>);

impl AnyClaimTransaction {
    /// Creates it for endpoints on stores of the type `S`.
    #[must_use]
    pub fn new<S: Store>(transaction: Arc<dyn ClaimTransaction<S>>) -> Self {
        Self(Box::new(transaction))
    }

    fn of<S: Store>(&self) -> Option<&Arc<dyn ClaimTransaction<S>>> {
        self.0.downcast_ref()
    }
}

/// The claim of a request, which the middleware and the endpoint share: an extension of the request.
#[derive(Clone)]
pub(crate) struct SharedClaim(Arc<Shared>);

struct Shared {
    transaction: AnyClaimTransaction,
    outcome: Mutex<Outcome>,
}

/// The use that an endpoint has made of a claim.
#[derive(Default)]
pub(super) enum Outcome {
    /// Nothing that counts.
    #[default]
    Untouched,
    /// It has found that another request has the key.
    Taken,
    /// It has made its changes in the transaction of the claim. The future follows the commit.
    Finished(BoxFuture<'static, ()>),
}

impl SharedClaim {
    pub(super) fn new(transaction: AnyClaimTransaction) -> Self {
        Self(Arc::new(Shared { transaction, outcome: Mutex::default() }))
    }

    /// Begins the transaction of the claim; `None` if the store is that of another database.
    pub(crate) async fn begin<S: Store>(&self, store: &S) -> Result<ClaimBegun<S::Transaction>, StoreError> {
        let Some(transaction) = self.0.transaction.of::<S>() else { return Ok(ClaimBegun::OtherStore) };
        let begun = transaction.begin(store).await?;
        if matches!(begun, ClaimBegun::Taken) {
            self.replace(Outcome::Taken);
        }
        Ok(begun)
    }

    /// Hands the transaction back, to be committed with the response.
    pub(crate) fn finish<S: Store>(&self, transaction: S::Transaction, following: BoxFuture<'static, ()>) {
        if let Some(of_store) = self.0.transaction.of::<S>() {
            of_store.finish(transaction);
            self.replace(Outcome::Finished(following));
        }
    }

    pub(super) fn outcome(&self) -> Outcome {
        self.replace(Outcome::Untouched)
    }

    fn replace(&self, outcome: Outcome) -> Outcome {
        std::mem::replace(&mut *self.0.outcome.lock().unwrap_or_else(PoisonError::into_inner), outcome)
    }
}

impl fmt::Debug for AnyClaimTransaction {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("AnyClaimTransaction").finish_non_exhaustive()
    }
}
