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
        let (words, rest) = bytes.get(begin..)?.as_chunks::<8>();
        let mut position = begin;
        for word in words {
            let mut newlines = newlines(*word);
            while newlines != 0 {
                let newline = position + usize::try_from(newlines.trailing_zeros() / 8).unwrap_or_default();
                newlines &= newlines - 1;
                let end = self.begin_line(bytes, newline + 1);
                if end.is_some() {
                    return end;
                }
            }
            position += 8;
        }
        for byte in rest {
            position += 1;
            if *byte == b'\n' {
                let end = self.begin_line(bytes, position);
                if end.is_some() {
                    return end;
                }
            }
        }
        None
    }

    /// Reads what there is of a line behind the first one. Returns the end of the head if the line is empty.
    // Inlined, and the readers of fields are not, since it runs for each line of each head.
    #[inline]
    fn begin_line(&mut self, bytes: &[u8], begin: usize) -> Option<usize> {
        match bytes.get(begin..)? {
            [b'\n', ..] => return Some(begin + 1),
            [b'\r', _, ..] => return Some(begin + 2),
            [] => self.last = Last::Newline,
            [b'\r'] => self.last = Last::NewlineReturn,
            [b'h' | b'H', b'o' | b'O', b's' | b'S', b't' | b'T', b':', value @ ..] => self.read_host(value),
            // The ninth bytes of `Content-Length` and `Transfer-Encoding`, which few other fields have.
            line @ [_, _, _, _, _, _, _, _, b'l' | b'L' | b'-', ..] => self.fields.read(line),
            _ => {}
        }
        None
    }

    #[inline(never)]
    fn read_host(&mut self, text: &[u8]) {
        let behind = host_field::after_host(skip_blanks(text));
        let is_valid = behind.is_some_and(|behind| matches!(skip_blanks(behind), [b'\r' | b'\n', ..]));
        self.has_invalid_host |= !is_valid;
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
    #[inline(never)]
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

fn skip_blanks(mut text: &[u8]) -> &[u8] {
    while let [b' ' | b'\t', rest @ ..] = text {
        text = rest;
    }
    text
}

const ONES: u64 = u64::from_ne_bytes([1; 8]);
const LOW: u64 = ONES * 0x7f;

/// Returns the high bits of the bytes that are newlines.
fn newlines(word: [u8; 8]) -> u64 {
    // A byte of `other` is zero where there is a newline; the sum has the high bit of every byte that is not.
    let other = u64::from_le_bytes(word) ^ (ONES * 0x0a);
    !(((other & LOW) + LOW) | other | LOW)
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
        for places in 0..256_u32 {
            for other in [0, 0x0b, 0x09, 0x8a, 0xff, b'a'] {
                let word: [u8; 8] = std::array::from_fn(|place| if places >> place & 1 == 1 { b'\n' } else { other });
                let expected =
                    (0..8).filter(|place| places >> place & 1 == 1).fold(0, |bits, place| bits | 0x80 << (8 * place));
                assert_eq!(newlines(word), expected, "{word:x?}");
            }
        }
    }

    #[test]
    fn hosts() {
        for (host, is_valid) in [
            ("t", true),
            (" t:80 \t", true),
            ("", true),
            ("\t[::1]", true),
            ("a b", false),
            ("a\tb", false),
            ("a/", false),
        ] {
            for end in ["\r\n", "\n"] {
                let framing = scan(&[format!("GET / HTTP/1.1{end}hOst:{host}{end}{end}").as_bytes()]).1;
                assert_eq!(framing.is_some(), is_valid, "{host:?}");
            }
        }
    }
}
