//! Defines [`JsonTokenizer`], a tokenizer for JSON (RFC 8259).
//!
//! Both reads of a body use this tokenizer. It accepts the JSON that serde_json accepts, with the same maximum depth. It
//! also accepts numbers beyond the range of doubles. The error message for invalid JSON comes from serde_json.

use std::borrow::Cow;

use crate::decimal::Decimal;
use crate::number::Number;
use crate::steps;

mod string;

/// A tokenizer for a JSON text. Its methods return `None` if the text is not JSON. Do not call them again after that.
#[derive(Debug)]
pub(crate) struct JsonTokenizer<'t> {
    text: &'t str,
    position: usize,
    /// The number of open arrays and objects.
    depth: u8,
}

/// The first token of a JSON value. It is a complete scalar, or the opening of an array or object.
#[derive(Debug)]
pub(crate) enum JsonToken<'t> {
    Null,
    Boolean(bool),
    Number(NumberToken<'t>),
    /// A string. It borrows from the text unless it contains escapes.
    Text(Cow<'t, str>),
    Array,
    Object,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum NumberToken<'t> {
    /// A 64-bit integer that is written without a fraction or an exponent. `-0` is a `Decimal`, because only a double
    /// keeps its sign.
    Integer(Number),
    Decimal(Decimal<'t>),
}

/// The maximum nesting depth of arrays and objects, which equals the limit of serde_json.
const DEEPEST: u8 = 127;

impl<'t> JsonTokenizer<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        steps::count(text.len());
        Self { text, position: 0, depth: 0 }
    }

    /// Creates a reader of a JSON text that is a value inside of `depth` arrays and objects.
    pub(crate) fn inside(text: &'t str, depth: usize) -> Self {
        Self { depth: u8::try_from(depth).map_or(DEEPEST, |depth| depth.min(DEEPEST)), ..Self::new(text) }
    }

    /// Skips the next value. Returns `None` if it is not JSON. The recursion is bounded by the maximum depth.
    pub(crate) fn skip(&mut self) -> Option<()> {
        let mut is_first = true;
        match self.token()? {
            JsonToken::Array => {
                while self.next_item(std::mem::take(&mut is_first))? {
                    self.skip()?;
                }
            }
            JsonToken::Object => {
                while self.next_name(std::mem::take(&mut is_first))?.is_some() {
                    self.skip()?;
                }
            }
            JsonToken::Null | JsonToken::Boolean(_) | JsonToken::Number(_) | JsonToken::Text(_) => {}
        }
        Some(())
    }

    /// Reads the first token of the next value.
    #[inline]
    pub(crate) fn token(&mut self) -> Option<JsonToken<'t>> {
        match self.peek()? {
            b'"' => {
                self.position += 1;
                self.string().map(JsonToken::Text)
            }
            b'-' | b'0'..=b'9' => self.number().map(JsonToken::Number),
            b'{' => self.open(JsonToken::Object),
            b'[' => self.open(JsonToken::Array),
            b't' => self.word("true", JsonToken::Boolean(true)),
            b'f' => self.word("false", JsonToken::Boolean(false)),
            b'n' => self.word("null", JsonToken::Null),
            _ => None,
        }
    }

    /// Reads the first token of the next value, with its text.
    pub(crate) fn token_with_text(&mut self) -> Option<(JsonToken<'t>, &'t str)> {
        self.peek()?;
        let start = self.position;
        let token = self.token()?;
        Some((token, self.text.get(start..self.position)?))
    }

    /// Moves to the next item of an array. Returns `Some(false)` at its end.
    #[inline]
    pub(crate) fn next_item(&mut self, is_first: bool) -> Option<bool> {
        self.next(b']', is_first)
    }

    /// Reads the next property name of an object and the colon after it. Returns `Some(None)` at the end of the object.
    #[inline]
    pub(crate) fn next_name(&mut self, is_first: bool) -> Option<Option<Cow<'t, str>>> {
        if !self.next(b'}', is_first)? {
            return Some(None);
        }
        self.take(b'"')?;
        let name = self.string()?;
        self.take(b':')?;
        Some(Some(name))
    }

    /// Returns `true` if the next value starts with `n`, so it is null or invalid.
    #[inline]
    pub(crate) fn is_at_null(&mut self) -> bool {
        self.peek() == Some(b'n')
    }

    /// Returns `true` if only white space remains.
    pub(crate) fn is_at_end(&mut self) -> bool {
        self.peek().is_none()
    }

    #[inline]
    fn next(&mut self, end: u8, is_first: bool) -> Option<bool> {
        match self.peek()? {
            byte if byte == end => {
                self.position += 1;
                self.depth = self.depth.saturating_sub(1);
                Some(false)
            }
            b',' if !is_first => {
                self.position += 1;
                Some(true)
            }
            _ => is_first.then_some(true),
        }
    }

    #[inline]
    fn open(&mut self, token: JsonToken<'t>) -> Option<JsonToken<'t>> {
        self.position += 1;
        self.depth += 1;
        (self.depth <= DEEPEST).then_some(token)
    }

    fn word(&mut self, word: &str, token: JsonToken<'t>) -> Option<JsonToken<'t>> {
        let rest = self.text.as_bytes().get(self.position..)?;
        self.position += word.len();
        rest.starts_with(word.as_bytes()).then_some(token)
    }

    #[inline]
    fn number(&mut self) -> Option<NumberToken<'t>> {
        let rest = self.text.get(self.position..)?;
        if let Some((integer, length)) = short_integer(rest.as_bytes()) {
            self.position += length;
            return Some(NumberToken::Integer(integer.into()));
        }
        let decimal = Decimal::at_start(rest)?;
        self.position += decimal.len();
        Some(decimal.plain_integer().map_or(NumberToken::Decimal(decimal), NumberToken::Integer))
    }

    /// Returns the next byte that is not white space.
    #[inline]
    fn peek(&mut self) -> Option<u8> {
        loop {
            match self.text.as_bytes().get(self.position)? {
                b' ' | b'\n' | b'\r' | b'\t' => self.position += 1,
                byte => return Some(*byte),
            }
        }
    }

    /// Skips white space, and consumes the next byte if it equals `byte`. Otherwise returns `None`.
    #[inline]
    fn take(&mut self, byte: u8) -> Option<()> {
        (self.peek()? == byte).then(|| self.position += 1)
    }
}

/// Returns the integer at the start of the text, and its length in bytes. This fast path reads only short integers
/// without a sign that are followed by `,`, `]` or `}`.
fn short_integer(text: &[u8]) -> Option<(i64, usize)> {
    let mut value = 0;
    for (length, byte) in text.iter().enumerate().take(SHORT) {
        match byte {
            b'0'..=b'9' => value = value * 10 + i64::from(byte - b'0'),
            b',' | b']' | b'}' if text.first() != Some(&b'0') || length == 1 => return Some((value, length)),
            _ => return None,
        }
    }
    None
}

/// The maximum number of bytes that [`short_integer`] examines. They are 17 digits and the byte after them.
const SHORT: usize = 18;

#[cfg(test)]
mod tests;
