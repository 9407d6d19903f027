//! A stream whose bytes are counted for its line.

use std::error::Error;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures_core::Stream;
use restwright_runtime::core::http::PayloadStream;

use super::line::Line;

/// The pieces of a response, with the line that is written when they end or are given up.
pub(super) struct Measured {
    pieces: PayloadStream,
    line: Line,
}

impl Measured {
    pub(super) fn new(pieces: PayloadStream, line: Line) -> Self {
        Self { pieces, line }
    }
}

impl Stream for Measured {
    type Item = Result<Bytes, Box<dyn Error>>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let polled = self.pieces.as_mut().poll_next(context);
        if let Poll::Ready(Some(Ok(piece))) = &polled {
            self.line.add_bytes(piece.len());
        }
        polled
    }
}
