//! The head of a request: its end, and the framing of the body behind it (RFC 9112, sections 2.1 and 6).

use super::Framing;
use crate::host_field;

/// A head while its bytes come.
///
/// It ends with the first empty line behind a line that is not empty; a line ends with LF, with or without CR before it, as for
/// httparse. What httparse refuses has no end that matters: the connection closes.
#[derive(Debug, Default)]
pub(super) struct RequestHead {
    last: Last,
    fields: FramingFields,
    has_invalid_host: bool,
}

/// The end of what has come of a head.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Last {
    /// Nothing, or empty lines in front of the request (RFC 9112, section 2.2).
    #[default]
    Nothing,
    Text,
    Newline,
    /// CR at the beginning of a line.
    NewlineReturn,
}

impl RequestHead {
    /// Scans the next bytes; returns how many of them belong to the head if it ends with them.
    pub(super) fn scan(&mut self, bytes: &[u8]) -> Option<usize> {
        let begin = match self.last {
            Last::Nothing => {
                let begin = bytes.iter().position(|byte| !matches!(byte, b'\r' | b'\n'))?;
                self.last = Last::Text;
                begin
            }
            last => {
                self.fields.lose();
                match (last, bytes.first()?) {
                    (Last::NewlineReturn, _) | (Last::Newline, b'\n') => return Some(1),
                    (Last::Newline, b'\r') if bytes.len() > 1 => return Some(2),
                    (Last::Newline, b'\r') => {
                        self.last = Last::NewlineReturn;
                        return None;
                    }
                    _ => 0,
                }
            }
        };
        self.last = Last::Text;
        for newline in Newlines::new(bytes.get(begin..)?) {
            let line = bytes.get(begin + newline + 1..).unwrap_or_default();
            match line {
                [] => self.last = Last::Newline,
                [b'\r'] => self.last = Last::NewlineReturn,
                [b'\n', ..] => return Some(begin + newline + 2),
                [b'\r', _, ..] => return Some(begin + newline + 3),
                [b'c' | b'C' | b't' | b'T', ..] => self.fields.read(line),
                [b'h' | b'H', ..] => {
                    self.has_invalid_host |= value_of(line, b"host:").is_some_and(|value| !host_field::is_valid(value));
                }
                _ => {}
            }
        }
        None
    }

    /// Returns the framing of the body; `None` if it takes actix-http to read the head, since it came in pieces or has unusual
    /// fields.
    pub(super) fn framing(&self) -> Option<Framing> {
        match self.fields {
            _ if self.has_invalid_host => None,
            FramingFields::None => Some(Framing::Absent),
            FramingFields::Length(0) => Some(Framing::Absent),
            FramingFields::Length(length) => Some(Framing::Length(length)),
            FramingFields::Chunked => Some(Framing::Chunked),
            FramingFields::Unclear => None,
        }
    }
}

/// The fields of a head that frame its body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum FramingFields {
    #[default]
    None,
    Length(u64),
    Chunked,
    /// Several of them, or values that need a closer look.
    Unclear,
}

impl FramingFields {
    fn lose(&mut self) {
        *self = Self::Unclear;
    }

    /// Reads a field from its beginning.
    fn read(&mut self, line: &[u8]) {
        let found = if let Some(value) = value_of(line, b"content-length:") {
            std::str::from_utf8(value).ok().and_then(|text| text.parse().ok()).map_or(Self::Unclear, Self::Length)
        } else if let Some(value) = value_of(line, b"transfer-encoding:") {
            if value.eq_ignore_ascii_case(b"chunked") { Self::Chunked } else { Self::Unclear }
        } else {
            return;
        };
        *self = if *self == Self::None { found } else { Self::Unclear };
    }
}

fn value_of<'l>(line: &'l [u8], name: &[u8]) -> Option<&'l [u8]> {
    let (start, value) = line.split_at_checked(name.len())?;
    if !start.eq_ignore_ascii_case(name) {
        return None;
    }
    let end = value.iter().position(|byte| *byte == b'\n')?;
    value.get(..end).map(<[u8]>::trim_ascii)
}

/// The positions of the newlines in a text, searched for in words of eight bytes.
struct Newlines<'b> {
    rest: &'b [u8],
    /// The position of `rest`.
    position: usize,
    /// The high bits of the newlines in the current word, which begins at `word`.
    found: u64,
    word: usize,
}

impl<'b> Newlines<'b> {
    fn new(bytes: &'b [u8]) -> Self {
        Self { rest: bytes, position: 0, found: 0, word: 0 }
    }
}

const ONES: u64 = u64::from_ne_bytes([1; 8]);
const LOW: u64 = ONES * 0x7f;

impl Iterator for Newlines<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        while self.found == 0 {
            self.word = self.position;
            let word = if let Some((word, rest)) = self.rest.split_first_chunk::<8>() {
                self.rest = rest;
                u64::from_le_bytes(*word)
            } else if self.rest.is_empty() {
                return None;
            } else {
                let mut word = [0; 8];
                word.iter_mut().zip(self.rest).for_each(|(to, from)| *to = *from);
                self.rest = &[];
                u64::from_le_bytes(word)
            };
            self.position += 8;
            // A byte of `other` is zero where there is a newline; the sum has the high bit of every byte that is not.
            let other = word ^ (ONES * 0x0a);
            self.found = !(((other & LOW) + LOW) | other | LOW);
        }
        let bit = self.found.trailing_zeros();
        self.found &= self.found - 1;
        Some(self.word + usize::try_from(bit / 8).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scan(pieces: &[&[u8]]) -> (Option<usize>, Option<Framing>) {
        let mut head = RequestHead::default();
        let mut before = 0;
        for piece in pieces {
            if let Some(end) = head.scan(piece) {
                return (Some(before + end), head.framing());
            }
            before += piece.len();
        }
        (None, head.framing())
    }

    #[test]
    fn a_head_in_one_piece() {
        for (text, framing) in [
            ("GET / HTTP/1.1\r\nHost: t\r\n\r\n", Some(Framing::Absent)),
            ("\r\n\nGET / HTTP/1.1\nHost: t\n\n", Some(Framing::Absent)),
            ("POST / HTTP/1.1\r\nContent-Length: 12\r\nHost: t\r\n\r\n", Some(Framing::Length(12))),
            ("POST / HTTP/1.1\r\ncOntent-lEngth:\t012  \r\n\r\n", Some(Framing::Length(12))),
            ("POST / HTTP/1.1\r\nContent-Length: 0\r\n\r\n", Some(Framing::Absent)),
            ("POST / HTTP/1.1\r\nContent-Length-: 9\r\nTe: chunked\r\n\r\n", Some(Framing::Absent)),
            ("POST / HTTP/1.1\r\nTransfer-Encoding: CHUNKED\r\n\r\n", Some(Framing::Chunked)),
            ("POST / HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", None),
            ("POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n", None),
            ("POST / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", None),
            ("GET / HTTP/1.1\r\nHost: a b\r\n\r\n", None),
            ("POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", None),
            ("POST / HTTP/1.1\r\nContent-Length: 18446744073709551616\r\n\r\n", None),
        ] {
            let behind = format!("{text}GET / HTTP/1.1\r\n\r\n");
            assert_eq!(scan(&[text.as_bytes()]), (Some(text.len()), framing), "{text:?}");
            assert_eq!(scan(&[behind.as_bytes()]), (Some(text.len()), framing), "{text:?}");
        }
    }

    #[test]
    fn a_head_in_pieces_ends_where_it_ends_in_one() {
        for text in
            ["\r\n\nGET / HTTP/1.1\r\nHost: t\r\n\r\nGET", "GET / HTTP/1.1\nHost: t\n\nGET", "GET /\r\nT:\r\n\n\n"]
        {
            let bytes = text.as_bytes();
            let (end, framing) = scan(&[bytes]);
            assert_eq!(framing, Some(Framing::Absent));
            assert!(end.is_some(), "{text:?}");
            for cut in 1..bytes.len() {
                let pieces: Vec<_> = [&bytes[..cut], &bytes[cut..]].into();
                assert_eq!(scan(&pieces).0, end, "{text:?} cut at {cut}");
            }
            let bytewise: Vec<_> = bytes.chunks(1).collect();
            assert_eq!(scan(&bytewise).0, end, "{text:?} byte by byte");
        }
    }

    #[test]
    fn newlines_are_found_at_every_place() {
        for length in 0..40_usize {
            for stride in [1, 2, 3, 7, 8, 9, 50] {
                let bytes: Vec<u8> =
                    (1..=length).map(|place| [b'\n', 0x0b, 0x8a][usize::min(place % stride, 2)]).collect();
                let expected: Vec<_> = (0..length).filter(|place| bytes[*place] == b'\n').collect();
                assert_eq!(Newlines::new(&bytes).collect::<Vec<_>>(), expected);
            }
        }
    }
}
