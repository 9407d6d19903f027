//! Defines [`RequestId`], the identifier of a request in `X-Request-Id`.

use std::cell::Cell;
use std::fmt;
use std::hash::{BuildHasher, RandomState};

use http::{HeaderName, HeaderValue};

const LONGEST: usize = 128;

/// The identifier of a request, which appears in responses, problems and traces.
///
/// A client's `X-Request-Id` is used if it has 1 to 128 letters, digits and characters of `-_.:`. Otherwise an
/// identifier of 16 hexadecimal digits is generated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestId(Text);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Text {
    Given(Box<str>),
    Made([u8; 16]),
}

impl RequestId {
    /// The name of the request and response header `X-Request-Id`.
    pub const HEADER: HeaderName = HeaderName::from_static("x-request-id");

    /// Returns the identifier that the client sent. If this identifier is missing or malformed, creates a new
    /// identifier.
    #[must_use]
    pub fn accept(given: Option<&[u8]>) -> Self {
        given.and_then(Self::parse).unwrap_or_else(Self::make)
    }

    /// Returns the identifier as a string.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match &self.0 {
            Text::Given(text) => text,
            Text::Made(digits) => std::str::from_utf8(digits).unwrap_or_default(),
        }
    }

    /// Returns the identifier as bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        match &self.0 {
            Text::Given(text) => text.as_bytes(),
            Text::Made(digits) => digits,
        }
    }

    /// Returns the identifier as the value of `X-Request-Id`.
    #[must_use]
    pub fn to_header_value(&self) -> HeaderValue {
        HeaderValue::from_bytes(self.as_bytes()).unwrap_or(HeaderValue::from_static("0"))
    }

    fn parse(given: &[u8]) -> Option<Self> {
        let admitted = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.:".contains(byte);
        if given.is_empty() || given.len() > LONGEST || !given.iter().all(admitted) {
            return None;
        }
        std::str::from_utf8(given).ok().map(|text| Self(Text::Given(text.into())))
    }

    fn make() -> Self {
        let mut digits = [0; 16];
        let random = next_random();
        for (eight, half) in digits.chunks_exact_mut(8).zip([random >> 32, random & u64::from(u32::MAX)]) {
            eight.copy_from_slice(&hexadecimal(half));
        }
        Self(Text::Made(digits))
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// Returns the eight hexadecimal digits of a 32-bit number. The digits are computed in parallel, because every request
/// needs 16 digits.
fn hexadecimal(number: u64) -> [u8; 8] {
    let spread = (number << 16 | number) & 0x0000_ffff_0000_ffff;
    let spread = (spread << 8 | spread) & 0x00ff_00ff_00ff_00ff;
    let spread = (spread << 4 | spread) & 0x0f0f_0f0f_0f0f_0f0f;
    let is_letter = ((spread + 0x0606_0606_0606_0606) >> 4) & 0x0101_0101_0101_0101;
    (spread + 0x3030_3030_3030_3030 + is_letter * u64::from(b'a' - b'9' - 1)).to_be_bytes()
}

/// Returns the next random number of the generator SplitMix64, with a random seed per thread. Identifiers must be
/// distinct, not secret.
fn next_random() -> u64 {
    thread_local!(static STATE: Cell<u64> = Cell::new(RandomState::new().hash_one("request id")));
    STATE.with(|state| {
        let next = state.get().wrapping_add(0x9e37_79b9_7f4a_7c15);
        state.set(next);
        let mixed = (next ^ (next >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_well_formed_identifiers() {
        for given in ["a", "3f-A_9.x:1", &"x".repeat(128)] {
            assert_eq!(RequestId::accept(Some(given.as_bytes())).as_str(), given);
        }
    }

    #[test]
    fn replaces_malformed_identifiers() {
        for given in ["", "a b", "a\"b", "ä", &"x".repeat(129)] {
            let made = RequestId::accept(Some(given.as_bytes()));
            assert!(made.as_str().len() == 16 && made.as_str().bytes().all(|digit| digit.is_ascii_hexdigit()));
        }
        assert_ne!(RequestId::accept(None), RequestId::accept(None));
    }

    #[test]
    fn writes_the_digits_of_a_number() {
        for number in [0, 9, 0xa, 0x0123_4567, 0x89ab_cdef, 0xffff_ffff] {
            assert_eq!(hexadecimal(number), *format!("{number:08x}").as_bytes());
        }
    }
}
