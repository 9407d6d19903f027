//! Defines [`Groups`], the changes that wait for the next transaction of a SQLite database.
//!
//! Each request with a change waits for the connection that writes. The first that gets it takes the changes of all others that wait, so they share a
//! transaction and its write to the disk. No thread and no task runs while nothing waits.

use std::collections::VecDeque;
use std::fmt;
use std::future::Future;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use restwright_core::report::Report;
use restwright_resource::StoreError;
use tokio::sync::oneshot;
use tokio::time::timeout;

use super::lock;
use super::own_pool::OwnGuard;
use crate::driver::{ChangeStatement, Changed, DriverError, breaks_connection, run_group};
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
    ended: oneshot::Sender<Grouped>,
}

/// The result of a change in a group.
pub(crate) struct Grouped {
    pub(crate) outcome: Result<Changed, DriverError>,
    /// The time until the group began.
    pub(crate) waited: Duration,
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
    ) -> Result<Grouped, StoreError> {
        let (ended, mut result) = oneshot::channel();
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        lock(&self.waiting).push_back(Waiting { id, since: Instant::now(), statement, ended });
        let place = PlaceInLine { groups: self, id };
        let result = tokio::select! {
            biased;
            result = &mut result => result,
            turn = turn => {
                match turn {
                    Ok(guard) => self.begin(id, guard, settings),
                    Err(error) if place.withdraw() => {
                        settings.counts.wait(settings.wait, false);
                        return Err(error);
                    }
                    // A group has taken the change, so its commit decides.
                    Err(_) => {}
                }
                // The disk may not respond.
                let ended = timeout(settings.statement_timeout.saturating_mul(3), result).await;
                ended.map_err(|_elapsed| StoreError::unavailable("a commit took too long, so its outcome is unknown"))?
            }
        };
        place.taken();
        result.map_err(|_dropped| StoreError::unavailable("the group of a change has ended without a result"))
    }

    /// Runs the changes that wait, on a thread for blocking work, among them the change with an id. It goes on if the request that began it ends.
    fn begin(self: &Arc<Self>, id: u64, mut guard: OwnGuard, settings: &Arc<StoreSettings>) {
        let taken = self.take(id);
        // Another group took the change of the request before the request had the connection.
        if taken.is_empty() {
            return;
        }
        let (groups, settings) = (Arc::clone(self), Arc::clone(settings));
        tokio::task::spawn_blocking(move || {
            let (mut senders, mut statements) = (Vec::with_capacity(taken.len()), Vec::with_capacity(taken.len()));
            for Waiting { since, statement, ended, .. } in taken {
                let waited = since.elapsed();
                settings.counts.wait(waited, true);
                senders.push(Some((ended, waited)));
                statements.push(statement);
            }
            // Counted before the first response, which a client can compare with the metrics.
            groups.commits.fetch_add(1, Ordering::Relaxed);
            groups.changes.fetch_add(statements.len() as u64, Ordering::Relaxed);
            let mut is_broken = false;
            let ended = |place: usize, outcome: Result<Changed, DriverError>| {
                is_broken |= outcome.as_ref().is_err_and(breaks_connection);
                if let Some((ended, waited)) = senders.get_mut(place).and_then(Option::take) {
                    // The request may have ended.
                    let _ = ended.send(Grouped { outcome, waited });
                }
            };
            let (begin, limit) = (settings.dialect.begin, settings.statement_timeout);
            run_group(guard.connection(), begin, limit, &statements.iter().collect::<Vec<_>>(), ended);
            guard.set_busy(is_broken);
        });
    }

    /// Takes the first changes of the queue, and the change with an id.
    fn take(&self, id: u64) -> Vec<Waiting> {
        let mut waiting = lock(&self.waiting);
        let count = waiting.len().min(MOST);
        let own = waiting.iter().skip(count).position(|change| change.id == id);
        let own = own.and_then(|place| waiting.remove(count + place));
        waiting.drain(..count).chain(own).collect()
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
