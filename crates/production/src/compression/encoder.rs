//! Compresses response bodies, either completely or piece by piece while the client reads them.

use std::error::Error;
use std::io::{self, Write};
use std::pin::Pin;
use std::task::{Context, Poll};

use brotli::CompressorWriter;
use brotli::enc::BrotliEncoderParams;
use bytes::Bytes;
use flate2::write::GzEncoder;
use futures_core::Stream;
use restwright_runtime::core::http::{CoderMemory, PayloadStream};
use zstd::stream::raw::CParameter;
use zstd::stream::write::Encoder as ZstdEncoder;

use super::{CompressionLevel, ContentCoding};

/// The maximum number of bytes to compress without yielding. They need a few milliseconds.
pub(super) const STEP: usize = 64 * 1024;

/// The binary logarithm of the window size, 256 KiB. An encoder for a slow client holds a small multiple of the window in memory.
const WINDOW_LOG: u32 = 18;

/// The maximum memory of an encoder at the fastest level, in bytes. Every stream uses this level.
pub(super) const FASTEST_MEMORY: usize = 920 * 1024;
/// The maximum memory of an encoder at every level except the fastest, in bytes.
const MEMORY: usize = 2_360 * 1024;

fn encoder_memory(level: CompressionLevel) -> usize {
    if level == CompressionLevel::Fastest { FASTEST_MEMORY } else { MEMORY }
}

/// An encoder and its output buffer.
enum Encoder {
    Gzip(GzEncoder<Vec<u8>>),
    Brotli(Box<CompressorWriter<Vec<u8>>>),
    Zstd(ZstdEncoder<'static, Vec<u8>>),
}

impl Encoder {
    /// Creates an encoder for a body of `size` bytes. `None` means that the size is unknown.
    fn new(coding: ContentCoding, level: CompressionLevel, size: Option<usize>) -> io::Result<Self> {
        let by_level = |fastest, balanced, smallest| match level {
            CompressionLevel::Fastest => fastest,
            CompressionLevel::Balanced => balanced,
            CompressionLevel::Smallest => smallest,
        };
        Ok(match coding {
            ContentCoding::Gzip => {
                let level = flate2::Compression::new(by_level(1, 6, 9));
                Self::Gzip(GzEncoder::new(Vec::new(), level))
            }
            ContentCoding::Brotli => {
                let parameters = BrotliEncoderParams {
                    quality: by_level(1, 4, 6).cast_signed(),
                    lgwin: WINDOW_LOG.cast_signed(),
                    size_hint: size.unwrap_or(0),
                    ..BrotliEncoderParams::default()
                };
                Self::Brotli(Box::new(CompressorWriter::with_params(Vec::new(), 4096, &parameters)))
            }
            ContentCoding::Zstd => {
                let mut encoder = ZstdEncoder::new(Vec::new(), by_level(1, 3, 6).cast_signed())?;
                encoder.set_parameter(CParameter::WindowLog(WINDOW_LOG))?;
                encoder.set_pledged_src_size(size.and_then(|size| u64::try_from(size).ok()))?;
                Self::Zstd(encoder)
            }
        })
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Gzip(encoder) => encoder.write_all(bytes),
            Self::Brotli(encoder) => encoder.write_all(bytes),
            Self::Zstd(encoder) => encoder.write_all(bytes),
        }
    }

    /// Flushes the encoder and returns its output. The client can then decode all input so far.
    fn flush(&mut self) -> io::Result<Vec<u8>> {
        match self {
            Self::Gzip(encoder) => encoder.flush()?,
            Self::Brotli(encoder) => encoder.flush()?,
            Self::Zstd(encoder) => encoder.flush()?,
        }
        Ok(std::mem::take(match self {
            Self::Gzip(encoder) => encoder.get_mut(),
            Self::Brotli(encoder) => encoder.get_mut(),
            Self::Zstd(encoder) => encoder.get_mut(),
        }))
    }

    fn finish(self) -> io::Result<Vec<u8>> {
        match self {
            Self::Gzip(encoder) => encoder.finish(),
            Self::Brotli(encoder) => Ok(encoder.into_inner()),
            Self::Zstd(encoder) => encoder.finish(),
        }
    }
}

/// Compresses a complete body without yielding.
pub(super) fn compress(coding: ContentCoding, level: CompressionLevel, bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = Encoder::new(coding, level, Some(bytes.len()))?;
    encoder.write(bytes)?;
    encoder.finish()
}

/// A payload that is compressed as it is read. It flushes its output before it waits for the next piece.
pub(super) struct CompressedStream {
    coding: ContentCoding,
    level: CompressionLevel,
    size: Option<usize>,
    /// The pieces of the payload that are not read yet. `None` after the last piece.
    pieces: Option<PayloadStream>,
    /// The rest of the current piece, which is not compressed yet.
    piece: Bytes,
    /// The encoder, which is created when the client starts to read.
    encoder: Option<Encoder>,
    memory: CoderMemory,
    unflushed: usize,
    /// `true` if the next poll yields to other connections of the worker, because [`STEP`] bytes have been compressed.
    yields: bool,
    /// The error that the stream returns after the pending output.
    failure: Option<Box<dyn Error>>,
}

impl CompressedStream {
    /// Compresses a stream at the fastest level, which needs the least memory. The encoder uses the memory until the
    /// client has read everything.
    pub(super) fn of_pieces(coding: ContentCoding, pieces: PayloadStream, memory: CoderMemory) -> Self {
        memory.set(FASTEST_MEMORY);
        Self::new(coding, CompressionLevel::Fastest, None, pieces, memory)
    }

    /// Compresses an in-memory body while the client reads it.
    pub(super) fn of_bytes(coding: ContentCoding, level: CompressionLevel, bytes: Bytes, memory: CoderMemory) -> Self {
        // Counted from the start, so further requests wait while too many bodies are in memory.
        memory.set(encoder_memory(level) + bytes.len());
        Self::new(coding, level, Some(bytes.len()), Box::pin(InMemory(bytes)), memory)
    }

    fn new(
        coding: ContentCoding,
        level: CompressionLevel,
        size: Option<usize>,
        pieces: PayloadStream,
        memory: CoderMemory,
    ) -> Self {
        Self {
            coding,
            level,
            size,
            pieces: Some(pieces),
            piece: Bytes::new(),
            encoder: None,
            memory,
            unflushed: 0,
            yields: false,
            failure: None,
        }
    }

    fn encoder(&mut self) -> io::Result<&mut Encoder> {
        match &mut self.encoder {
            Some(encoder) => Ok(encoder),
            none => {
                self.memory.set(encoder_memory(self.level) + self.size.unwrap_or(0));
                Ok(none.insert(Encoder::new(self.coding, self.level, self.size)?))
            }
        }
    }

    /// Compresses the current piece until `STEP` bytes have been compressed since the last flush. Returns `true` if
    /// this limit is reached.
    fn fill_step(&mut self) -> io::Result<bool> {
        let part = self.piece.split_to(self.piece.len().min(STEP.saturating_sub(self.unflushed)));
        self.encoder()?.write(&part)?;
        self.unflushed += part.len();
        Ok(self.unflushed >= STEP)
    }

    fn flush(&mut self) -> Poll<Option<io::Result<Bytes>>> {
        self.unflushed = 0;
        Poll::Ready(Some(self.encoder().and_then(Encoder::flush).map(Bytes::from)))
    }

    fn finish(&mut self) -> io::Result<Bytes> {
        self.encoder()?;
        let finished = self.encoder.take().map_or(Ok(Vec::new()), Encoder::finish).map(Bytes::from);
        self.memory.set(0);
        finished
    }
}

impl Stream for CompressedStream {
    type Item = Result<Bytes, Box<dyn Error>>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        if std::mem::take(&mut this.yields) {
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        loop {
            if !this.piece.is_empty() {
                match this.fill_step() {
                    Ok(true) => {
                        this.yields = true;
                        return this.flush().map_err(Into::into);
                    }
                    Ok(false) => {}
                    Err(error) => return Poll::Ready(Some(Err(error.into()))),
                }
                continue;
            }
            let Some(pieces) = &mut this.pieces else { return Poll::Ready(this.failure.take().map(Err)) };
            match pieces.as_mut().poll_next(context) {
                Poll::Ready(Some(Ok(piece))) => this.piece = piece,
                Poll::Ready(Some(Err(error))) => {
                    this.pieces = None;
                    this.failure = Some(error);
                    if this.unflushed > 0 {
                        this.yields = true;
                        return this.flush().map_err(Into::into);
                    }
                }
                Poll::Ready(None) => {
                    this.pieces = None;
                    return Poll::Ready(Some(this.finish().map_err(Into::into)));
                }
                Poll::Pending if this.unflushed > 0 => return this.flush().map_err(Into::into),
                Poll::Pending => return Poll::Pending,
            }
        }
    }
}

/// A body in memory, as a stream.
struct InMemory(Bytes);

impl Stream for InMemory {
    type Item = Result<Bytes, Box<dyn Error>>;

    fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let bytes = std::mem::take(&mut self.0);
        Poll::Ready((!bytes.is_empty()).then_some(Ok(bytes)))
    }
}
