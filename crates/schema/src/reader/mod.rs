//! [`Reader`]: a JSON text (RFC 8259), token by token.
//!
//! The guided read and the complete walk share it. It accepts what serde_json accepts, nested as deep, and numbers beyond what doubles hold
//! besides; what is wrong with a text that it does not accept is serde_json's to say.

use std::borrow::Cow;

use crate::decimal::Decimal;
use crate::number::Number;
use crate::steps;

mod string;

/// A text, and how far it is read. Its methods return `None` where the text is no JSON; it is not read on then.
#[derive(Debug)]
pub(crate) struct Reader<'t> {
    text: &'t str,
    position: usize,
    /// How many arrays and objects are open.
    depth: u8,
}

/// The start of a value: all of a scalar; an array and an object are open then.
#[derive(Debug)]
pub(crate) enum Token<'t> {
    Null,
    Boolean(bool),
    Number(NumberToken<'t>),
    /// Borrowed from the text unless there are escapes in it.
    Text(Cow<'t, str>),
    Array,
    Object,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum NumberToken<'t> {
    /// An integer of 64 bits, written without fraction and exponent. `-0` is none, since as a double it keeps its sign.
    Integer(Number),
    Decimal(Decimal<'t>),
}

/// As many arrays and objects within each other as serde_json reads.
const DEEPEST: u8 = 127;

impl<'t> Reader<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        steps::count(text.len());
        Self { text, position: 0, depth: 0 }
    }

    /// Reads the start of a value.
    #[inline]
    pub(crate) fn token(&mut self) -> Option<Token<'t>> {
        match self.peek()? {
            b'"' => {
                self.position += 1;
                self.string().map(Token::Text)
            }
            b'-' | b'0'..=b'9' => self.number().map(Token::Number),
            b'{' => self.open(Token::Object),
            b'[' => self.open(Token::Array),
            b't' => self.word("true", Token::Boolean(true)),
            b'f' => self.word("false", Token::Boolean(false)),
            b'n' => self.word("null", Token::Null),
            _ => None,
        }
    }

    /// Reads on in an array: up to the next item, or to its end, which is false.
    #[inline]
    pub(crate) fn next_item(&mut self, is_first: bool) -> Option<bool> {
        self.next(b']', is_first)
    }

    /// Reads on in an object: the next name, up to its value, or its end, which is none.
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

    /// Returns true if null, or something that is no JSON, comes next.
    #[inline]
    pub(crate) fn is_at_null(&mut self) -> bool {
        self.peek() == Some(b'n')
    }

    /// Returns whether nothing follows but white space.
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
    fn open(&mut self, token: Token<'t>) -> Option<Token<'t>> {
        self.position += 1;
        self.depth += 1;
        (self.depth <= DEEPEST).then_some(token)
    }

    fn word(&mut self, word: &str, token: Token<'t>) -> Option<Token<'t>> {
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

    /// Returns the next byte that is no white space.
    #[inline]
    fn peek(&mut self) -> Option<u8> {
        loop {
            match self.text.as_bytes().get(self.position)? {
                b' ' | b'\n' | b'\r' | b'\t' => self.position += 1,
                byte => return Some(*byte),
            }
        }
    }

    /// Takes this byte, behind white space.
    #[inline]
    fn take(&mut self, byte: u8) -> Option<()> {
        (self.peek()? == byte).then(|| self.position += 1)
    }
}

/// The integer that the text begins with and its length, if it has no sign, few digits, and nothing but an integer's end behind it.
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

/// Digits, and what ends them.
const SHORT: usize = 18;

#[cfg(test)]
mod tests;
