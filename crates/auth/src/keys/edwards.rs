//! Ed25519 keys (RFC 8037, section 2; RFC 8032).

use aws_lc_rs::signature::ED25519;
use curve25519_dalek::edwards::CompressedEdwardsY;

use super::key::Method;
use super::{Algorithm, Key};

const METHOD: Method = (Algorithm::EdDSA, &ED25519);

/// What stands before the key in its only encoding (RFC 8410, section 4).
const PREFIX: [u8; 12] = [0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00];

/// A key by its point.
///
/// Points of small order are refused: under some of them one signature fits every message.
pub(super) fn from_point(point: &[u8]) -> Result<Key, String> {
    let compressed = CompressedEdwardsY::from_slice(point).map_err(|_other_length| "an Ed25519 key has 32 bytes")?;
    // The verifier takes any 32 bytes.
    let on_curve = compressed.decompress().ok_or("its point is not on Ed25519")?;
    if on_curve.is_small_order() {
        return Err("its point on Ed25519 has a small order".to_owned());
    }
    Key::public(&[METHOD], point).ok_or_else(|| "it is not an Ed25519 key".to_owned())
}

/// A key in the form of RFC 8410; `None` when it is none.
pub(super) fn from_der(der: &[u8]) -> Option<Result<Key, String>> {
    der.strip_prefix(&PREFIX).filter(|point| point.len() == 32).map(from_point)
}
