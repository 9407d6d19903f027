//! Retries operations after conflicts with concurrent changes.

use std::error::Error;
use std::time::Duration;

use restwright_core::Problem;
use restwright_core::runtime::{BoxFuture, in_attempt};
use tokio::sync::{Mutex, MutexGuard};
use uuid::Uuid;

use super::queues::Queues;
use super::{Store, StoreError, Transaction};

/// The maximum number of attempts of an operation. The deadline of the request can end the attempts earlier.
const ATTEMPTS: u32 = 32;

/// The number of the first attempt that waits in a queue and locks the entities that it changes. Later attempts do the same.
const FIRST_LOCKING: u32 = 3;

/// The maximum time that an attempt waits in a queue. The attempt then runs immediately, because the operation ahead of it may be waiting
/// for this attempt.
const LONGEST_WAIT: Duration = Duration::from_secs(1);

/// The queues in which transactions of [`Repository::transaction`](super::Repository::transaction) wait after conflicts.
static WORK: Queues = Queues::new();

/// One attempt of an operation.
#[derive(Clone, Copy)]
pub(crate) struct Attempt(u32);

impl Attempt {
    pub(crate) const FIRST: Self = Self(1);

    /// Returns the number of the attempt. The first attempt has the number 1.
    pub(crate) fn number(self) -> u32 {
        self.0
    }

    /// Returns `true` from the third attempt on. The operation then locks the entities that it reads for a change.
    pub(crate) fn locks(self) -> bool {
        self.0 >= FIRST_LOCKING
    }
}

/// Runs an operation until it succeeds, or fails for a reason other than a concurrent change. The operation has at most 32 attempts.
///
/// From the third attempt on, operations of the same queue run one after another. They can then conflict only with operations in their first two
/// attempts.
pub(crate) async fn repeat<T, E>(
    retries: impl Fn(&(dyn Error + 'static)) -> bool,
    queue: Option<&Mutex<()>>,
    mut operation: impl AsyncFnMut(Attempt) -> Result<T, E>,
    cause: impl Fn(&E) -> &(dyn Error + 'static),
) -> Result<T, E> {
    let mut attempt = Attempt::FIRST;
    let mut turn: Option<MutexGuard<'_, ()>> = None;
    loop {
        let failure = match in_attempt(attempt.0, operation(attempt)).await {
            Ok(value) => return Ok(value),
            Err(failure) => failure,
        };
        let error = cause(&failure);
        let is_conflict = retries(error);
        if attempt.0 == ATTEMPTS || !(is_conflict || is_stale(error)) {
            return Err(failure);
        }
        // After a stale version, another update has already succeeded, so there is nothing to wait for.
        if is_conflict || attempt.0 > ATTEMPTS / 2 {
            tokio::time::sleep(pause(attempt, turn.is_some())).await;
        }
        attempt.0 += 1;
        if let (None, Some(queue), true) = (&turn, queue, attempt.locks()) {
            turn = tokio::time::timeout(LONGEST_WAIT, queue.lock()).await.ok();
        }
    }
}

/// Runs work in a transaction of a store and commits the transaction. Implements [`Repository::transaction`](super::Repository::transaction).
pub(super) async fn run_in_transaction<S: Store + ?Sized, T, W: AsyncFn(&mut Transaction) -> Result<T, Problem>>(
    store: &S,
    work: W,
) -> Result<T, Problem> {
    // Transactions that run the same code are likely to conflict with each other.
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

/// Commits a transaction, and then awaits the future `following`. Both continue if the request ends.
pub(crate) async fn commit(
    store: &(impl Store + ?Sized),
    transaction: Transaction,
    following: BoxFuture<'static, ()>,
) -> Result<(), StoreError> {
    let commit = store.commit(transaction);
    let committing = tokio::spawn(async move {
        commit.await?;
        following.await;
        Ok(())
    });
    committing.await.map_err(StoreError::failed)?
}

/// Converts the error of the last attempt to a 503 problem, if the error is a conflict. The error may come from a statement of a hook.
pub(crate) fn unavailable_if(is_conflict: bool, problem: Problem) -> Problem {
    if is_conflict { Problem::unavailable(problem) } else { problem }
}

/// Converts the error of a transaction that cannot begin or commit to a problem.
fn problem(error: StoreError) -> Problem {
    match error {
        error @ StoreError::Failed(_) => Problem::internal(error),
        error => Problem::unavailable(error),
    }
}

/// Returns `true` if an error or one of its causes is [`StoreError::StaleVersion`]. The error may come from a hook.
fn is_stale(error: &(dyn Error + 'static)) -> bool {
    let mut causes = std::iter::successors(Some(error), |&error| error.source());
    causes.any(|cause| matches!(cause.downcast_ref(), Some(StoreError::StaleVersion)))
}

/// Returns a random pause before the next attempt, so conflicting operations run at different times. The maximum is 2 ms after the first
/// attempt, and 64 ms from the sixth attempt on. An operation at the head of its queue pauses for at most 8 ms, because others wait for it.
fn pause(attempt: Attempt, has_turn: bool) -> Duration {
    // The lower half contains random bits below the two bits of the UUID's variant.
    let (_, random) = Uuid::new_v4().as_u64_pair();
    let longest = 1_000 << attempt.0.min(if has_turn { 3 } else { 6 });
    Duration::from_micros((random & u64::from(u32::MAX)) % longest)
}
