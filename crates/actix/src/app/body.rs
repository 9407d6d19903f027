//! Reads request bodies from the payload of actix-http, inside an actix-web `App`.

use std::cell::Cell;
use std::future::poll_fn;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use actix_http::Payload;
use bytes::Bytes;
use futures_core::Stream;
use http::StatusCode;
use restwright_runtime::core::http::BodyError;
use tokio::time::timeout;

use crate::connection::{ConnectionState, DISCARDED_BYTES, DISCARDED_TIME};

/// A request body that was not read to its end.
pub(super) struct Unread {
    payload: Payload,
    /// The number of declared bytes (`Content-Length`) that have not arrived. It is `None` for a chunked body.
    left: Option<u64>,
    begun: bool,
}

/// A shared cell that receives the unread rest of the request body when its `BodyReader` is dropped.
pub(super) type UnreadSlot = Rc<Cell<Option<Unread>>>;

/// Reads a request body, and checks its framing and its transfer rate.
pub(super) struct BodyReader {
    payload: Option<Payload>,
    /// The number of declared bytes (`Content-Length`) that have not arrived. It is `None` for a chunked body.
    left: Option<u64>,
    begun: bool,
    state: Rc<ConnectionState>,
    unread: UnreadSlot,
}

impl BodyReader {
    pub(super) fn new(
        payload: Payload,
        announced: Option<u64>,
        state: &Rc<ConnectionState>,
        unread: &UnreadSlot,
    ) -> Self {
        Self { payload: Some(payload), left: announced, begun: false, state: state.clone(), unread: unread.clone() }
    }

    fn take(&mut self, mut bytes: Bytes) -> Bytes {
        self.begun = true;
        self.state.body_received(bytes.len());
        if let Some(left) = &mut self.left {
            // The payload of an upgradable request is an endless stream, regardless of its length.
            bytes.truncate(usize::try_from(*left).unwrap_or(usize::MAX));
            *left = left.saturating_sub(u64::try_from(bytes.len()).unwrap_or(u64::MAX));
        }
        bytes
    }
}

impl Stream for BodyReader {
    type Item = Result<Bytes, BodyError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        if this.left == Some(0) {
            this.payload = None;
        }
        let Some(payload) = &mut this.payload else { return Poll::Ready(None) };
        match Pin::new(payload).poll_next(context) {
            Poll::Pending => match this.state.await_body(context) {
                Ok(()) => Poll::Pending,
                Err(error) => Poll::Ready(Some(Err(error))),
            },
            Poll::Ready(Some(Ok(bytes))) => Poll::Ready(Some(Ok(this.take(bytes)))),
            Poll::Ready(None) if this.left.is_none() => {
                this.payload = None;
                Poll::Ready(None)
            }
            Poll::Ready(None | Some(Err(_))) => {
                this.payload = None;
                this.state.close();
                Poll::Ready(Some(Err(BodyError::Incomplete)))
            }
        }
    }
}

impl Drop for BodyReader {
    fn drop(&mut self) {
        if self.left == Some(0) {
            return;
        }
        if let Some(payload) = self.payload.take() {
            self.unread.set(Some(Unread { payload, left: self.left, begun: self.begun }));
        }
    }
}

impl Unread {
    /// Reads and discards the rest of the body if it is small. Otherwise returns the rest, and the connection closes.
    pub(super) async fn discard(self, state: &ConnectionState, status: StatusCode) -> Option<Payload> {
        let is_hopeless = self.begun
            || self.left.is_some_and(|left| left > DISCARDED_BYTES)
            || state.body_timed_out()
            || status == StatusCode::PAYLOAD_TOO_LARGE;
        let mut payload = self.payload;
        let mut read = 0;
        let reading = async {
            while let Some(Ok(bytes)) = poll_fn(|context| Pin::new(&mut payload).poll_next(context)).await {
                read += u64::try_from(bytes.len()).unwrap_or(u64::MAX);
                if read > DISCARDED_BYTES {
                    return false;
                }
            }
            true
        };
        let is_read = !is_hopeless && timeout(DISCARDED_TIME, reading).await.unwrap_or(false);
        (!is_read).then_some(payload)
    }
}
