//! The text of a key: `<id>.<secret>`.

use std::fmt;

use sha2::{Digest, Sha256};

/// A key as its owner sends it, read for the look-up.
pub(super) struct KeyText<'a> {
    pub(super) id: &'a str,
    pub(super) digest: [u8; 32],
}

impl<'a> KeyText<'a> {
    const LONGEST_ID: usize = 64;
    const SECRET: std::ops::RangeInclusive<usize> = 16..=256;

    /// Reads a text. The state of the digest is cleared from memory afterwards.
    pub(super) fn read(text: &'a str) -> Result<Self, ApiKeyError> {
        let (id, secret) = text.split_once('.').ok_or(ApiKeyError("an API key is `<id>.<secret>`"))?;
        if !(1..=Self::LONGEST_ID).contains(&id.len()) || !id.bytes().all(is_of_id) {
            return Err(ApiKeyError("the id of an API key has 1 to 64 letters, digits, `-` and `_`"));
        }
        if !Self::SECRET.contains(&secret.len()) || !secret.bytes().all(|byte| is_of_id(byte) || byte == b'.') {
            return Err(ApiKeyError("the secret of an API key has 16 to 256 letters, digits, `-`, `_` and `.`"));
        }
        // The id is part of the digest, so that no secret passes under another id.
        Ok(Self { id, digest: Sha256::digest(text).into() })
    }
}

fn is_of_id(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_'
}

/// An error that says why a text is not an API key, without quoting it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ApiKeyError(pub(super) &'static str);

impl ApiKeyError {
    pub(super) fn reason(self) -> &'static str {
        self.0
    }
}

impl fmt::Display for ApiKeyError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.0)
    }
}

impl std::error::Error for ApiKeyError {}
