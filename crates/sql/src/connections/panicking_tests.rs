//! Tests panics on the thread that runs a group of changes on SQLite.

#![cfg(feature = "sqlite")]

use std::fmt::Debug;
use std::future::{Future, pending, poll_fn};
use std::panic::resume_unwind;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use futures_util::future::join_all;
use tokio::runtime::Builder;
use tracing::field::Field;
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use super::FilePools;
use super::dropped_tests::{NamesFile, insert, pools};

/// Inserts a name. Returns `true` if the change was acknowledged.
async fn is_acknowledged(pools: &FilePools, name: &str) -> bool {
    pools.change(insert(name)).await.is_ok_and(|grouped| grouped.outcome.is_ok())
}

/// A waker of an executor that panics.
#[derive(Default)]
struct PanickingWaker {
    has_panicked: AtomicBool,
}

impl Wake for PanickingWaker {
    fn wake(self: Arc<Self>) {
        self.has_panicked.store(true, Ordering::Relaxed);
        panic!("of the executor");
    }
}

#[tokio::test]
async fn a_panic_after_a_commit_leaves_no_change_without_an_outcome() {
    let file = NamesFile::new("waker");
    let store = file.store().await;
    let pools = pools(&store);
    let held = pools.writes.acquire(|| Ok(())).await.unwrap();
    // These changes wait for the connection, in this order.
    let mut first = pin!(is_acknowledged(&pools, "first"));
    assert!(poll_fn(|context| Poll::Ready(first.as_mut().poll(context))).await.is_pending());
    let waker = Arc::new(PanickingWaker::default());
    let mut panicking = pin!(pools.groups.run(&store.shared.settings, pending(), insert("panicking")));
    assert!(panicking.as_mut().poll(&mut Context::from_waker(&Waker::from(Arc::clone(&waker)))).is_pending());
    let others = join_all(["second", "third"].map(|name| is_acknowledged(&pools, name)));

    let (first, others, ()) = tokio::join!(first, others, async { drop(held) });
    assert!(waker.has_panicked.load(Ordering::Relaxed));
    let panicking = panicking.await.is_ok_and(|grouped| grouped.outcome.is_ok());
    let stored = file.names();
    let outcomes = [("first", first), ("panicking", panicking), ("second", others[0]), ("third", others[1])];
    for (name, is_acknowledged) in outcomes {
        assert!(!is_acknowledged || stored.iter().any(|stored| stored == name), "{outcomes:?} {stored:?}");
    }
    assert!(first, "{outcomes:?}");
    assert!(is_acknowledged(&pools, "later").await);
    assert_eq!(file.names().last().map(String::as_str), Some("later"));
}

/// A subscriber that panics for statements with a marker. The payload of the panic panics when it is dropped, so the panic leaves the log.
struct PanickingLog;

struct PanicsOnDrop;

impl Drop for PanicsOnDrop {
    fn drop(&mut self) {
        panic!("of the subscriber");
    }
}

impl Subscriber for PanickingLog {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "restwright::sql"
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut is_marked = false;
        event.record(&mut |_: &Field, value: &dyn Debug| is_marked |= format!("{value:?}").contains("panicking"));
        if is_marked {
            resume_unwind(Box::new(PanicsOnDrop));
        }
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

#[test]
fn a_panic_within_a_transaction_undoes_all_changes_of_the_group() {
    let file = NamesFile::new("within");
    let subscribe = || std::mem::forget(restwright_tests::subscribe(PanickingLog));
    let runtime =
        Builder::new_multi_thread().worker_threads(1).on_thread_start(subscribe).enable_all().build().unwrap();
    runtime.block_on(async {
        let store = file.store().await;
        let pools = pools(&store);
        for _ in 0..3 {
            let held = pools.writes.acquire(|| Ok(())).await.unwrap();
            let changes = join_all(["first", "panicking", "second"].map(|name| is_acknowledged(&pools, name)));
            let (acknowledged, ()) = tokio::join!(changes, async { drop(held) });
            assert_eq!(acknowledged, [false; 3]);
        }
        let held = pools.writes.acquire(|| Ok(())).await.unwrap();
        let changes = join_all(["later", "last"].map(|name| is_acknowledged(&pools, name)));
        let (acknowledged, ()) = tokio::join!(changes, async { drop(held) });
        assert_eq!(acknowledged, [true; 2]);
    });
    assert_eq!(file.names(), ["later", "last"]);
}
