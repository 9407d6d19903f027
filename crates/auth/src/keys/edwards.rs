//! Creates and checks Ed25519 keys (RFC 8037, section 2; RFC 8032).

use aws_lc_rs::signature::ED25519;
use curve25519_dalek::edwards::CompressedEdwardsY;
use jsonwebtoken::Algorithm;

use super::key::{Method, VerificationKey};

const METHOD: Method = (Algorithm::EdDSA, &ED25519);

/// The bytes that precede the 32-byte point in an Ed25519 public key in DER (RFC 8410, section 4).
const PREFIX: [u8; 12] = [0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00];

/// Creates an Ed25519 key from an encoded point.
///
/// Rejects points of small order, because with some of them one signature verifies every message. aws-lc accepts any 32
/// bytes.
pub(super) fn from_point(encoded: &[u8]) -> Result<VerificationKey, String> {
    let compressed = CompressedEdwardsY::from_slice(encoded)
        .map_err(|_other_length| "an Ed25519 key must have 32 bytes".to_owned())?;
    let point = compressed.decompress().ok_or_else(not_on_curve)?;
    if point.is_small_order() {
        return Err("its point has a small order".to_owned());
    }
    // A point has one valid encoding (RFC 8032, section 5.1.3). `decompress` also accepts other encodings and reduces
    // them.
    if point.compress() != compressed {
        return Err(not_on_curve());
    }
    VerificationKey::public(&[METHOD], encoded).ok_or_else(|| "it is not an Ed25519 key".to_owned())
}

fn not_on_curve() -> String {
    "its point is not on Ed25519".to_owned()
}

/// Parses an Ed25519 key in DER (RFC 8410). Returns `None` if the key is of a different kind.
pub(super) fn from_der(der: &[u8]) -> Option<Result<VerificationKey, String>> {
    der.strip_prefix(&PREFIX).filter(|point| point.len() == 32).map(from_point)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A bit mask that marks which test points are on the curve. Bit `n` is 1 if the point `n` satisfies the curve
    /// equation (RFC 8032, section 5.1).
    const ON_CURVE: u64 = 0x3acf_4b74_72df_5f7b;

    #[test]
    fn accepts_the_points_on_the_curve() {
        for number in 0_u8..=63 {
            let mut y = [number.wrapping_mul(37); 32];
            y[usize::from(number % 32)] ^= number;
            y[31] &= 0x7f;
            let expected = match ON_CURVE >> number & 1 {
                _ if number == 0 => Some("its point has a small order"),
                0 => Some("its point is not on Ed25519"),
                _ => None,
            };
            assert_eq!(from_point(&y).err().as_deref(), expected, "{number}");
        }
    }

    #[test]
    fn rejects_encodings_that_are_not_reduced() {
        for lowest in 0xed..=0xff {
            let mut y = [0xff; 32];
            (y[0], y[31]) = (lowest, 0x7f);
            assert!(from_point(&y).is_err(), "{lowest:x}");
        }
    }
}
