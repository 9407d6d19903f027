//! Parses API keys of the form `<id>.<secret>`.

use std::fmt;

use sha2::{Digest, Sha256};

/// The id and the hash of a parsed API key.
pub(super) struct KeyText<'a> {
    pub(super) id: &'a str,
    pub(super) digest: [u8; 32],
}

impl<'a> KeyText<'a> {
    const LONGEST_ID: usize = 64;
    const SECRET: std::ops::RangeInclusive<usize> = 16..=256;

    /// Parses an API key and hashes it. Then clears the intermediate state of the hash function from memory.
    pub(super) fn read(text: &'a str) -> Result<Self, ApiKeyError> {
        let (id, secret) = text.split_once('.').ok_or(ApiKeyError("an API key must have the form `<id>.<secret>`"))?;
        if !(1..=Self::LONGEST_ID).contains(&id.len()) || !id.bytes().all(is_of_id) {
            return Err(ApiKeyError("the id of an API key must have 1 to 64 characters: letters, digits, `-` and `_`"));
        }
        if !Self::SECRET.contains(&secret.len()) || !secret.bytes().all(|byte| is_of_id(byte) || byte == b'.') {
            return Err(ApiKeyError(
                "the secret of an API key must have 16 to 256 characters: letters, digits, `-`, `_` and `.`",
            ));
        }
        // The hash covers the id, so a secret is valid for only one id.
        Ok(Self { id, digest: Sha256::digest(text).into() })
    }
}

fn is_of_id(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_'
}

/// An error for a string that is not a valid API key. The message does not contain the string.
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
