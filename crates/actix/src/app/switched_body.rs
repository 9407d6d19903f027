//! Runs another protocol after a 101 response, inside an actix-web `App`.

use std::cell::RefCell;
use std::error::Error;
use std::io;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use actix_http::Payload;
use actix_http::body::{BodySize, MessageBody};
use bytes::{Buf, Bytes, BytesMut};
use futures_core::Stream;
use restwright_runtime::core::http::{Upgrade, Upgraded};
use restwright_runtime::core::runtime::MemoryShare;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// The size of the output buffer in bytes above which the protocol waits.
const OUTPUT_BYTES: usize = 16 * 1024;

/// The body of a 101 response. actix-http sends what the protocol writes, and drops the body when the connection ends.
///
/// The protocol is a separate task, so it can end by itself after the connection has ended.
pub(super) struct SwitchedBody(Rc<RefCell<SharedBodyState>>);

/// The state that the body and the protocol share.
#[derive(Default)]
struct SharedBodyState {
    /// The bytes that the protocol has written and actix-http has not taken yet.
    output: BytesMut,
    has_ended: bool,
    is_closed: bool,
    /// The task that waits for bytes to send.
    body: Option<Waker>,
    /// The tasks of the protocol.
    reader: Option<Waker>,
    writer: Option<Waker>,
}

/// The byte stream of the protocol. It reads the payload of the request, which actix-http does not end.
struct SwitchedPayload {
    payload: Payload,
    input: Bytes,
    shared: Rc<RefCell<SharedBodyState>>,
}

impl SwitchedBody {
    /// Starts the protocol on the current worker thread.
    pub(super) fn new(upgrade: Upgrade, payload: Payload, memory: Rc<MemoryShare>) -> Self {
        let shared = Rc::<RefCell<SharedBodyState>>::default();
        let stream = SwitchedPayload { payload, input: Bytes::new(), shared: shared.clone() };
        tokio::task::spawn_local(upgrade.run(Upgraded::new(stream, memory)));
        Self(shared)
    }
}

impl MessageBody for SwitchedBody {
    type Error = Box<dyn Error>;

    fn size(&self) -> BodySize {
        BodySize::Stream
    }

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Bytes, Self::Error>>> {
        let mut shared = self.0.borrow_mut();
        if !shared.output.is_empty() {
            wake(&mut shared.writer);
            return Poll::Ready(Some(Ok(shared.output.split().freeze())));
        }
        if shared.has_ended {
            return Poll::Ready(None);
        }
        shared.body = Some(context.waker().clone());
        Poll::Pending
    }
}

impl Drop for SwitchedBody {
    fn drop(&mut self) {
        let mut shared = self.0.borrow_mut();
        shared.is_closed = true;
        wake(&mut shared.reader);
        wake(&mut shared.writer);
    }
}

impl Drop for SwitchedPayload {
    fn drop(&mut self) {
        let mut shared = self.shared.borrow_mut();
        shared.has_ended = true;
        wake(&mut shared.body);
    }
}

impl AsyncRead for SwitchedPayload {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        while this.input.is_empty() {
            if this.shared.borrow().is_closed {
                return Poll::Ready(Ok(()));
            }
            match Pin::new(&mut this.payload).poll_next(context) {
                Poll::Ready(Some(Ok(bytes))) => this.input = bytes,
                Poll::Ready(Some(Err(_))) => return Poll::Ready(Err(io::ErrorKind::ConnectionReset.into())),
                Poll::Ready(None) => return Poll::Ready(Ok(())),
                Poll::Pending => {
                    this.shared.borrow_mut().reader = Some(context.waker().clone());
                    return Poll::Pending;
                }
            }
        }
        let length = this.input.len().min(buffer.remaining());
        buffer.put_slice(this.input.get(..length).unwrap_or_default());
        this.input.advance(length);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for SwitchedPayload {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let mut shared = self.shared.borrow_mut();
        if shared.is_closed {
            return Poll::Ready(Err(io::ErrorKind::BrokenPipe.into()));
        }
        let room = OUTPUT_BYTES.saturating_sub(shared.output.len());
        if room == 0 {
            shared.writer = Some(context.waker().clone());
            return Poll::Pending;
        }
        let written = bytes.get(..room).unwrap_or(bytes);
        shared.output.extend_from_slice(written);
        wake(&mut shared.body);
        Poll::Ready(Ok(written.len()))
    }

    /// Waits until actix-http has taken the bytes.
    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut shared = self.shared.borrow_mut();
        if shared.output.is_empty() || shared.is_closed {
            return Poll::Ready(Ok(()));
        }
        shared.writer = Some(context.waker().clone());
        Poll::Pending
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_flush(context)
    }
}

fn wake(waker: &mut Option<Waker>) {
    if let Some(waker) = waker.take() {
        waker.wake();
    }
}
