//! Counts the memory that a reader of a body uses while it waits for the client.

use std::cell::Cell;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures_core::Stream;
use restwright_runtime::core::http::{BodyError, BodyPieces, BodyStream, CoderMemory, IncomingBody};

/// A shared counter of the bytes that the reader of a body keeps in memory.
#[derive(Debug, Clone, Default)]
pub(crate) struct HeldBytes(Rc<Cell<usize>>);

impl HeldBytes {
    pub(crate) fn get(&self) -> usize {
        self.0.get()
    }

    pub(crate) fn set(&self, bytes: usize) {
        self.0.set(bytes);
    }
}

/// The bytes of a value in a [`HeldBytes`]. A type that keeps bytes for a client contains a `KeptBytes`, so its bytes stop
/// counting when it is dropped.
#[derive(Debug)]
pub(crate) struct KeptBytes {
    held: HeldBytes,
    bytes: usize,
}

impl KeptBytes {
    pub(crate) fn new(held: &HeldBytes, bytes: usize) -> Self {
        let mut kept = Self { held: held.clone(), bytes: 0 };
        kept.set(bytes);
        kept
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(crate) fn set(&mut self, bytes: usize) {
        self.held.set(self.held.get().saturating_sub(self.bytes).saturating_add(bytes));
        self.bytes = bytes;
    }

    pub(crate) fn add(&mut self, bytes: usize) {
        self.set(self.bytes.saturating_add(bytes));
    }

    pub(crate) fn remove(&mut self, bytes: usize) {
        self.set(self.bytes.saturating_sub(bytes));
    }
}

impl Drop for KeptBytes {
    fn drop(&mut self) {
        self.set(0);
    }
}

/// The number of bytes that an allocator needs for an allocation in addition to its content, about.
pub(crate) const ALLOCATION: usize = 24;

/// Takes a body, with a counter of the bytes that its reader keeps. They count towards the memory of the worker while it waits for the client.
pub(crate) fn counted(body: &mut IncomingBody) -> (BodyStream, HeldBytes) {
    let held = HeldBytes::default();
    let counter = held.clone();
    body.decode(move |pieces, memory| Box::pin(CountedPieces { pieces, memory, held: counter, added: 0 }));
    (body.take(), held)
}

/// A body whose reader keeps bytes in memory while it waits for the next piece.
pub(crate) struct CountedBody {
    body: BodyStream,
    held: HeldBytes,
}

impl CountedBody {
    pub(crate) fn new(body: &mut IncomingBody) -> Self {
        let (body, held) = counted(body);
        Self { body, held }
    }

    #[cfg(test)]
    pub(crate) fn of_stream(body: BodyStream) -> Self {
        Self { body, held: HeldBytes::default() }
    }

    #[cfg(test)]
    pub(crate) fn held(&self) -> usize {
        self.held.get()
    }

    /// Waits for the next piece. `kept` is the number of bytes that the reader keeps.
    pub(crate) async fn next(&mut self, kept: usize) -> Option<Result<Bytes, BodyError>> {
        self.held.set(kept);
        let piece = self.body.next().await;
        self.held.set(0);
        piece
    }
}

/// The pieces of a body, whose account includes the bytes that its reader keeps.
struct CountedPieces {
    pieces: BodyPieces,
    memory: CoderMemory,
    held: HeldBytes,
    added: usize,
}

impl Stream for CountedPieces {
    type Item = Result<Bytes, BodyError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        // A decoder before this one sets its own bytes.
        self.memory.set(self.memory.get().saturating_sub(self.added));
        let piece = self.pieces.as_mut().poll_next(context);
        self.added = self.held.get();
        self.memory.set(self.memory.get().saturating_add(self.added));
        piece
    }
}
