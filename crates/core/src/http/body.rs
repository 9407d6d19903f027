//! Defines [`BodyStream`], a request body that is read in pieces.

use std::cell::Cell;
use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures_core::Stream;

use super::in_flight::Ticket;
use super::{BodyError, CoderMemory, MemoryShare};
use crate::attempt::ReadOnce;
use crate::future::LocalBoxFuture;

/// A stream of the pieces of a request body. The HTTP server or a [decoder](super::IncomingBody::decode) creates it.
pub type BodyPieces = Pin<Box<dyn Stream<Item = Result<Bytes, BodyError>>>>;

/// The body of a request, which is read on demand.
///
/// It yields at most as many bytes as its limit, and then [`BodyError::TooLarge`].
pub struct BodyStream {
    pieces: Option<BodyPieces>,
    limit: usize,
    received: usize,
    /// The number of received bytes, shared with middlewares.
    noted: Option<Rc<Cell<usize>>>,
    announced: Option<Box<dyn Fn() -> u64>>,
    /// A piece that was received but not returned yet. It is returned as soon as the request counts as in progress
    /// again.
    next: Option<Option<Result<Bytes, BodyError>>>,
    ticket: Option<Rc<Ticket>>,
    wait: Option<LocalBoxFuture<'static, bool>>,
    /// The memory that the decoder uses.
    coder_memory: Option<CoderMemory>,
    /// The counter for the memory of the decoder and the received bytes. It counts while the worker waits for the
    /// client.
    memory: Option<Rc<MemoryShare>>,
    once: ReadOnce,
}

impl BodyStream {
    /// Creates a body from a stream of pieces.
    #[must_use]
    pub fn new(pieces: impl Stream<Item = Result<Bytes, BodyError>> + 'static) -> Self {
        let mut body = Self::empty();
        body.pieces = Some(Box::pin(pieces));
        body
    }

    /// Sets a function that returns the sum of all chunk sizes received so far (RFC 9112, section 7.1). A chunk that
    /// exceeds the limit is then rejected as [too large](BodyError::TooLarge) before its data arrives.
    #[must_use]
    pub fn announced(mut self, length: impl Fn() -> u64 + 'static) -> Self {
        self.announced = Some(Box::new(length));
        self
    }

    /// Creates an empty body.
    #[must_use]
    pub fn empty() -> Self {
        Self {
            pieces: None,
            limit: usize::MAX,
            received: 0,
            noted: None,
            announced: None,
            next: None,
            ticket: None,
            wait: None,
            coder_memory: None,
            memory: None,
            once: ReadOnce::UNREAD,
        }
    }

    /// Creates a body from bytes in memory.
    #[must_use]
    pub fn from_bytes(bytes: Bytes) -> Self {
        if bytes.is_empty() { Self::empty() } else { Self::new(Once(Some(bytes))) }
    }

    /// Returns `true` if the body is known to be empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.pieces.is_none()
    }

    /// Returns the next piece, or `None` at the end of the body.
    ///
    /// While it waits for the client, the request does not count towards
    /// [`Configuration::max_concurrent`](crate::Configuration::max_concurrent).
    ///
    /// # Errors
    /// The body is incomplete, incorrectly framed, too large or too slow. [`BodyError::Overloaded`] if the server is at
    /// its maximum number of requests when the piece arrives. [`BodyError::ReadAgain`] in a second attempt of a transaction.
    pub async fn next(&mut self) -> Option<Result<Bytes, BodyError>> {
        if let Err(again) = self.once.read() {
            return Some(Err(again.into()));
        }
        poll_fn(|context| {
            if self.next.is_none() {
                self.next = Some(ready!(self.poll_piece(0, context)));
            }
            if ready!(self.poll_place(context)) {
                return Poll::Ready(self.next.take().flatten());
            }
            self.next = None;
            Poll::Ready(Some(Err(self.end_with(BodyError::Overloaded))))
        })
        .await
    }

    /// Reads the whole body into memory.
    ///
    /// # Errors
    /// The errors of [`next`](Self::next). If waiting clients use more memory than the
    /// [configuration](crate::Configuration::body_memory) allows, a slow body fails with a timeout.
    pub async fn collect(&mut self) -> Result<Bytes, BodyError> {
        self.once.read()?;
        self.buffer().await
    }

    /// Reads the whole body into memory, for an owner that keeps it for later attempts of a transaction.
    pub(super) async fn buffer(&mut self) -> Result<Bytes, BodyError> {
        let (mut whole, mut is_whole) = (Whole::Nothing, false);
        poll_fn(|context| {
            while !is_whole {
                match self.poll_piece(whole.capacity(), context) {
                    Poll::Ready(Some(piece)) => whole.add(piece?),
                    Poll::Ready(None) => is_whole = true,
                    Poll::Pending => return Poll::Pending,
                }
            }
            let Poll::Ready(has_place) = self.poll_place(context) else {
                let is_held = self.hold(whole.capacity(), context);
                return if is_held { Poll::Pending } else { Poll::Ready(Err(self.end_with(BodyError::Overloaded))) };
            };
            Poll::Ready(if has_place { Ok(()) } else { Err(self.end_with(BodyError::Overloaded)) })
        })
        .await?;
        self.memory = None;
        Ok(whole.freeze())
    }

    /// Polls the next piece of the body. If the client has not sent the piece yet, the request releases its
    /// [place](super::in_flight::Place) among the requests in progress. `buffered` and the memory of the decoder are
    /// then counted as the memory of the request.
    fn poll_piece(&mut self, buffered: usize, context: &mut Context<'_>) -> Poll<Option<Result<Bytes, BodyError>>> {
        let Some(pieces) = &mut self.pieces else { return Poll::Ready(None) };
        let piece = pieces.as_mut().poll_next(context);
        let announced = self.announced.as_ref().map_or(0, |length| length());
        if usize::try_from(announced).unwrap_or(usize::MAX) > self.limit {
            return Poll::Ready(Some(Err(self.end_with(BodyError::TooLarge { limit: self.limit }))));
        }
        let Poll::Ready(piece) = piece else {
            if let Some(ticket) = &self.ticket {
                ticket.vacate();
            }
            let is_held = self.hold(buffered, context);
            return if is_held { Poll::Pending } else { Poll::Ready(Some(Err(self.end_with(BodyError::Timeout)))) };
        };
        match &piece {
            Some(Ok(bytes)) => {
                self.received = self.received.saturating_add(bytes.len());
                if let Some(noted) = &self.noted {
                    noted.set(self.received);
                }
                if self.received > self.limit {
                    return Poll::Ready(Some(Err(self.end_with(BodyError::TooLarge { limit: self.limit }))));
                }
            }
            Some(Err(error)) => return Poll::Ready(Some(Err(self.end_with(*error)))),
            None => self.pieces = None,
        }
        Poll::Ready(piece)
    }

    /// Counts the memory that the request uses for the decoder and for received bytes. `buffered` is the number of
    /// received bytes in memory. Returns `false` if the request must be abandoned.
    fn hold(&mut self, buffered: usize, context: &Context<'_>) -> bool {
        let held = buffered.saturating_add(self.coder_memory.as_ref().map_or(0, CoderMemory::get));
        let Some(ticket) = self.ticket.as_ref().filter(|_| held > 0 || self.memory.is_some()) else { return true };
        let memory = self.memory.get_or_insert_with(|| ticket.memory_share());
        memory.hold(held, self.received, context)
    }

    /// Counts the request as [in progress](super::in_flight::Place) again. Yields `false` if the limit is still reached
    /// after one second.
    fn poll_place(&mut self, context: &mut Context<'_>) -> Poll<bool> {
        let Some(ticket) = &self.ticket else { return Poll::Ready(true) };
        if self.wait.is_none() && ticket.try_retake() {
            return Poll::Ready(true);
        }
        let wait = self.wait.get_or_insert_with(|| Box::pin(ticket.clone().wait()));
        let is_free = ready!(wait.as_mut().poll(context));
        self.wait = None;
        Poll::Ready(is_free)
    }

    /// Drops the rest of the body and returns `error`. Counts the request as in progress again, even beyond the limit,
    /// so it can respond.
    fn end_with(&mut self, error: BodyError) -> BodyError {
        self.pieces = None;
        self.memory = None;
        if let Some(ticket) = &self.ticket {
            ticket.retake();
        }
        error
    }
}

impl Drop for BodyStream {
    fn drop(&mut self) {
        if let Some(ticket) = &self.ticket {
            ticket.retake();
        }
    }
}

/// The pieces of a body that were received so far. A single piece is not copied.
enum Whole {
    Nothing,
    One(Bytes),
    /// The first piece, followed by chunks of [`CHUNK`] bytes. An incomplete body uses only the memory of its received
    /// part.
    More(Vec<Vec<u8>>),
}

/// The size in bytes of the chunks that store a large body until the body is complete.
const CHUNK: usize = 16 * 1024;

impl Whole {
    fn add(&mut self, piece: Bytes) {
        let mut chunks = match std::mem::replace(self, Self::Nothing) {
            Self::Nothing => return *self = Self::One(piece),
            Self::One(first) => vec![first.into()],
            Self::More(chunks) => chunks,
        };
        let mut rest = &*piece;
        while !rest.is_empty() {
            let room = chunks.last().map_or(0, |chunk| chunk.capacity() - chunk.len());
            if room == 0 {
                chunks.push(Vec::with_capacity(CHUNK));
            }
            if let Some(chunk) = chunks.last_mut() {
                let (fits, further) = rest.split_at(rest.len().min(chunk.capacity() - chunk.len()));
                chunk.extend_from_slice(fits);
                rest = further;
            }
        }
        *self = Self::More(chunks);
    }

    /// Returns the allocated memory in bytes.
    fn capacity(&self) -> usize {
        match self {
            Self::Nothing => 0,
            Self::One(bytes) => bytes.len(),
            Self::More(chunks) => chunks.iter().map(Vec::capacity).sum(),
        }
    }

    fn freeze(self) -> Bytes {
        match self {
            Self::Nothing => Bytes::new(),
            Self::One(bytes) => bytes,
            Self::More(mut chunks) if chunks.len() == 1 => chunks.pop().unwrap_or_default().into(),
            Self::More(chunks) => chunks.concat().into(),
        }
    }
}

impl BodyStream {
    pub(super) fn set_limit(&mut self, limit: usize) {
        self.limit = limit;
    }

    /// Decodes the received pieces with `decoder` before they are read. The limit then applies both to the encoded
    /// bytes and to the decoded bytes.
    pub(super) fn decode(&mut self, decoder: impl FnOnce(BodyPieces, CoderMemory) -> BodyPieces) {
        if let Some(pieces) = self.pieces.take() {
            let memory = self.coder_memory.get_or_insert_default().clone();
            self.pieces = Some(decoder(Box::pin(Limited { pieces, limit: self.limit, received: 0 }), memory));
        }
    }

    /// Returns a shared counter of received bytes. It continues to count after the body has moved.
    pub(super) fn note(&mut self) -> Rc<Cell<usize>> {
        self.noted.get_or_insert_with(|| Rc::new(Cell::new(self.received))).clone()
    }

    /// Sets the handle that frees the request's place among the requests in progress while the worker waits for the
    /// client.
    pub(super) fn set_ticket(&mut self, ticket: Rc<Ticket>) {
        self.ticket = Some(ticket);
    }
}

impl fmt::Debug for BodyStream {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("BodyStream").field("empty", &self.is_empty()).finish()
    }
}

/// A stream of the encoded pieces of a body. It fails if the body exceeds the limit.
struct Limited {
    pieces: BodyPieces,
    limit: usize,
    received: usize,
}

impl Stream for Limited {
    type Item = Result<Bytes, BodyError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let piece = ready!(self.pieces.as_mut().poll_next(context));
        if let Some(Ok(bytes)) = &piece {
            self.received = self.received.saturating_add(bytes.len());
            if self.received > self.limit {
                return Poll::Ready(Some(Err(BodyError::TooLarge { limit: self.limit })));
            }
        }
        Poll::Ready(piece)
    }
}

struct Once(Option<Bytes>);

impl Stream for Once {
    type Item = Result<Bytes, BodyError>;

    fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        Poll::Ready(self.0.take().map(Ok))
    }
}
