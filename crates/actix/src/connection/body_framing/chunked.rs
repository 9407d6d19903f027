//! Decodes the chunked transfer coding (RFC 9112, section 7.1).

use bytes::{Buf, BytesMut};

use super::Decoded;

/// The number of framing bytes that a chunk may contain if it has no data. Each data byte allows two more framing
/// bytes. Further framing bytes count against [`EXCESS`].
const FREE_PER_CHUNK: u64 = 16;
/// The maximum number of excess framing bytes in one body. Excess bytes are the framing bytes beyond the number that a
/// chunk may contain.
const EXCESS: u64 = 16 * 1024;

/// A decoder for a chunked body.
///
/// The decoder drops extensions and trailers, rejects control characters in them, and limits the number of framing
/// bytes.
#[derive(Debug)]
pub(crate) struct ChunkedBody {
    part: ChunkPart,
    /// The number of data bytes of the current chunk that have not been decoded yet.
    left: u64,
    /// The sum of all chunk sizes that have been decoded so far.
    announced: u64,
    /// The number of framing bytes that the current chunk may still contain.
    free: u64,
    /// The number of excess framing bytes that the body may still contain.
    excess: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ChunkPart {
    SizeFirst,
    Size,
    SizeSpace,
    Extension,
    SizeLf,
    Data,
    DataCr,
    DataLf,
    TrailerFirst,
    TrailerName,
    TrailerValue,
    TrailerLf,
    EndLf,
    End,
}

impl Default for ChunkedBody {
    fn default() -> Self {
        Self { part: ChunkPart::SizeFirst, left: 0, announced: 0, free: FREE_PER_CHUNK, excess: EXCESS }
    }
}

impl ChunkedBody {
    /// Returns the sum of the chunk sizes so far, which is the minimum size of the body.
    pub(crate) fn announced(&self) -> u64 {
        self.announced
    }

    /// Returns whether the body is decoded to its end.
    pub(crate) fn is_complete(&self) -> bool {
        self.part == ChunkPart::End
    }

    /// Decodes the next framing bytes of the input, and the data that follows them.
    pub(crate) fn decode(&mut self, input: &mut BytesMut) -> Decoded {
        let mut framing = 0;
        for byte in input.iter() {
            if matches!(self.part, ChunkPart::Data | ChunkPart::End) {
                break;
            }
            let Some(next) = self.count().then(|| self.step(*byte)).flatten() else { return Decoded::Refused };
            self.part = next;
            framing += 1;
        }
        input.advance(framing);
        match self.part {
            ChunkPart::End => Decoded::End,
            ChunkPart::Data if !input.is_empty() => {
                let data = super::split_data(input, &mut self.left);
                if self.left == 0 {
                    self.part = ChunkPart::DataCr;
                }
                Decoded::Data(data)
            }
            _ => Decoded::Nothing,
        }
    }

    /// Counts one framing byte, and returns `false` if the body contains too many framing bytes.
    fn count(&mut self) -> bool {
        let from = if self.free > 0 { &mut self.free } else { &mut self.excess };
        let Some(left) = from.checked_sub(1) else { return false };
        *from = left;
        true
    }

    /// Returns the next state of the decoder after a framing byte, or `None` if the byte is invalid.
    fn step(&mut self, byte: u8) -> Option<ChunkPart> {
        let next = match (self.part, byte) {
            (ChunkPart::SizeFirst, _) => {
                self.left = hexadecimal(byte)?;
                ChunkPart::Size
            }
            (ChunkPart::Size | ChunkPart::SizeSpace | ChunkPart::Extension, b'\r') => ChunkPart::SizeLf,
            (ChunkPart::Size | ChunkPart::SizeSpace, b'\t' | b' ') => ChunkPart::SizeSpace,
            (ChunkPart::Size | ChunkPart::SizeSpace, b';') => ChunkPart::Extension,
            (ChunkPart::Size, _) => {
                self.left = self.left.checked_mul(16)?.checked_add(hexadecimal(byte)?)?;
                ChunkPart::Size
            }
            (ChunkPart::Extension, _) if is_text(byte) => ChunkPart::Extension,
            (ChunkPart::SizeLf, b'\n') if self.left == 0 => ChunkPart::TrailerFirst,
            (ChunkPart::SizeLf, b'\n') => {
                self.announced = self.announced.saturating_add(self.left);
                ChunkPart::Data
            }
            (ChunkPart::DataCr, b'\r') => ChunkPart::DataLf,
            (ChunkPart::DataLf, b'\n') => {
                self.free = FREE_PER_CHUNK;
                ChunkPart::SizeFirst
            }
            (ChunkPart::TrailerFirst, b'\r') => ChunkPart::EndLf,
            (ChunkPart::TrailerFirst | ChunkPart::TrailerName, _) if is_token(byte) => ChunkPart::TrailerName,
            (ChunkPart::TrailerName, b':') => ChunkPart::TrailerValue,
            (ChunkPart::TrailerValue, b'\r') => ChunkPart::TrailerLf,
            (ChunkPart::TrailerValue, _) if is_text(byte) => ChunkPart::TrailerValue,
            (ChunkPart::TrailerLf, b'\n') => ChunkPart::TrailerFirst,
            (ChunkPart::EndLf, b'\n') => ChunkPart::End,
            _ => return None,
        };
        if self.part == ChunkPart::Size && next != ChunkPart::Size {
            self.free = self.free.saturating_add(self.left.saturating_mul(2));
        }
        Some(next)
    }
}

fn hexadecimal(byte: u8) -> Option<u64> {
    char::from(byte).to_digit(16).map(u64::from)
}

/// Returns whether a byte may occur in a field name (RFC 9110, section 5.6.2).
fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

/// Returns whether a byte may occur in a chunk extension or in the value of a trailer field.
fn is_text(byte: u8) -> bool {
    byte == b'\t' || !byte.is_ascii_control()
}
