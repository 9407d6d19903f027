//! Decodes request bodies that have a `Content-Encoding`.

use std::cell::RefCell;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::{Buf, Bytes};
use flate2::{Decompress, FlushDecompress, Status};
use futures_core::Stream;
use restwright_runtime::core::http::{BodyError, BodyPieces, CoderMemory};
use zstd::zstd_safe::{DCtx, DParameter, InBuffer, OutBuffer, ResetDirective, get_error_name};

use super::ContentCoding;

/// The content codings that the server decodes in requests, as a value of `Accept-Encoding`.
pub(super) const DECODED: &str = "gzip, zstd";

/// The size of the output buffer of a decoder, in bytes.
const OUTPUT: usize = 16 * 1024;

/// The number of decoded bytes after which the decoder yields to other connections of the worker.
const TURN: usize = 64 * 1024;

/// The binary logarithm of the largest Zstandard window, 8 MiB (RFC 9659).
const WINDOW_LOG: u32 = 23;

/// The memory that a gzip decoder uses for its window and state, in bytes.
const GZIP_MEMORY: usize = 48 * 1024;

/// A function that wraps a body in a decoder. `CoderMemory` counts the decoder's memory while the server waits for the
/// client.
type Decode = dyn FnOnce(BodyPieces, CoderMemory) -> BodyPieces;

/// Returns the decoder for a request's `Content-Encoding` lines, or `None` if the body has no coding.
///
/// An unsupported coding fails when the body is read. A caller without access is therefore rejected first.
pub(super) fn decode(lines: &[Vec<u8>]) -> Option<Box<Decode>> {
    let names = lines.iter().flat_map(|line| line.split(|byte| *byte == b','));
    let mut names = names.map(<[u8]>::trim_ascii).filter(|name| !name.is_empty());
    let name = names.next()?;
    let is_alone = names.next().is_none();
    if is_alone && name.eq_ignore_ascii_case(b"identity") {
        return None;
    }
    let coding = std::str::from_utf8(name).ok().filter(|_| is_alone).and_then(ContentCoding::from_name);
    let decoder = match coding {
        Some(ContentCoding::Gzip) => Some(Decoder::gzip()),
        Some(ContentCoding::Zstd) => Decoder::zstd(),
        Some(ContentCoding::Brotli) | None => None,
    };
    Some(match decoder {
        Some(decoder) => Box::new(|pieces, memory| Box::pin(DecodedStream::new(decoder, pieces, memory))),
        None => Box::new(|_, _| Box::pin(Unsupported)),
    })
}

/// A stream that returns the error for an unsupported content coding.
struct Unsupported;

impl Stream for Unsupported {
    type Item = Result<Bytes, BodyError>;

    fn poll_next(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        Poll::Ready(Some(Err(BodyError::UnsupportedCoding { supported: DECODED })))
    }
}

enum Decoder {
    Gzip(Box<Decompress>),
    Zstd(ZstdContext),
}

/// The number of bytes that the decoder read and wrote in one call.
struct DecodeProgress {
    read: usize,
    written: usize,
    /// True at the end of a gzip member or Zstandard frame. Another member or frame may follow.
    is_end: bool,
}

impl Decoder {
    fn gzip() -> Self {
        Self::Gzip(Box::new(Decompress::new_gzip(15)))
    }

    fn zstd() -> Option<Self> {
        Some(Self::Zstd(ZstdContext::take()?))
    }

    /// Decodes bytes from `input` into `output`. Returns an error message for the client if the data is invalid.
    fn decode(&mut self, input: &[u8], output: &mut [u8]) -> Result<DecodeProgress, &'static str> {
        match self {
            Self::Gzip(decoder) => {
                let (read, written) = (decoder.total_in(), decoder.total_out());
                let status = decoder.decompress(input, output, FlushDecompress::None);
                let status = status.map_err(|_invalid| "The body is not valid gzip.")?;
                let since = |now: u64, before: u64| usize::try_from(now.saturating_sub(before)).unwrap_or(usize::MAX);
                let (read, written) = (since(decoder.total_in(), read), since(decoder.total_out(), written));
                let is_end = status == Status::StreamEnd;
                if is_end {
                    decoder.reset(true);
                }
                Ok(DecodeProgress { read, written, is_end })
            }
            Self::Zstd(decoder) => {
                let (mut input, mut output) = (InBuffer::around(input), OutBuffer::around(output));
                let remaining = decoder.get()?.decompress_stream(&mut output, &mut input).map_err(|code| {
                    if get_error_name(code).contains("too much memory") {
                        "The Zstandard body has a window of more than 8 MiB (RFC 9659)."
                    } else {
                        "The body is not valid Zstandard."
                    }
                })?;
                Ok(DecodeProgress { read: input.pos(), written: output.pos(), is_end: remaining == 0 })
            }
        }
    }

    /// Returns the memory of the decoder in bytes, including allocator overhead.
    fn memory(&self) -> usize {
        match self {
            Self::Gzip(_) => GZIP_MEMORY,
            // Allocating and freeing blocks of this size fragments the heap, so the size counts twice.
            Self::Zstd(decoder) => decoder.0.as_ref().map_or(0, |context| 2 * context.sizeof()),
        }
    }

    fn truncated(&self) -> &'static str {
        match self {
            Self::Gzip(_) => "The gzip body is incomplete.",
            Self::Zstd(_) => "The Zstandard body is incomplete.",
        }
    }
}

/// The state of a Zstandard decoder, including its window.
///
/// While other contexts are in use, a dropped context is kept for the next decoder of the thread. Allocating and
/// freeing windows of 8 MiB would fragment the heap.
struct ZstdContext(Option<DCtx<'static>>);

#[derive(Default)]
struct ZstdContexts {
    in_use: usize,
    spare: Option<DCtx<'static>>,
}

thread_local! {
    static ZSTD_CONTEXTS: RefCell<ZstdContexts> = RefCell::default();
}

impl ZstdContext {
    fn take() -> Option<Self> {
        ZSTD_CONTEXTS.with_borrow_mut(|contexts| {
            let mut context = contexts.spare.take().or_else(DCtx::try_create)?;
            context.reset(ResetDirective::SessionAndParameters).ok()?;
            context.set_parameter(DParameter::WindowLogMax(WINDOW_LOG)).ok()?;
            contexts.in_use += 1;
            Some(Self(Some(context)))
        })
    }

    fn get(&mut self) -> Result<&mut DCtx<'static>, &'static str> {
        self.0.as_mut().ok_or("The body cannot be decoded.")
    }
}

impl Drop for ZstdContext {
    fn drop(&mut self) {
        ZSTD_CONTEXTS.with_borrow_mut(|contexts| {
            contexts.in_use = contexts.in_use.saturating_sub(1);
            contexts.spare = self.0.take().filter(|_| contexts.in_use > 0);
        });
    }
}

/// A body that is decoded as it is read. It reads at most one piece ahead.
struct DecodedStream {
    pieces: BodyPieces,
    decoder: Decoder,
    memory: CoderMemory,
    /// The rest of the current piece, which is not decoded yet.
    input: Bytes,
    output: Vec<u8>,
    /// True if the decoder may have more output for the input it has read.
    has_more: bool,
    is_whole: bool,
    /// The number of bytes decoded since the stream last yielded.
    decoded: usize,
}

impl DecodedStream {
    fn new(decoder: Decoder, pieces: BodyPieces, memory: CoderMemory) -> Self {
        Self {
            pieces,
            decoder,
            memory,
            input: Bytes::new(),
            output: Vec::new(),
            has_more: false,
            // An empty body is complete.
            is_whole: true,
            decoded: 0,
        }
    }

    /// Decodes the available input into at most one output buffer. Returns `None` if the input produces no output.
    fn decode(&mut self) -> Result<Option<Bytes>, &'static str> {
        while self.has_more || !self.input.is_empty() {
            self.output.resize(OUTPUT, 0);
            let decoded = self.decoder.decode(&self.input, &mut self.output)?;
            self.input.advance(decoded.read);
            self.is_whole = decoded.is_end;
            self.has_more = decoded.written == OUTPUT && !decoded.is_end;
            if decoded.written > 0 {
                let bytes = self.output.get(..decoded.written).unwrap_or_default();
                return Ok(Some(Bytes::copy_from_slice(bytes)));
            }
            if decoded.read == 0 && !self.input.is_empty() {
                return Err("The body cannot be decoded.");
            }
        }
        Ok(None)
    }
}

impl Stream for DecodedStream {
    type Item = Result<Bytes, BodyError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        if this.decoded >= TURN {
            this.decoded = 0;
            this.memory.set(this.decoder.memory() + this.output.capacity());
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        loop {
            match this.decode() {
                Ok(Some(bytes)) => {
                    this.decoded += bytes.len();
                    return Poll::Ready(Some(Ok(bytes)));
                }
                Ok(None) => {}
                Err(sentence) => return Poll::Ready(Some(Err(BodyError::Undecodable(sentence)))),
            }
            this.memory.set(this.decoder.memory() + this.output.capacity());
            match ready!(this.pieces.as_mut().poll_next(context)) {
                Some(Ok(piece)) => this.input = piece,
                Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                None if this.is_whole => return Poll::Ready(None),
                None => return Poll::Ready(Some(Err(BodyError::Undecodable(this.decoder.truncated())))),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::task::Waker;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    #[test]
    fn other_connections_get_a_turn_every_64_kib() {
        let bytes = vec![0; 16 * 1024 * 1024];
        let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
        gzip.write_all(&bytes).unwrap();
        for (decoder, body) in [
            (Decoder::gzip(), gzip.finish().unwrap()),
            (Decoder::zstd().unwrap(), zstd::stream::encode_all(&*bytes, 3).unwrap()),
        ] {
            let pieces: BodyPieces = Box::pin(OnePiece(Some(body.into())));
            let mut stream = std::pin::pin!(DecodedStream::new(decoder, pieces, CoderMemory::default()));
            let (mut total, mut since_turn, mut turns) = (0, 0, 0);
            let mut context = Context::from_waker(Waker::noop());
            loop {
                match stream.as_mut().poll_next(&mut context) {
                    Poll::Ready(Some(piece)) => {
                        let length = piece.unwrap().len();
                        total += length;
                        since_turn += length;
                        assert!(since_turn <= TURN, "{since_turn} bytes without a turn");
                    }
                    Poll::Ready(None) => break,
                    Poll::Pending => (since_turn, turns) = (0, turns + 1),
                }
            }
            assert_eq!((total, turns), (bytes.len(), bytes.len() / TURN));
        }
    }

    /// A request body as a stream with one piece.
    struct OnePiece(Option<Bytes>);

    impl Stream for OnePiece {
        type Item = Result<Bytes, BodyError>;

        fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Self::Item>> {
            Poll::Ready(self.0.take().map(Ok))
        }
    }
}
