//! Counts a request as in progress until its response stream ends.

use std::error::Error;
use std::pin::Pin;
use std::task::{Context, Poll};

use restwright_core::body::{Bytes, Stream};
use restwright_core::http::{HttpResponse, PayloadStream};

use super::places::Place;

/// A response stream that keeps its request counted as in progress. The count ends after the last piece or an error.
struct Held {
    pieces: PayloadStream,
    place: Option<Place>,
}

/// Keeps a request counted as in progress until its response stream ends. For any other payload, the count ends
/// immediately.
pub(super) fn hold(place: Place, response: &mut HttpResponse) {
    let payload = response.take_payload().map_stream(|pieces| Box::pin(Held { pieces, place: Some(place) }));
    response.set_payload(payload);
}

impl Stream for Held {
    type Item = Result<Bytes, Box<dyn Error>>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let piece = self.pieces.as_mut().poll_next(context);
        if matches!(piece, Poll::Ready(None | Some(Err(_)))) {
            self.place = None;
        }
        piece
    }
}
