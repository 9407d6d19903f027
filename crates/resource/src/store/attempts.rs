//! Attempts of operations that concurrent changes conflict with.

use std::error::Error;
use std::time::Duration;

use restwright_core::Problem;
use restwright_core::runtime::BoxFuture;
use tokio::sync::{Mutex, MutexGuard};
use uuid::Uuid;

use super::queues::Queues;
use super::{Store, StoreError};

/// The largest number of attempts of an operation. The deadline of the request ends them earlier.
const ATTEMPTS: u32 = 32;

/// The first attempt that waits for its turn and locks what it changes.
const FIRST_LOCKING: u32 = 3;

/// The longest time that an attempt waits for its turn. It then runs beside the others: one of them may wait for this one.
const LONGEST_WAIT: Duration = Duration::from_secs(1);

/// The queues of transactions that applications write.
static WORK: Queues = Queues::new();

/// One attempt of an operation.
#[derive(Clone, Copy)]
pub(crate) struct Attempt(u32);

impl Attempt {
    pub(crate) const FIRST: Self = Self(1);

    /// Returns the number of the attempt, from 1.
    pub(crate) fn number(self) -> u32 {
        self.0
    }

    /// Returns `true` if the operation lost to others twice, so it locks what it reads in order to change it.
    pub(crate) fn locks(self) -> bool {
        self.0 >= FIRST_LOCKING
    }
}

/// Runs an operation until it succeeds or fails for a reason other than a concurrent change, at most 32 times.
///
/// From the third attempt on, operations with the same queue run one after the other. In a queue, only operations in their first attempts
/// are in the way.
pub(crate) async fn repeat<T, E>(
    retries: impl Fn(&(dyn Error + 'static)) -> bool,
    queue: Option<&Mutex<()>>,
    mut operation: impl AsyncFnMut(Attempt) -> Result<T, E>,
    cause: impl Fn(&E) -> &(dyn Error + 'static),
) -> Result<T, E> {
    let mut attempt = Attempt::FIRST;
    let mut turn: Option<MutexGuard<'_, ()>> = None;
    loop {
        let failure = match operation(attempt).await {
            Ok(value) => return Ok(value),
            Err(failure) => failure,
        };
        let error = cause(&failure);
        let is_conflict = retries(error);
        if attempt.0 == ATTEMPTS || !(is_conflict || is_stale(error)) {
            return Err(failure);
        }
        // A version is stale because another update has succeeded, so there is nothing to wait for.
        if is_conflict || attempt.0 > ATTEMPTS / 2 {
            tokio::time::sleep(pause(attempt, turn.is_some())).await;
        }
        attempt.0 += 1;
        if let (None, Some(queue), true) = (&turn, queue, attempt.locks()) {
            turn = tokio::time::timeout(LONGEST_WAIT, queue.lock()).await.ok();
        }
    }
}

/// Runs work in a transaction of a store and commits it, as [`Store::transaction`] does.
pub(super) async fn run_in_transaction<S: Store, T, W: AsyncFn(&mut S::Transaction) -> Result<T, Problem>>(
    store: &S,
    work: W,
) -> Result<T, Problem> {
    // Runs of the same code conflict with each other.
    let queue = WORK.of(std::any::type_name::<W>());
    let operation = async |attempt: Attempt| {
        let mut transaction = store.begin_attempt(attempt.number()).await.map_err(problem)?;
        let value = work(&mut transaction).await?;
        commit(store, transaction, Box::pin(async {})).await.map_err(problem)?;
        Ok(value)
    };
    let outcome = repeat(|error| store.retries(error), queue, operation, |problem| problem).await;
    outcome.map_err(|problem| unavailable_if(store.retries(&problem), problem))
}

/// Commits a transaction, and then runs what follows. Once begun, both continue after the request has ended.
pub(crate) async fn commit<S: Store>(
    store: &S,
    transaction: S::Transaction,
    following: BoxFuture<'static, ()>,
) -> Result<(), StoreError> {
    let store = store.clone();
    let committing = tokio::spawn(async move {
        store.commit(transaction).await?;
        following.await;
        Ok(())
    });
    committing.await.map_err(StoreError::failed)?
}

/// Makes a 503 of the error of a last attempt, such as the error of a hook's own statement, if it is a conflict.
pub(crate) fn unavailable_if(is_conflict: bool, problem: Problem) -> Problem {
    if is_conflict { Problem::unavailable(problem) } else { problem }
}

/// Returns the problem of a transaction that cannot begin or commit.
fn problem(error: StoreError) -> Problem {
    match error {
        error @ StoreError::Failed(_) => Problem::internal(error),
        error => Problem::unavailable(error),
    }
}

/// Returns `true` if an error, or its cause, such as the error of a hook, is a stale version.
fn is_stale(error: &(dyn Error + 'static)) -> bool {
    let mut causes = std::iter::successors(Some(error), |&error| error.source());
    causes.any(|cause| matches!(cause.downcast_ref(), Some(StoreError::StaleVersion)))
}

/// Returns a random time before the next attempt, so operations that conflict do not meet again: up to 2 ms after the first attempt, and up to
/// 64 ms after the sixth and later ones. An operation whose turn it is pauses for at most 8 ms, because others wait for it.
fn pause(attempt: Attempt, has_turn: bool) -> Duration {
    // The upper bits are those of the variant.
    let (_, random) = Uuid::new_v4().as_u64_pair();
    let longest = 1_000 << attempt.0.min(if has_turn { 3 } else { 6 });
    Duration::from_micros((random & u64::from(u32::MAX)) % longest)
}
