//! Counts the bytes of response bodies, including streams.

use std::error::Error;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures_core::Stream;
use http::Method;
use restwright_runtime::core::http::{HttpRequest, HttpResponse, Payload, PayloadStream};

/// A measurement of a response that is recorded on drop, such as a log line. It is dropped when the response ends, or
/// when the request is cancelled.
pub(crate) trait Measure: Unpin + 'static {
    fn add_bytes(&mut self, bytes: usize);

    /// Records how the response ended. This method is not called if the client leaves earlier.
    fn set_end(&mut self, end: End) {
        let _ = end;
    }
}

/// The end of a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    Complete,
    /// The stream of the body reported an error.
    Failed,
}

/// Counts the bytes of a response with `measure`, and drops `measure` when the response ends.
pub(crate) fn measure(request: &HttpRequest, response: &mut HttpResponse, mut measure: impl Measure) {
    let payload = match response.take_payload() {
        stream @ (Payload::Stream(_) | Payload::SizedStream(..)) if request.method() != Method::HEAD => {
            let rest = match &stream {
                Payload::SizedStream(length, _) => *length,
                _ => u64::MAX,
            };
            // A host does not read an empty stream.
            if rest == 0 {
                measure.set_end(End::Complete);
            }
            stream.map_stream(|pieces| Box::pin(Measured { pieces, measure, rest }))
        }
        upgrade @ Payload::Upgrade(_) => {
            measure.set_end(End::Complete);
            upgrade.hold(measure)
        }
        payload => {
            measure.set_end(End::Complete);
            let length = payload.as_bytes().filter(|_| request.method() != Method::HEAD).map_or(0, <[u8]>::len);
            measure.add_bytes(length);
            payload
        }
    };
    response.set_payload(payload);
}

/// A response stream whose bytes are counted. Its measurement is dropped when the stream ends or is cancelled.
struct Measured<M> {
    pieces: PayloadStream,
    measure: M,
    /// The number of bytes after which the stream is complete. A host does not read further.
    rest: u64,
}

impl<M: Measure> Stream for Measured<M> {
    type Item = Result<Bytes, Box<dyn Error>>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let polled = self.pieces.as_mut().poll_next(context);
        match &polled {
            Poll::Ready(Some(Ok(piece))) => {
                self.measure.add_bytes(piece.len());
                self.rest = self.rest.saturating_sub(piece.len() as u64);
                if self.rest == 0 {
                    self.measure.set_end(End::Complete);
                }
            }
            Poll::Ready(Some(Err(_))) => self.measure.set_end(End::Failed),
            Poll::Ready(None) => self.measure.set_end(End::Complete),
            Poll::Pending => {}
        }
        polled
    }
}
