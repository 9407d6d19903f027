//! A body that is pulled from the host, piece by piece.

use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;

use bytes::{Bytes, BytesMut};
use futures_core::Stream;

use crate::problem::{Problem, catalogue};

type Pieces = Pin<Box<dyn Stream<Item = Result<Bytes, BodyError>>>>;

/// The body of a request, pulled on demand; nothing is read before it is needed.
///
/// It yields at most its limit in bytes and then [`BodyError::TooLarge`].
pub struct BodyStream {
    pieces: Option<Pieces>,
    limit: usize,
    received: usize,
}

impl BodyStream {
    /// Creates a body from the pieces of a host.
    #[must_use]
    pub fn new(pieces: impl Stream<Item = Result<Bytes, BodyError>> + 'static) -> Self {
        Self { pieces: Some(Box::pin(pieces)), limit: usize::MAX, received: 0 }
    }

    /// Creates a body for a request that has none.
    #[must_use]
    pub fn empty() -> Self {
        Self { pieces: None, limit: usize::MAX, received: 0 }
    }

    /// Creates a body that is in memory already.
    #[must_use]
    pub fn from_bytes(bytes: Bytes) -> Self {
        if bytes.is_empty() { Self::empty() } else { Self::new(Once(Some(bytes))) }
    }

    /// Returns whether there is certainly no body.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.pieces.is_none()
    }

    /// Returns the next piece, or `None` at the end of the body.
    ///
    /// # Errors
    /// The body was cut off, badly framed, too large, or did not come in time.
    pub async fn next(&mut self) -> Option<Result<Bytes, BodyError>> {
        let pieces = self.pieces.as_mut()?;
        let mut piece = poll_fn(|context| pieces.as_mut().poll_next(context)).await;
        if let Some(Ok(bytes)) = &piece {
            self.received = self.received.saturating_add(bytes.len());
            if self.received > self.limit {
                piece = Some(Err(BodyError::TooLarge { limit: self.limit }));
            }
        }
        if !matches!(piece, Some(Ok(_))) {
            self.pieces = None;
        }
        piece
    }

    /// Reads the whole body into memory.
    ///
    /// # Errors
    /// As [`next`](Self::next).
    pub async fn collect(&mut self) -> Result<Bytes, BodyError> {
        let Some(first) = self.next().await.transpose()? else { return Ok(Bytes::new()) };
        let Some(second) = self.next().await.transpose()? else { return Ok(first) };
        let mut whole = BytesMut::from(first);
        whole.extend_from_slice(&second);
        while let Some(piece) = self.next().await.transpose()? {
            whole.extend_from_slice(&piece);
        }
        Ok(whole.freeze())
    }
}

impl BodyStream {
    pub(super) fn set_limit(&mut self, limit: usize) {
        self.limit = limit;
    }
}

impl fmt::Debug for BodyStream {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("BodyStream").field("empty", &self.is_empty()).finish()
    }
}

/// An error of reading a body to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum BodyError {
    /// The connection closed before the announced end, or the chunked coding was wrong (RFC 9112, section 7.1).
    Incomplete,
    /// The body came too slowly.
    Timeout,
    /// The body is larger than the route admits.
    TooLarge {
        /// The most that the route admits, in bytes.
        limit: usize,
    },
}

impl From<BodyError> for Problem {
    fn from(error: BodyError) -> Self {
        match error {
            BodyError::Incomplete => Problem::new(catalogue::INCOMPLETE_BODY)
                .detail("The body ended before its announced length, or its framing was wrong."),
            BodyError::Timeout => Problem::new(catalogue::BODY_TIMEOUT).detail("The body did not come in time."),
            BodyError::TooLarge { limit } => {
                Problem::new(catalogue::BODY_TOO_LARGE).detail(format!("The body may have at most {limit} bytes."))
            }
        }
    }
}

struct Once(Option<Bytes>);

impl Stream for Once {
    type Item = Result<Bytes, BodyError>;

    fn poll_next(mut self: Pin<&mut Self>, _: &mut std::task::Context<'_>) -> std::task::Poll<Option<Self::Item>> {
        std::task::Poll::Ready(self.0.take().map(Ok))
    }
}
