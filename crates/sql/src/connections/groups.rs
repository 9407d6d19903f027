//! Defines [`Groups`], the changes that wait for the next transaction of a SQLite database.
//!
//! Each request with a change waits for the connection that writes. The first that gets it takes the changes of all others that wait, so they share a
//! transaction and its write to the disk. No thread and no task runs while nothing waits.

use std::collections::VecDeque;
use std::fmt;
use std::future::Future;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use restwright_core::report::Report;
use restwright_resource::StoreError;
use tokio::sync::oneshot;

use super::lock;
use super::own_pool::OwnGuard;
use crate::driver::{ChangeStatement, Changed, DriverError, run_group};
use crate::settings::StoreSettings;

/// The maximum number of changes in a group.
const MOST: usize = 64;

/// The changes that wait for a transaction.
#[derive(Default)]
pub(crate) struct Groups {
    waiting: Mutex<VecDeque<Waiting>>,
    next: AtomicU64,
    /// `true` if no constraint of the database is checked at a commit. Otherwise the changes of a group could repair or break each other.
    pub(super) is_allowed: AtomicBool,
    commits: AtomicU64,
    changes: AtomicU64,
}

/// A change that waits.
struct Waiting {
    id: u64,
    since: Instant,
    statement: ChangeStatement,
    ended: oneshot::Sender<Result<Changed, DriverError>>,
}

/// The place of a change in the queue. Dropping it withdraws the change, unless a group has taken it.
struct PlaceInLine<'g> {
    groups: &'g Groups,
    id: u64,
}

impl Groups {
    /// Runs a change in a transaction, possibly with other changes, and returns its result after the commit. `turn` waits for the connection that
    /// writes.
    pub(super) async fn run(
        self: &Arc<Self>,
        settings: &Arc<StoreSettings>,
        turn: impl Future<Output = Result<OwnGuard, StoreError>>,
        statement: ChangeStatement,
    ) -> Result<Result<Changed, DriverError>, StoreError> {
        let (ended, mut result) = oneshot::channel();
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        lock(&self.waiting).push_back(Waiting { id, since: Instant::now(), statement, ended });
        let place = PlaceInLine { groups: self, id };
        let result = tokio::select! {
            biased;
            result = &mut result => result,
            turn = turn => {
                match turn {
                    Ok(guard) => self.begin(guard, settings),
                    Err(error) if place.withdraw() => {
                        settings.counts.wait(settings.wait, false);
                        return Err(error);
                    }
                    // A group has taken the change, so its commit decides.
                    Err(_) => {}
                }
                result.await
            }
        };
        place.taken();
        result.map_err(|_dropped| StoreError::unavailable("the group of a change has ended without a result"))
    }

    /// Runs the changes that wait, on a thread for blocking work. It goes on if the request that began it ends.
    fn begin(self: &Arc<Self>, mut guard: OwnGuard, settings: &Arc<StoreSettings>) {
        let taken: Vec<_> = {
            let mut waiting = lock(&self.waiting);
            let count = waiting.len().min(MOST);
            waiting.drain(..count).collect()
        };
        // Another group took the change of the request before the request had the connection.
        if taken.is_empty() {
            return;
        }
        let (groups, settings) = (Arc::clone(self), Arc::clone(settings));
        tokio::task::spawn_blocking(move || {
            let mut senders = Vec::with_capacity(taken.len());
            let mut statements = Vec::with_capacity(taken.len());
            for Waiting { since, statement, ended, .. } in taken {
                settings.counts.wait(since.elapsed(), true);
                senders.push(Some(ended));
                statements.push(statement);
            }
            let statements: Vec<_> = statements.iter().collect();
            guard.set_busy(false);
            let ended = |place: usize, result| {
                if let Some(sender) = senders.get_mut(place).and_then(Option::take) {
                    // The request may have ended.
                    let _ = sender.send(result);
                }
            };
            let (begin, limit) = (settings.dialect.begin, settings.statement_timeout);
            run_group(guard.connection(), begin, limit, &statements, ended);
            groups.commits.fetch_add(1, Ordering::Relaxed);
            groups.changes.fetch_add(statements.len() as u64, Ordering::Relaxed);
        });
    }

    pub(super) fn report(&self, report: &mut Report) {
        let count = |count: &AtomicU64| count.load(Ordering::Relaxed);
        report.counter("store_groups", "Groups of changes that shared a transaction.", count(&self.commits));
        report.counter("store_grouped_changes", "Changes in these groups.", count(&self.changes));
    }
}

impl PlaceInLine<'_> {
    /// Skips the search for the change, which a group has taken.
    fn taken(self) {
        std::mem::forget(self);
    }

    /// Removes the change. Returns `false` if a group has taken it.
    fn withdraw(&self) -> bool {
        let mut waiting = lock(&self.groups.waiting);
        let place = waiting.iter().position(|change| change.id == self.id);
        place.and_then(|place| waiting.remove(place)).is_some()
    }
}

impl Drop for PlaceInLine<'_> {
    fn drop(&mut self) {
        self.withdraw();
    }
}

impl fmt::Debug for Groups {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Groups").field("commits", &self.commits).finish_non_exhaustive()
    }
}
