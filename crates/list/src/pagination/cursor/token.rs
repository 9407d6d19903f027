//! Encodes and decodes the wire format of cursors. A cursor contains a version, the content, and an HMAC-SHA-256 of
//! both, in base64url without padding (RFC 4648, section 5).

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use super::binding::Binding;
use super::codec;
use super::key::CursorKey;
use crate::value::Value;

const VERSION: u8 = 1;
const TAG: usize = 32;

/// The decoded content of a cursor.
#[derive(Debug, PartialEq)]
pub(super) struct CursorToken {
    pub(super) binding: Binding,
    pub(super) backward: bool,
    pub(super) inclusive: bool,
    pub(super) values: Vec<Value<'static>>,
}

/// The reason for rejecting a cursor.
#[derive(Debug, PartialEq)]
pub(super) enum CursorRejection {
    Invalid,
    Expired,
}

pub(super) fn seal(token: &CursorToken, key: &CursorKey) -> String {
    let mut bytes = vec![VERSION, u8::from(token.backward) | (u8::from(token.inclusive) << 1)];
    bytes.extend(key.now().to_be_bytes());
    bytes.extend(token.binding);
    token.values.iter().for_each(|value| codec::put(value, &mut bytes));
    let tag = authenticator(key, &bytes).map(|mac| mac.finalize().into_bytes());
    bytes.extend(tag.unwrap_or_default());
    URL_SAFE_NO_PAD.encode(bytes)
}

pub(super) fn open(text: &str, key: &CursorKey) -> Result<CursorToken, CursorRejection> {
    let bytes = URL_SAFE_NO_PAD.decode(text).ok().ok_or(CursorRejection::Invalid)?;
    let (mut said, tag) = bytes.split_last_chunk::<TAG>().ok_or(CursorRejection::Invalid)?;
    let mac = authenticator(key, said).ok_or(CursorRejection::Invalid)?;
    // Compares in constant time.
    mac.verify_slice(tag).ok().ok_or(CursorRejection::Invalid)?;
    let (made, token) = read(&mut said).ok_or(CursorRejection::Invalid)?;
    if key.has_expired(made) { Err(CursorRejection::Expired) } else { Ok(token) }
}

fn read(said: &mut &[u8]) -> Option<(u64, CursorToken)> {
    let [VERSION, flags] = codec::array(said)? else { return None };
    let made = u64::from_be_bytes(codec::array(said)?);
    let binding = codec::array(said)?;
    let mut values = Vec::new();
    while !said.is_empty() {
        values.push(codec::take(said)?);
    }
    Some((made, CursorToken { binding, backward: flags & 1 != 0, inclusive: flags & 2 != 0, values }))
}

/// Computes the HMAC of a cursor. HMAC accepts keys of any length, so this function always returns `Some`.
fn authenticator(key: &CursorKey, bytes: &[u8]) -> Option<Hmac<Sha256>> {
    let mut mac = <Hmac<Sha256> as KeyInit>::new_from_slice(key.secret()).ok()?;
    mac.update(bytes);
    Some(mac)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use restwright_core::Clock;

    use super::*;

    fn token() -> CursorToken {
        CursorToken {
            binding: [7; 16],
            backward: true,
            inclusive: false,
            values: vec!["Rex".into(), Value::Null, 42.into()],
        }
    }

    #[test]
    fn sealed_tokens_are_opened() {
        let key = CursorKey::new([1; 32]);
        let text = seal(&token(), &key);
        assert!(text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)), "{text}");
        assert_eq!(open(&text, &key), Ok(token()));
        assert_eq!(open(&text, &CursorKey::new([2; 32])), Err(CursorRejection::Invalid));
    }

    #[test]
    fn tokens_with_a_changed_bit_are_rejected() {
        let key = CursorKey::new([1; 32]);
        let bytes = URL_SAFE_NO_PAD.decode(seal(&token(), &key)).unwrap();
        for bit in 0..bytes.len() * 8 {
            let mut changed = bytes.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(open(&URL_SAFE_NO_PAD.encode(changed), &key), Err(CursorRejection::Invalid), "bit {bit}");
        }
        for length in 0..bytes.len() {
            assert_eq!(open(&URL_SAFE_NO_PAD.encode(&bytes[..length]), &key), Err(CursorRejection::Invalid));
        }
        for text in ["", "x", "a+b/", "ä", "===="] {
            assert_eq!(open(text, &key), Err(CursorRejection::Invalid), "{text}");
        }
    }

    #[test]
    fn cursors_expire() {
        let clock = Clock::manual(1_000);
        let key = CursorKey::new([1; 32]).expires_after(Duration::from_secs(60)).clock(clock.clone());
        let text = seal(&token(), &key);
        clock.advance(Duration::from_secs(60));
        assert_eq!(open(&text, &key), Ok(token()));
        clock.advance(Duration::from_secs(1));
        assert_eq!(open(&text, &key), Err(CursorRejection::Expired));
    }
}
