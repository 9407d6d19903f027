//! Decodes the framing of request bodies (RFC 9112, section 6).

mod chunked;

use actix_http::header::{CONTENT_LENGTH, HeaderMap, TRANSFER_ENCODING};
use bytes::{Bytes, BytesMut};

use chunked::ChunkedBody;

/// A decoder for a request body.
#[derive(Debug)]
pub(crate) enum BodyDecoder {
    /// A body with a `Content-Length`. The number is the count of bytes that have not arrived.
    Length(u64),
    /// A body with the chunked transfer coding.
    Chunked(ChunkedBody),
    /// The body is invalid, or the server no longer reads it.
    Refused,
}

/// The result of decoding the next bytes of a body.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Decoded {
    Data(Bytes),
    /// The input contains too few bytes to decode data. More bytes are needed.
    Nothing,
    End,
    /// The framing of the body is invalid or exceeds the limit.
    Refused,
}

impl BodyDecoder {
    /// Returns the decoder for a request body, or `None` if the request has no body. actix-http has already checked
    /// that the headers are consistent.
    pub(crate) fn from_headers(headers: &HeaderMap) -> Option<Self> {
        if headers.contains_key(TRANSFER_ENCODING) {
            return Some(Self::Chunked(ChunkedBody::default()));
        }
        let length: u64 = headers.get(CONTENT_LENGTH)?.to_str().ok()?.trim().parse().ok()?;
        Some(Self::Length(length))
    }

    /// Decodes the next bytes of the body.
    pub(crate) fn decode(&mut self, input: &mut BytesMut) -> Decoded {
        let decoded = match self {
            Self::Length(0) => Decoded::End,
            Self::Length(_) if input.is_empty() => Decoded::Nothing,
            Self::Length(left) => Decoded::Data(split_data(input, left)),
            Self::Chunked(body) => body.decode(input),
            Self::Refused => Decoded::Refused,
        };
        if decoded == Decoded::Refused {
            *self = Self::Refused;
        }
        decoded
    }

    /// Returns how many bytes of the body have not arrived, or `None` if the number is unknown.
    pub(crate) fn left(&self) -> Option<u64> {
        match self {
            Self::Length(left) => Some(*left),
            Self::Chunked(_) | Self::Refused => None,
        }
    }

    /// Returns the sum of the chunk sizes so far, which is the minimum size of a chunked body.
    pub(crate) fn announced(&self) -> u64 {
        match self {
            Self::Chunked(body) => body.announced(),
            Self::Length(_) | Self::Refused => 0,
        }
    }

    /// Returns whether the body is decoded to its end.
    pub(crate) fn is_complete(&self) -> bool {
        match self {
            Self::Length(left) => *left == 0,
            Self::Chunked(body) => body.is_complete(),
            Self::Refused => false,
        }
    }
}

/// Removes data from the front of the input and returns it. The argument `left` is the maximum number of bytes, and is
/// reduced by the number of returned bytes.
fn split_data(input: &mut BytesMut, left: &mut u64) -> Bytes {
    let length = input.len().min(usize::try_from(*left).unwrap_or(usize::MAX));
    *left = left.saturating_sub(u64::try_from(length).unwrap_or(u64::MAX));
    input.split_to(length).freeze()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Decodes a chunked body in pieces of `size` bytes. Returns the data, the final result of the decoder, and the
    /// bytes after the body.
    fn decode(text: &str, size: usize) -> (String, Decoded, String) {
        let mut decoder = BodyDecoder::Chunked(ChunkedBody::default());
        let (mut input, mut data) = (BytesMut::new(), Vec::new());
        let mut pieces = text.as_bytes().chunks(size);
        loop {
            match decoder.decode(&mut input) {
                Decoded::Data(bytes) => data.extend_from_slice(&bytes),
                Decoded::Nothing => match pieces.next() {
                    Some(piece) => input.extend_from_slice(piece),
                    None => return (String::from_utf8(data).unwrap(), Decoded::Nothing, String::new()),
                },
                end => {
                    pieces.for_each(|piece| input.extend_from_slice(piece));
                    assert_eq!(decoder.is_complete(), end == Decoded::End);
                    let rest = String::from_utf8(input.to_vec()).unwrap();
                    return (String::from_utf8(data).unwrap(), end, rest);
                }
            }
        }
    }

    #[test]
    fn a_chunked_body_is_the_same_in_whatever_pieces_it_comes() {
        for (text, data, end) in [
            ("3\r\nabc\r\n0\r\n\r\nGET /", "abc", Decoded::End),
            ("0\r\n\r\nGET /", "", Decoded::End),
            ("1;x=\"y\"\r\na\r\n00A \t;z\r\nbcdefghijk\r\n0\r\nT: u\r\nV:w\r\n\r\nGET /", "abcdefghijk", Decoded::End),
            ("3\r\nabc\r\n", "abc", Decoded::Nothing),
            ("3\r\nabcd", "abc", Decoded::Refused),
            ("3\nabc", "", Decoded::Refused),
            ("x", "", Decoded::Refused),
            ("-1\r\n", "", Decoded::Refused),
            ("0\r\nT: u\n\r\n", "", Decoded::Refused),
            ("0\r\nT\r\n\r\n", "", Decoded::Refused),
            ("0\r\n T: u\r\n\r\n", "", Decoded::Refused),
            ("0\r\nT : u\r\n\r\n", "", Decoded::Refused),
            ("0\r\n: u\r\n\r\n", "", Decoded::Refused),
            ("0\r\nT: u\r\n v\r\n\r\n", "", Decoded::Refused),
            ("1;\0\r\n", "", Decoded::Refused),
        ] {
            for size in 1..=text.len() {
                let decoded = decode(text, size);
                assert_eq!((&*decoded.0, &decoded.1), (data, &end), "{text:?} in pieces of {size}");
                if end == Decoded::End {
                    assert_eq!(decoded.2, "GET /", "{text:?} in pieces of {size}");
                }
            }
        }
    }

    #[test]
    fn a_sized_body_ends_after_its_bytes() {
        let mut decoder = BodyDecoder::Length(4);
        let mut input = BytesMut::from("ab");
        assert_eq!(decoder.decode(&mut input), Decoded::Data("ab".into()));
        assert_eq!((decoder.decode(&mut input), decoder.left()), (Decoded::Nothing, Some(2)));
        input.extend_from_slice(b"cdGET");
        assert_eq!(decoder.decode(&mut input), Decoded::Data("cd".into()));
        assert_eq!((decoder.decode(&mut input), &*input), (Decoded::End, &b"GET"[..]));
        assert!(decoder.is_complete());
    }
}
