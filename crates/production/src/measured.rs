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
}

/// Counts the bytes of a response with `measure`, and drops `measure` when the response ends.
pub(crate) fn measure(request: &HttpRequest, response: &mut HttpResponse, mut measure: impl Measure) {
    let payload = match response.take_payload() {
        stream @ (Payload::Stream(_) | Payload::SizedStream(..)) => {
            stream.map_stream(|pieces| Box::pin(Measured { pieces, measure }))
        }
        upgrade @ Payload::Upgrade(_) => upgrade.hold(measure),
        payload => {
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
}

impl<M: Measure> Stream for Measured<M> {
    type Item = Result<Bytes, Box<dyn Error>>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let polled = self.pieces.as_mut().poll_next(context);
        if let Poll::Ready(Some(Ok(piece))) = &polled {
            self.measure.add_bytes(piece.len());
        }
        polled
    }
}
