//! Keys on the curves P-256 and P-384 (RFC 7518, sections 3.4 and 6.2).

use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED, ECDSA_P384_SHA384_FIXED};

use super::key::Method;
use super::{Algorithm, Key};

const P256: Method = (Algorithm::ES256, &ECDSA_P256_SHA256_FIXED);
const P384: Method = (Algorithm::ES384, &ECDSA_P384_SHA384_FIXED);

/// A key on a curve by its name and the coordinates of its point; `None` when the curve is another.
pub(super) fn from_coordinates(curve: &str, x: &[u8], y: &[u8]) -> Option<Result<Key, String>> {
    let (method, length) = match curve {
        "P-256" => (P256, 32),
        "P-384" => (P384, 48),
        _ => return None,
    };
    if x.len() != length || y.len() != length {
        return Some(Err(format!("each coordinate of a point on {curve} has {length} bytes")));
    }
    let key = Key::public(&[method], &[&[4], x, y].concat());
    Some(key.ok_or_else(|| format!("its point is not on {curve}")))
}

/// A key in the form of RFC 5480, which names its curve; `None` when it is none on these.
pub(super) fn from_der(der: &[u8]) -> Option<Result<Key, String>> {
    [P256, P384].into_iter().find_map(|method| Key::public(&[method], der)).map(Ok)
}
