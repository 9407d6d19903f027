//! Defines [`IncomingBody`], the body of a request, which can be streamed or buffered.

use std::cell::Cell;
use std::rc::Rc;

use bytes::Bytes;

use super::in_flight::Ticket;
use super::{BodyError, BodyPieces, BodyStream, CoderMemory};
use crate::problem::Problem;

/// The body of a request, with the size limit of its route. It can be read once as a stream, or buffered for several
/// readers.
#[derive(Debug)]
pub struct IncomingBody {
    state: BodyState,
    limit: usize,
    announced: Option<usize>,
}

#[derive(Debug)]
enum BodyState {
    Pending(BodyStream),
    Buffered(Bytes),
}

impl IncomingBody {
    pub(crate) fn new(stream: BodyStream, announced: Option<usize>) -> Self {
        Self { state: BodyState::Pending(stream), limit: usize::MAX, announced }
    }

    /// Returns `true` if the body is known to be empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        match &self.state {
            BodyState::Pending(stream) => stream.is_empty(),
            BodyState::Buffered(bytes) => bytes.is_empty(),
        }
    }

    /// Returns the size limit of the route in bytes.
    #[must_use]
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// Returns the whole body. The first call buffers it.
    ///
    /// # Errors
    /// 413 if the body is larger than the limit; the rest is not read. 400 if it is incomplete or incorrectly framed.
    /// 408 if it does not arrive in time. 503 if it arrives slowly and the server is busy when the body is complete.
    pub async fn bytes(&mut self) -> Result<Bytes, Problem> {
        match &mut self.state {
            BodyState::Buffered(bytes) => Ok(bytes.clone()),
            BodyState::Pending(stream) => {
                Self::check_announced(self.announced, self.limit)?;
                let bytes = stream.buffer().await?;
                self.state = BodyState::Buffered(bytes.clone());
                Ok(bytes)
            }
        }
    }

    /// Checks the announced length of a body (`Content-Length`), before the body is taken as a stream.
    ///
    /// # Errors
    /// 413 if it is larger than the limit.
    pub fn check_length(&self) -> Result<(), Problem> {
        Self::check_announced(self.announced, self.limit)
    }

    fn check_announced(announced: Option<usize>, limit: usize) -> Result<(), Problem> {
        if announced.is_some_and(|length| length > limit) {
            return Err(BodyError::TooLarge { limit }.into());
        }
        Ok(())
    }

    /// Returns the body as a stream, without buffering the body. A body that is already buffered is streamed from
    /// memory.
    pub fn take(&mut self) -> BodyStream {
        match std::mem::replace(&mut self.state, BodyState::Buffered(Bytes::new())) {
            BodyState::Pending(stream) => stream,
            BodyState::Buffered(bytes) => BodyStream::from_bytes(bytes),
        }
    }

    /// Replaces the body. Use it after [`take`](Self::take) to make the body readable again.
    pub fn set_bytes(&mut self, bytes: Bytes) {
        self.state = BodyState::Buffered(bytes);
    }

    /// Decodes the body with `decoder`, for example to support the content coding `gzip`. The body is then read as
    /// decoded bytes.
    ///
    /// The limit of the route applies to the encoded bytes and to the decoded bytes. Beyond the limit the body is
    /// [too large](BodyError::TooLarge). The decoder is polled only when a reader needs more, and never after an error.
    /// It reports in its `CoderMemory` how much memory it uses while the worker waits for the client.
    pub fn decode(&mut self, decoder: impl FnOnce(BodyPieces, CoderMemory) -> BodyPieces) {
        let mut stream = self.take();
        stream.set_limit(self.limit);
        stream.decode(decoder);
        self.state = BodyState::Pending(stream);
    }

    /// Returns a counter of the received bytes, including the bytes received before this call.
    pub fn received(&mut self) -> ReceivedBytes {
        match &mut self.state {
            BodyState::Pending(stream) if stream.is_empty() => ReceivedBytes(Received::Before(0)),
            BodyState::Pending(stream) => ReceivedBytes(Received::Counted(stream.note())),
            BodyState::Buffered(bytes) => ReceivedBytes(Received::Before(bytes.len())),
        }
    }

    /// Moves the body out of the request, which keeps its size limit.
    pub(crate) fn move_out(&mut self) -> Self {
        let empty = Self { limit: self.limit, ..Self::default() };
        std::mem::replace(self, empty)
    }

    /// Sets the maximum size of the body in bytes.
    pub fn set_limit(&mut self, limit: usize) {
        self.limit = limit;
        if let BodyState::Pending(stream) = &mut self.state {
            stream.set_limit(limit);
        }
    }

    pub(super) fn set_ticket(&mut self, ticket: Rc<Ticket>) {
        if let BodyState::Pending(stream) = &mut self.state {
            stream.set_ticket(ticket);
        }
    }
}

/// A counter of the received bytes of a body.
#[derive(Debug)]
pub struct ReceivedBytes(Received);

#[derive(Debug)]
enum Received {
    /// The whole body was received before the counter was created.
    Before(usize),
    Counted(Rc<Cell<usize>>),
}

impl ReceivedBytes {
    /// Returns the number of bytes received so far.
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
