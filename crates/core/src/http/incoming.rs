//! The body of a request, as a stream until it is buffered.

use std::cell::Cell;
use std::rc::Rc;

use bytes::Bytes;

use super::in_flight::Ticket;
use super::{BodyError, BodyPieces, BodyStream, CoderMemory};
use crate::problem::Problem;

/// The body of a request with the limit of its route; read once, or buffered for several readers.
#[derive(Debug)]
pub struct IncomingBody {
    state: State,
    limit: usize,
    announced: Option<usize>,
}

#[derive(Debug)]
enum State {
    Pending(BodyStream),
    Buffered(Bytes),
}

impl IncomingBody {
    pub(crate) fn new(stream: BodyStream, announced: Option<usize>) -> Self {
        Self { state: State::Pending(stream), limit: usize::MAX, announced }
    }

    /// Returns whether there is certainly no body.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        match &self.state {
            State::Pending(stream) => stream.is_empty(),
            State::Buffered(bytes) => bytes.is_empty(),
        }
    }

    /// Returns the limit of the route in bytes.
    #[must_use]
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// Returns the whole body, buffered on the first call.
    ///
    /// # Errors
    /// 413 when it is larger than the limit (without reading on), 400 when it is cut off or badly framed, 408 when it does
    /// not come in time, 503 when it came slowly and the server is busy then.
    pub async fn bytes(&mut self) -> Result<Bytes, Problem> {
        match &mut self.state {
            State::Buffered(bytes) => Ok(bytes.clone()),
            State::Pending(stream) => {
                if self.announced.is_some_and(|length| length > self.limit) {
                    return Err(BodyError::TooLarge { limit: self.limit }.into());
                }
                let bytes = stream.collect().await?;
                self.state = State::Buffered(bytes.clone());
                Ok(bytes)
            }
        }
    }

    /// Takes the body as a stream, for a reader that does not buffer it; a buffered body is streamed from memory.
    pub fn take(&mut self) -> BodyStream {
        match std::mem::replace(&mut self.state, State::Buffered(Bytes::new())) {
            State::Pending(stream) => stream,
            State::Buffered(bytes) => BodyStream::from_bytes(bytes),
        }
    }

    /// Replaces the body by bytes, for readers that run again after the body was [taken](Self::take).
    pub fn set_bytes(&mut self, bytes: Bytes) {
        self.state = State::Buffered(bytes);
    }

    /// Puts a decoder between the client and the readers of the body, which then have what it yields.
    ///
    /// The limit of the route holds for the bytes that come in, and again for those that come out: beyond it, either is
    /// [too large](BodyError::TooLarge). The decoder is polled when a reader wants more, and not after it has yielded an error. It
    /// says in the `CoderMemory` how much memory it keeps while the client is awaited.
    pub fn decode(&mut self, decoder: impl FnOnce(BodyPieces, CoderMemory) -> BodyPieces) {
        let mut stream = self.take();
        stream.set_limit(self.limit);
        stream.decode(decoder);
        self.state = State::Pending(stream);
    }

    /// Returns a count of the bytes that are read of the body, now and later, whoever reads it.
    pub fn received(&mut self) -> ReceivedBytes {
        match &mut self.state {
            State::Pending(stream) if stream.is_empty() => ReceivedBytes(Received::Before(0)),
            State::Pending(stream) => ReceivedBytes(Received::Counted(stream.note())),
            State::Buffered(bytes) => ReceivedBytes(Received::Before(bytes.len())),
        }
    }

    /// Sets the largest size of the body in bytes.
    pub fn set_limit(&mut self, limit: usize) {
        self.limit = limit;
        if let State::Pending(stream) = &mut self.state {
            stream.set_limit(limit);
        }
    }

    pub(super) fn set_ticket(&mut self, ticket: Rc<Ticket>) {
        if let State::Pending(stream) = &mut self.state {
            stream.set_ticket(ticket);
        }
    }
}

/// A count of the bytes that are read of a body.
#[derive(Debug)]
pub struct ReceivedBytes(Received);

#[derive(Debug)]
enum Received {
    /// All of it was read before.
    Before(usize),
    Counted(Rc<Cell<usize>>),
}

impl ReceivedBytes {
    /// Returns the number so far.
    #[must_use]
    pub fn get(&self) -> usize {
        match &self.0 {
            Received::Before(bytes) => *bytes,
            Received::Counted(bytes) => bytes.get(),
        }
    }
}

impl Default for IncomingBody {
    fn default() -> Self {
        Self::new(BodyStream::empty(), None)
    }
}
