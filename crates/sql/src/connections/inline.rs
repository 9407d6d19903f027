//! Defines [`InlineReads`], which runs short reads of SQLite on the thread of the worker.
//!
//! To give a statement to another thread costs more than most reads.

use std::cell::Cell;
use std::future::poll_fn;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::task::Poll;

use restwright_core::report::{Report, SampleValue};
use restwright_resource::StoreError;
use sea_query::Value as SqlValue;
use tokio::task::Id;

use super::lock;
use super::of_worker::of_worker;
use crate::driver::{InlineConnection, SqlRow, SqliteFile};

/// The maximum number of values in a short read.
const MAX_VALUES: usize = 256;

thread_local! {
    /// The last task that ran a short read on this thread.
    static LAST: Cell<Option<Id>> = const { Cell::new(None) };
}

/// The connections for short reads, one for each worker.
#[derive(Default)]
pub(super) struct InlineReads {
    /// The threads of the workers own their connections.
    workers: Mutex<Vec<Weak<WorkerReader>>>,
    /// The reads that ran on the thread of their worker.
    ended: AtomicU64,
    /// The reads that were not short, and ran again on another thread.
    moved: AtomicU64,
}

/// The connection of a worker.
#[derive(Default)]
struct WorkerReader {
    connection: Mutex<Option<InlineConnection>>,
    is_opening: AtomicBool,
    is_closed: AtomicBool,
}

impl InlineReads {
    /// Runs a read on the thread of the worker. Returns `None` if another thread must run it. `connections` is the id of the store's connections.
    pub(super) async fn fetch(
        &self,
        (connections, alive): (u64, &Arc<()>),
        file: &SqliteFile,
        sql: &Arc<str>,
        values: &[SqlValue],
    ) -> Option<Vec<SqlRow>> {
        if values.len() > MAX_VALUES {
            return None;
        }
        let worker = self.worker(connections, alive)?;
        // A task that reads again lets the other tasks of its worker run first.
        let task = tokio::task::try_id();
        if LAST.replace(task) == task {
            turn().await;
        }
        let mut connection = worker.connection.try_lock().ok()?;
        let Some(connection) = connection.as_mut() else {
            open(&worker, file);
            return None;
        };
        // An open connection would still read a deleted file.
        let rows = if matches!(file.path.try_exists(), Ok(true)) { connection.fetch(sql, values) } else { None };
        let count = if rows.is_some() { &self.ended } else { &self.moved };
        count.fetch_add(1, Ordering::Relaxed);
        rows
    }

    fn worker(&self, connections: u64, alive: &Arc<()>) -> Option<Arc<WorkerReader>> {
        let is_closed = |worker: &Arc<WorkerReader>| worker.is_closed.load(Ordering::Relaxed);
        let worker = of_worker(connections, alive, is_closed, || {
            let (worker, mut workers) = (Arc::<WorkerReader>::default(), lock(&self.workers));
            workers.retain(|worker| worker.strong_count() > 0);
            workers.push(Arc::downgrade(&worker));
            Ok::<_, StoreError>(worker)
        });
        worker.ok()
    }

    /// Returns the number of open connections.
    pub(super) fn open(&self) -> usize {
        // A connection that is locked is open.
        let is_open = |worker: &Arc<WorkerReader>| worker.connection.try_lock().map_or(true, |one| one.is_some());
        lock(&self.workers).iter().filter_map(Weak::upgrade).filter(is_open).count()
    }

    pub(super) fn report(&self, report: &mut Report) {
        for (outcome, count) in [("ended", &self.ended), ("moved", &self.moved)] {
            let count = SampleValue::Counter(count.load(Ordering::Relaxed));
            let help = "Reads that workers ran themselves, and reads that they moved to another thread.";
            report.labelled("store_inline_reads", help, [("outcome", outcome)], count);
        }
    }

    /// Closes all connections. A worker that reads again opens another one.
    pub(super) fn close(&self) {
        for worker in std::mem::take(&mut *lock(&self.workers)).iter().filter_map(Weak::upgrade) {
            worker.is_closed.store(true, Ordering::Relaxed);
            drop(lock(&worker.connection).take());
        }
    }
}

impl Drop for InlineReads {
    fn drop(&mut self) {
        self.close();
    }
}

/// Opens the connection of a worker on a thread for blocking work. Reads run elsewhere in the meantime.
fn open(worker: &Arc<WorkerReader>, file: &SqliteFile) {
    if worker.is_opening.swap(true, Ordering::Relaxed) {
        return;
    }
    let (worker, file) = (Arc::clone(worker), file.clone());
    tokio::task::spawn_blocking(move || {
        // The reads on other threads report an error.
        if let Ok(connection) = InlineConnection::open(&file) {
            let mut place = lock(&worker.connection);
            if !worker.is_closed.load(Ordering::Relaxed) {
                *place = Some(connection);
            }
        }
        worker.is_opening.store(false, Ordering::Relaxed);
    });
}

/// Lets the other tasks that are ready run first.
async fn turn() {
    let mut had_turn = false;
    poll_fn(|context| {
        if had_turn {
            return Poll::Ready(());
        }
        had_turn = true;
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}
