//! Sends streamed response bodies.

use std::future::poll_fn;
use std::io;
use std::task::{Poll, ready};

use bytes::Bytes;
use restwright_runtime::core::http::PayloadStream;
use restwright_runtime::core::runtime::log;

use crate::connection::Connection;
use crate::http1::poll_gone;
use crate::request_body::RequestBody;
use crate::response_head::write_chunk;

/// The size of the output buffer in bytes above which the response stream is not polled.
const OUTPUT_BYTES: usize = 32 * 1024;

/// Sends a streamed response body piece by piece. Each piece is sent before the next piece is awaited. The stream is
/// not polled while the client reads nothing.
pub(crate) async fn send_stream(
    connection: &Connection,
    request_body: Option<&RequestBody>,
    mut pieces: PayloadStream,
    is_chunked: bool,
) -> io::Result<()> {
    let mut has_ended = false;
    poll_fn(|context| {
        loop {
            ready!(connection.poll_flush(context))?;
            if has_ended {
                return Poll::Ready(Ok(()));
            }
            while connection.output.borrow().len() < OUTPUT_BYTES {
                match pieces.as_mut().poll_next(context) {
                    Poll::Ready(Some(Ok(piece))) => write_piece(connection, &piece, is_chunked),
                    Poll::Ready(Some(Err(error))) => {
                        // Sends the earlier pieces, as far as the client accepts them.
                        let _ = connection.poll_flush(context);
                        log(|| tracing::error!(%error, "the body of a response ended early"));
                        return Poll::Ready(Err(io::ErrorKind::Other.into()));
                    }
                    Poll::Ready(None) => {
                        if is_chunked {
                            connection.output.borrow_mut().extend_from_slice(b"0\r\n\r\n");
                        }
                        has_ended = true;
                        break;
                    }
                    Poll::Pending => {
                        ready!(connection.poll_flush(context))?;
                        return poll_gone(connection, request_body, context).map(Err);
                    }
                }
            }
        }
    })
    .await
}

fn write_piece(connection: &Connection, piece: &Bytes, is_chunked: bool) {
    let mut output = connection.output.borrow_mut();
    if !is_chunked {
        output.extend_from_slice(piece);
    } else if !piece.is_empty() {
        // An empty chunk would end the body.
        write_chunk(piece, &mut output);
    }
}
