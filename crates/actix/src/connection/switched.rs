//! Defines [`SwitchedConnection`], the byte stream of a connection after a 101 response.

use std::io;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::HttpConnection;

/// A connection that has switched to another protocol. Reads start with the bytes that followed the request head. Reads
/// and writes fail after the client has read nothing for too long.
pub(super) struct SwitchedConnection(pub(super) Rc<HttpConnection>);

impl AsyncRead for SwitchedConnection {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let connection = &self.0;
        if connection.input.borrow().is_empty() && ready!(connection.poll_read(context))? == 0 {
            return Poll::Ready(Ok(()));
        }
        {
            let mut input = connection.input.borrow_mut();
            let length = input.len().min(buffer.remaining());
            buffer.put_slice(&input.split_to(length));
        }
        connection.release_buffers();
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for SwitchedConnection {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.0.poll_write_some(bytes, context)
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.0.poll_shutdown(context)
    }
}
