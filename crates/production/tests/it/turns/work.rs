//! The work of one worker thread.

use std::cell::{Cell, RefCell};
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::{Context, Poll};

use restwright::Schema;
use restwright::body::{Bytes, Stream};
use restwright::http::ReceivedBytes;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

thread_local! {
    static HAS_BEGUN: Cell<bool> = const { Cell::new(false) };
    static HAS_ENDED: Cell<bool> = const { Cell::new(false) };
    static SINCE_TURN: Cell<usize> = const { Cell::new(0) };
    static MOST: Cell<usize> = const { Cell::new(0) };
    static TOTAL: Cell<usize> = const { Cell::new(0) };
    static TURNS: Cell<u64> = const { Cell::new(0) };
    /// The bytes of a body that are read, and as many of them as were counted.
    static RECEIVED: RefCell<Option<(ReceivedBytes, usize)>> = const { RefCell::new(None) };
}

/// The work that was counted.
#[derive(Serialize, Schema)]
pub(super) struct Counts {
    turns: u64,
    most: usize,
    total: usize,
}

/// Counts work.
pub(super) fn add(amount: usize) {
    SINCE_TURN.set(SINCE_TURN.get() + amount);
    TOTAL.set(TOTAL.get() + amount);
    MOST.set(MOST.get().max(SINCE_TURN.get()));
}

/// Counts the bytes that are read of a body at each turn of the other connection.
pub(super) fn count_received(received: ReceivedBytes) {
    RECEIVED.set(Some((received, 0)));
}

/// Counts the bytes that were read of the body since the last call.
pub(super) fn add_received() {
    RECEIVED.with_borrow_mut(|received| {
        if let Some((received, counted)) = received {
            let now = received.get();
            add(now - std::mem::replace(counted, now));
        }
    });
}

/// Counts its own turns until the end.
pub(super) async fn count_turns() -> Counts {
    HAS_BEGUN.set(true);
    while !HAS_ENDED.get() {
        next_turn().await;
        add_received();
        SINCE_TURN.set(0);
        TURNS.set(TURNS.get() + 1);
    }
    Counts { turns: TURNS.get(), most: MOST.get(), total: TOTAL.get() }
}

/// Waits until turns are counted, and counts from zero.
pub(super) async fn begin() {
    while !HAS_BEGUN.get() {
        next_turn().await;
    }
    TURNS.set(0);
}

pub(super) fn end() {
    HAS_ENDED.set(true);
}

/// Lets the other connections that are ready proceed.
fn next_turn() -> impl Future<Output = ()> {
    let mut is_next = false;
    poll_fn(move |context| {
        if std::mem::replace(&mut is_next, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
}

/// Pieces whose bytes are counted as they are sent.
pub(super) struct Counted<S>(pub(super) S);

impl<S: Stream<Item = Result<Bytes, E>> + Unpin, E> Stream for Counted<S> {
    type Item = Result<Bytes, E>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let piece = Pin::new(&mut self.0).poll_next(context);
        if let Poll::Ready(Some(Ok(bytes))) = &piece {
            add(bytes.len());
        }
        piece
    }
}

/// A string of JSON that is counted when it is read and when it is written.
#[derive(Clone, Schema)]
#[schema(as = String)]
pub(super) struct Word(pub(super) String);

impl<'de> Deserialize<'de> for Word {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let word = String::deserialize(deserializer)?;
        add(word.len());
        Ok(Self(word))
    }
}

impl Serialize for Word {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        add(self.0.len());
        self.0.serialize(serializer)
    }
}
