//! Reads JSON strings (RFC 8259, section 7).

use std::borrow::Cow;

use super::JsonTokenizer;

impl<'t> JsonTokenizer<'t> {
    /// Reads a string, starting after its opening quote.
    #[inline]
    pub(super) fn string(&mut self) -> Option<Cow<'t, str>> {
        let start = self.position;
        let rest = self.text.as_bytes().get(start..)?;
        let length = plain_length(rest);
        let end = start + length;
        self.position = end + 1;
        match rest.get(length)? {
            b'"' => self.text.get(start..end).map(Cow::Borrowed),
            b'\\' => self.unescaped(start).map(Cow::Owned),
            _ => None,
        }
    }

    /// Reads the rest of a string, starting after its first backslash.
    #[cold]
    fn unescaped(&mut self, start: usize) -> Option<String> {
        let mut text = self.text.get(start..self.position - 1)?.to_owned();
        loop {
            text.push(self.escaped()?);
            if !matches!(self.text.as_bytes().get(self.position)?, b'\\' | b'"') {
                text.push_str(self.plain()?);
            }
            match self.take_byte()? {
                b'"' => return Some(text),
                b'\\' => {}
                _ => return None,
            }
        }
    }

    /// Reads the characters before the next quote, backslash, control character or end of the text.
    fn plain(&mut self) -> Option<&'t str> {
        let start = self.position;
        self.position += plain_length(self.text.as_bytes().get(start..)?);
        self.text.get(start..self.position)
    }

    fn escaped(&mut self) -> Option<char> {
        Some(match self.take_byte()? {
            b'n' => '\n',
            b'u' => return self.code_point(),
            b't' => '\t',
            b'r' => '\r',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            same @ (b'"' | b'\\' | b'/') => char::from(same),
            _ => return None,
        })
    }

    /// Reads the digits of `\uXXXX`, and a second `\uXXXX` if both form a surrogate pair. Returns `None` for a single
    /// surrogate.
    fn code_point(&mut self) -> Option<char> {
        let first = self.four_digits()?;
        if !(0xD800..0xDC00).contains(&first) {
            return char::from_u32(first);
        }
        let follows = self.take_byte()? == b'\\' && self.take_byte()? == b'u';
        let second = self.four_digits().filter(|second| follows && (0xDC00..0xE000).contains(second))?;
        char::from_u32(0x1_0000 + ((first - 0xD800) << 10) + (second - 0xDC00))
    }

    fn four_digits(&mut self) -> Option<u32> {
        let digits = self.text.as_bytes().get(self.position..self.position + 4)?;
        self.position += 4;
        digits.iter().try_fold(0, |value, digit| Some(value * 16 + char::from(*digit).to_digit(16)?))
    }

    fn take_byte(&mut self) -> Option<u8> {
        let byte = *self.text.as_bytes().get(self.position)?;
        self.position += 1;
        Some(byte)
    }
}

/// Counts the bytes before the first quote, backslash or control character, eight at a time.
#[inline]
fn plain_length(bytes: &[u8]) -> usize {
    const ONES: u64 = u64::MAX / 255;
    let mut length = 0;
    for eight in bytes.chunks_exact(8) {
        let eight = eight.try_into().map_or(0, u64::from_le_bytes);
        // Sets the highest bit of each byte below a bound. It is reliable up to the first such byte.
        let below = |bytes: u64, bound: u8| bytes.wrapping_sub(ONES * u64::from(bound)) & !bytes;
        let is = |byte: u8| below(eight ^ (ONES * u64::from(byte)), 1);
        let found = (below(eight, b' ') | is(b'"') | is(b'\\')) & (ONES << 7);
        if found != 0 {
            return length + usize::try_from(found.trailing_zeros() / 8).unwrap_or_default();
        }
        length += 8;
    }
    let rest = bytes.get(length..).unwrap_or_default();
    length + rest.iter().take_while(|byte| !matches!(byte, b'"' | b'\\' | 0..b' ')).count()
}
