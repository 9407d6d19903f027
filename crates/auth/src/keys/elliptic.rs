//! Creates keys on the curves P-256 and P-384 (RFC 7518, sections 3.4 and 6.2).

use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED, ECDSA_P384_SHA384_FIXED};
use jsonwebtoken::Algorithm;

use super::key::{Method, VerificationKey};

const P256: Method = (Algorithm::ES256, &ECDSA_P256_SHA256_FIXED);
const P384: Method = (Algorithm::ES384, &ECDSA_P384_SHA384_FIXED);

/// Returns the length of a curve's coordinates in bytes, or `None` if the curve is not supported.
pub(super) fn coordinate_length(curve: &str) -> Option<usize> {
    match curve {
        "P-256" => Some(32),
        "P-384" => Some(48),
        _ => None,
    }
}

/// Creates a key from an uncompressed point (SEC 1, section 2.3.3). The length of the point determines the curve.
pub(super) fn from_point(point: &[u8]) -> Result<VerificationKey, String> {
    let (method, curve) = match point.len() {
        65 => (P256, "P-256"),
        97 => (P384, "P-384"),
        _ => return Err("it is not a point on P-256 or P-384".to_owned()),
    };
    VerificationKey::public(&[method], point).ok_or_else(|| format!("its point is not on {curve}"))
}

/// Parses a P-256 or P-384 key in DER (RFC 5480). Returns `None` if the key is of a different kind.
pub(super) fn from_der(der: &[u8]) -> Option<Result<VerificationKey, String>> {
    [P256, P384].into_iter().find_map(|method| VerificationKey::public(&[method], der)).map(Ok)
}
