//! Defines [`SharedClaim`], through which the middleware and the endpoint share the lock on an idempotency key.

use std::any::Any;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use restwright_core::runtime::BoxFuture;

use super::store::{Begun, ErasedClaim};
use crate::store::{Store, StoreError, Transaction};

/// The results of steps that run once per request, in their order. A request that is executed again after a conflict at its commit reads
/// them. The extensions of the request contain it.
#[derive(Clone, Default)]
pub(crate) struct KeptSteps(Rc<RefCell<Vec<Box<dyn Any>>>>);

impl KeptSteps {
    /// Returns the result of the step with the given number, if it has run.
    pub(crate) fn get<T: Clone + 'static>(&self, number: usize) -> Option<T> {
        self.0.borrow().get(number)?.downcast_ref::<T>().cloned()
    }

    pub(crate) fn push<T: 'static>(&self, result: T) {
        self.0.borrow_mut().push(Box::new(result));
    }
}

/// The lock on the idempotency key of a request. It also records how the endpoint uses the lock. The extensions of the request contain it.
#[derive(Clone)]
pub(crate) struct SharedClaim(Arc<Mutex<Shared>>);

struct Shared {
    /// The claim, or `None` while an endpoint begins a transaction.
    claim: Option<Box<dyn ErasedClaim>>,
    outcome: Outcome,
}

/// Describes how an endpoint has used the lock on an idempotency key.
#[derive(Default)]
pub(super) enum Outcome {
    /// The endpoint has not used the claim.
    #[default]
    Untouched,
    /// Another request holds the lock on the key.
    Taken,
    /// The endpoint has made its changes in the transaction that stores the key. The future runs after the commit.
    Finished(Transaction, BoxFuture<'static, ()>),
}

impl SharedClaim {
    pub(super) fn new(claim: Box<dyn ErasedClaim>) -> Self {
        Self(Arc::new(Mutex::new(Shared { claim: Some(claim), outcome: Outcome::default() })))
    }

    /// Begins a transaction that also stores the idempotency key. Returns `None` if the keys are not in the database of the store.
    pub(crate) async fn begin(&self, store: &dyn Store) -> Result<Option<Begun<Transaction>>, StoreError> {
        // The lock is released while the transaction begins.
        let Some(mut claim) = self.lock().claim.take() else { return Ok(None) };
        let begun = claim.begin_transaction(store).await;
        let mut shared = self.lock();
        shared.claim = Some(claim);
        let Some(begun) = begun? else { return Ok(None) };
        let is_started = matches!(begun, Begun::Started(_));
        shared.outcome = if is_started { Outcome::Untouched } else { Outcome::Taken };
        Ok(Some(begun))
    }

    /// Returns the transaction to the middleware, which commits the transaction together with the response.
    pub(crate) fn finish(&self, transaction: Transaction, following: BoxFuture<'static, ()>) {
        self.lock().outcome = Outcome::Finished(transaction, following);
    }

    /// Returns the claim and how the endpoint has used it. Returns `None` if the request ended while the endpoint began a transaction.
    pub(super) fn take(&self) -> Option<(Box<dyn ErasedClaim>, Outcome)> {
        let mut shared = self.lock();
        let outcome = std::mem::take(&mut shared.outcome);
        shared.claim.take().map(|claim| (claim, outcome))
    }

    fn lock(&self) -> MutexGuard<'_, Shared> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
