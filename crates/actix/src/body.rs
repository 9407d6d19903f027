//! The body of a request, read from actix-http's payload.

use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use actix_http::Payload;
use bytes::Bytes;
use futures_core::Stream;
use restwright_runtime::core::http::BodyError;

use crate::connection_state::{ConnectionState, Unread};

/// Reads a body and checks its framing and its pace.
pub(crate) struct BodyReader {
    payload: Option<Payload>,
    /// The announced bytes that have not arrived; `None` for a chunked body.
    left: Option<u64>,
    begun: bool,
    state: Rc<ConnectionState>,
}

impl BodyReader {
    pub(crate) fn new(payload: Payload, announced: Option<u64>, state: Rc<ConnectionState>) -> Self {
        Self { payload: Some(payload), left: announced, begun: false, state }
    }

    fn take(&mut self, mut bytes: Bytes) -> Bytes {
        self.begun = true;
        self.state.body_received(bytes.len());
        if let Some(left) = &mut self.left {
            // The payload of an upgradable request is an endless stream, whatever length it announces.
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
        if this.state.request_body(context) {
            return Poll::Pending;
        }
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
            self.state.leave_unread(Unread { payload, left: self.left, begun: self.begun });
        }
    }
}
