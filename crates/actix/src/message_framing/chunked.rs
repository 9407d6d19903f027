//! The chunked transfer coding (RFC 9112, section 7.1).

/// The bytes of framing that a chunk has beside twice its data, without counting as excess.
const FREE_PER_CHUNK: u64 = 16;
/// The bytes of framing in excess that a body may have.
const EXCESS: u64 = 16 * 1024;

/// A chunked body while its bytes come.
///
/// It reads what actix-http reads, and is stricter about control characters in trailers. It counts the bytes of framing, which
/// actix-http takes without end.
#[derive(Debug)]
pub(super) struct ChunkedBody {
    part: Part,
    /// The data of the current chunk that is still to come.
    left: u64,
    /// The data of all chunks so far, as announced.
    announced: u64,
    /// The bytes of framing that the current chunk may still have.
    free: u64,
    /// The bytes of framing that the body may still have beyond those.
    excess: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    SizeFirst,
    Size,
    SizeSpace,
    Extension,
    SizeLf,
    Data,
    DataCr,
    DataLf,
    TrailerFirst,
    Trailer,
    TrailerLf,
    EndLf,
}

/// The meaning of the bytes up to some place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ChunkedEvent {
    /// The body has at least so many bytes of data.
    Announced(u64),
    End,
    /// The framing is wrong or too much, from this place on.
    Refused,
}

impl Default for ChunkedBody {
    fn default() -> Self {
        Self { part: Part::SizeFirst, left: 0, announced: 0, free: FREE_PER_CHUNK, excess: EXCESS }
    }
}

impl ChunkedBody {
    /// Scans the next bytes up to an event; returns how many belong to the body up to there.
    pub(super) fn scan(&mut self, bytes: &[u8]) -> (usize, Option<ChunkedEvent>) {
        let mut rest = bytes;
        let read = |rest: &[u8]| bytes.len() - rest.len();
        loop {
            if self.part == Part::Data {
                let data = rest.len().min(usize::try_from(self.left).unwrap_or(usize::MAX));
                self.left = self.left.saturating_sub(u64::try_from(data).unwrap_or(u64::MAX));
                rest = rest.get(data..).unwrap_or_default();
                if self.left == 0 {
                    self.part = Part::DataCr;
                }
            }
            let Some((byte, behind)) = rest.split_first() else { return (bytes.len(), None) };
            let Some((next, event)) = self.count().then(|| self.step(*byte)).flatten() else {
                return (read(rest), Some(ChunkedEvent::Refused));
            };
            self.part = next;
            rest = behind;
            if event.is_some() {
                return (read(rest), event);
            }
        }
    }

    /// Counts a byte of framing; returns false if it is one too many.
    fn count(&mut self) -> bool {
        let from = if self.free > 0 { &mut self.free } else { &mut self.excess };
        let Some(left) = from.checked_sub(1) else { return false };
        *from = left;
        true
    }

    /// Returns the part of the body behind a byte of framing; `None` if the byte is wrong.
    fn step(&mut self, byte: u8) -> Option<(Part, Option<ChunkedEvent>)> {
        let next = match (self.part, byte) {
            (Part::SizeFirst, _) => {
                self.left = hexadecimal(byte)?;
                Part::Size
            }
            (Part::Size | Part::SizeSpace | Part::Extension, b'\r') => Part::SizeLf,
            (Part::Size | Part::SizeSpace, b'\t' | b' ') => Part::SizeSpace,
            (Part::Size | Part::SizeSpace, b';') => Part::Extension,
            (Part::Size, _) => {
                self.left = self.left.checked_mul(16)?.checked_add(hexadecimal(byte)?)?;
                Part::Size
            }
            (Part::Extension, _) if is_text(byte) => Part::Extension,
            (Part::SizeLf, b'\n') if self.left == 0 => Part::TrailerFirst,
            (Part::SizeLf, b'\n') => {
                self.announced = self.announced.saturating_add(self.left);
                return Some((Part::Data, Some(ChunkedEvent::Announced(self.announced))));
            }
            (Part::DataCr, b'\r') => Part::DataLf,
            (Part::DataLf, b'\n') => {
                self.free = FREE_PER_CHUNK;
                Part::SizeFirst
            }
            (Part::TrailerFirst, b'\r') => Part::EndLf,
            (Part::Trailer, b'\r') => Part::TrailerLf,
            (Part::TrailerFirst | Part::Trailer, _) if is_text(byte) => Part::Trailer,
            (Part::TrailerLf, b'\n') => Part::TrailerFirst,
            (Part::EndLf, b'\n') => return Some((Part::EndLf, Some(ChunkedEvent::End))),
            _ => return None,
        };
        if self.part == Part::Size && next != Part::Size {
            self.free = self.free.saturating_add(self.left.saturating_mul(2));
        }
        Some((next, None))
    }
}

fn hexadecimal(byte: u8) -> Option<u64> {
    char::from(byte).to_digit(16).map(u64::from)
}

/// Returns whether a byte may stand in an extension or a trailer.
fn is_text(byte: u8) -> bool {
    byte == b'\t' || !byte.is_ascii_control()
}
