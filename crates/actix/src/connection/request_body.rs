//! Reads request bodies on demand.

use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::pin::Pin;
use std::rc::{Rc, Weak};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use futures_core::Stream;
use http::StatusCode;
use restwright_runtime::core::http::{BodyError, BodyStream};
use tokio::time::timeout;

use super::HttpConnection;
use super::body_framing::{BodyDecoder, Decoded};

/// The body of a request, which is read from its connection on demand.
pub(super) struct RequestBody {
    /// The connection of the request. The reference is weak, so holding a body does not keep its connection open.
    connection: Weak<HttpConnection>,
    decoder: RefCell<BodyDecoder>,
    /// True if the client waits for `100 Continue` before it sends the body (RFC 9110, section 10.1.1).
    is_held: Cell<bool>,
    /// True if the application has read part of the body.
    is_begun: Cell<bool>,
    /// True if the application may still read the body.
    has_reader: Cell<bool>,
}

/// The maximum size of an unread body that the server reads and discards to keep the connection open. `DISCARDED_TIME`
/// is the maximum time for this.
pub(crate) const DISCARDED_BYTES: u64 = 64 * 1024;
pub(crate) const DISCARDED_TIME: Duration = Duration::from_millis(250);

impl RequestBody {
    pub(super) fn new(connection: &Rc<HttpConnection>, decoder: BodyDecoder, is_held: bool) -> Rc<Self> {
        Rc::new(Self {
            connection: Rc::downgrade(connection),
            decoder: RefCell::new(decoder),
            is_held: Cell::new(is_held),
            is_begun: Cell::default(),
            has_reader: Cell::default(),
        })
    }

    /// Returns the body as a stream for the application.
    pub(super) fn stream(self: &Rc<Self>) -> BodyStream {
        self.has_reader.set(true);
        let is_chunked = self.decoder.borrow().left().is_none();
        let stream = BodyStream::new(RequestBodyStream(self.clone()));
        if !is_chunked {
            return stream;
        }
        let body = self.clone();
        stream.announced(move || body.decoder.borrow().announced())
    }

    /// Returns whether the body was read to its end.
    pub(super) fn is_complete(&self) -> bool {
        self.decoder.borrow().is_complete()
    }

    /// Returns whether the rest of the body has already arrived in the input buffer.
    pub(super) fn has_come(&self, connection: &HttpConnection) -> bool {
        let decoder = self.decoder.borrow();
        let input = u64::try_from(connection.input.borrow().len()).unwrap_or(u64::MAX);
        decoder.is_complete() || decoder.left().is_some_and(|left| left <= input)
    }

    /// Returns whether the application may still read the body.
    pub(super) fn has_reader(&self) -> bool {
        self.has_reader.get()
    }

    /// Sends `100 Continue` if the client waits for it and has not started to send the body.
    pub(super) fn release(&self, connection: &HttpConnection) {
        if self.is_held.take() && connection.input.borrow().is_empty() {
            connection.output.borrow_mut().extend_from_slice(b"HTTP/1.1 100 Continue\r\n\r\n");
        }
    }

    /// Reads and discards the rest of the body if it is small. Otherwise returns `false`, and the connection closes.
    // Boxed, because it is rare and would enlarge the state of every request.
    pub(super) fn discard<'a>(
        &'a self,
        connection: &'a HttpConnection,
        status: StatusCode,
    ) -> Pin<Box<dyn Future<Output = bool> + 'a>> {
        let is_large = self.decoder.borrow().left().is_some_and(|left| left > DISCARDED_BYTES);
        let is_hopeless = is_large
            || self.has_reader.get()
            || self.is_held.get()
            || self.is_begun.get()
            || connection.state.body_timed_out()
            || status == StatusCode::PAYLOAD_TOO_LARGE;
        let reading = async move {
            let mut read = 0;
            while let Some(piece) = poll_fn(|context| self.poll_piece(connection, context)).await {
                let Ok(bytes) = piece else { return false };
                read += u64::try_from(bytes.len()).unwrap_or(u64::MAX);
                if read > DISCARDED_BYTES {
                    return false;
                }
            }
            true
        };
        Box::pin(async move { !is_hopeless && timeout(DISCARDED_TIME, reading).await.unwrap_or(false) })
    }

    /// Discards all input that belongs to the body. The application can then no longer read the body. Returns whether
    /// the body is complete.
    pub(super) fn end(&self, connection: &HttpConnection) -> bool {
        let mut decoder = self.decoder.borrow_mut();
        while let Decoded::Data(_) = decoder.decode(&mut connection.input.borrow_mut()) {}
        let is_complete = decoder.is_complete();
        *decoder = BodyDecoder::Refused;
        is_complete
    }

    fn poll_piece(
        &self,
        connection: &HttpConnection,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, BodyError>>> {
        loop {
            let decoded = self.decoder.borrow_mut().decode(&mut connection.input.borrow_mut());
            match decoded {
                Decoded::Data(bytes) => {
                    connection.state.body_received(bytes.len());
                    return Poll::Ready(Some(Ok(bytes)));
                }
                Decoded::End => return Poll::Ready(None),
                Decoded::Refused => return Poll::Ready(Some(Err(BodyError::Incomplete))),
                Decoded::Nothing => match connection.poll_read(context) {
                    Poll::Ready(Ok(1..)) => {}
                    Poll::Ready(Ok(0) | Err(_)) => *self.decoder.borrow_mut() = BodyDecoder::Refused,
                    Poll::Pending => {
                        return match connection.state.await_body(context) {
                            Ok(()) => Poll::Pending,
                            Err(error) => Poll::Ready(Some(Err(error))),
                        };
                    }
                },
            }
        }
    }
}

/// A request body as a stream for the application.
struct RequestBodyStream(Rc<RequestBody>);

impl Stream for RequestBodyStream {
    type Item = Result<Bytes, BodyError>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let body = &self.0;
        let Some(connection) = body.connection.upgrade() else {
            return Poll::Ready(Some(Err(BodyError::Incomplete)));
        };
        if body.is_held.get() {
            body.release(&connection);
            // The task of the connection writes the rest, and also receives errors.
            let _ = connection.poll_flush(context);
        }
        let piece = body.poll_piece(&connection, context);
        if let Poll::Ready(Some(_)) = piece {
            body.is_begun.set(true);
        }
        piece
    }
}

impl Drop for RequestBodyStream {
    fn drop(&mut self) {
        self.0.has_reader.set(false);
    }
}
