//! Sends streamed response bodies.

use std::future::poll_fn;
use std::io;
use std::task::{Poll, ready};

use bytes::{Bytes, BytesMut};
use restwright_runtime::core::http::{PayloadStream, Trailer};
use restwright_runtime::core::runtime::log;

use super::HttpConnection;
use super::http1::poll_gone;
use super::request_body::RequestBody;
use super::response_head::{ResponseFraming, write_chunk, write_field};

/// The size of the output buffer in bytes above which the response stream is not polled.
const OUTPUT_BYTES: usize = 32 * 1024;

/// Sends a streamed response body piece by piece. Each piece is sent before the next piece is awaited. The stream is
/// not polled while the client reads nothing.
///
/// # Errors
/// The client is gone, the stream fails, or it ends before its declared length. The connection must then close.
pub(super) async fn send_stream(
    connection: &HttpConnection,
    request_body: Option<&RequestBody>,
    mut pieces: PayloadStream,
    framing: ResponseFraming,
    trailer: Option<Trailer>,
) -> io::Result<()> {
    let mut has_ended = false;
    let mut left = match framing {
        ResponseFraming::Length(length) => Some(length),
        _ => None,
    };
    poll_fn(|context| {
        loop {
            ready!(connection.poll_flush(context))?;
            if has_ended {
                return Poll::Ready(Ok(()));
            }
            while connection.output.borrow().len() < OUTPUT_BYTES {
                if left == Some(0) {
                    has_ended = true;
                    break;
                }
                match pieces.as_mut().poll_next(context) {
                    Poll::Ready(Some(Ok(piece))) => write_piece(connection, piece, framing, &mut left),
                    Poll::Ready(Some(Err(error))) => {
                        // Sends the earlier pieces, as far as the client accepts them.
                        let _ = connection.poll_flush(context);
                        log(|| tracing::error!(%error, "the body of a response ended early"));
                        return Poll::Ready(Err(io::ErrorKind::Other.into()));
                    }
                    Poll::Ready(None) if left.is_some() => {
                        let _ = connection.poll_flush(context);
                        log(|| tracing::error!(?left, "the body of a response ended before its declared length"));
                        return Poll::Ready(Err(io::ErrorKind::Other.into()));
                    }
                    Poll::Ready(None) => {
                        if framing == ResponseFraming::Chunked {
                            write_end(trailer.as_ref(), &mut connection.output.borrow_mut());
                        }
                        has_ended = true;
                        break;
                    }
                    Poll::Pending => {
                        ready!(connection.poll_flush(context))?;
                        // The application may take long, and the last pieces may have been large.
                        connection.release_buffers();
                        return poll_gone(connection, request_body, context).map(Err);
                    }
                }
            }
        }
    })
    .await
}

/// Writes the last chunk, and the field that follows the body (RFC 9112, section 7.1.2).
fn write_end(trailer: Option<&Trailer>, output: &mut BytesMut) {
    output.extend_from_slice(b"0\r\n");
    if let Some((trailer, value)) = trailer.and_then(|trailer| Some((trailer, trailer.take()?))) {
        write_field(output, trailer.name().as_str(), value.as_bytes());
    }
    output.extend_from_slice(b"\r\n");
}

/// Writes a piece to the output buffer. `left` is the rest of the declared length.
fn write_piece(connection: &HttpConnection, mut piece: Bytes, framing: ResponseFraming, left: &mut Option<u64>) {
    let mut output = connection.output.borrow_mut();
    if let Some(left) = left {
        piece.truncate(usize::try_from(*left).unwrap_or(usize::MAX));
        *left = left.saturating_sub(u64::try_from(piece.len()).unwrap_or(u64::MAX));
    }
    if framing != ResponseFraming::Chunked {
        output.extend_from_slice(&piece);
    } else if !piece.is_empty() {
        // An empty chunk would end the body.
        write_chunk(&piece, &mut output);
    }
}
