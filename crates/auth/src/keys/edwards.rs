//! Ed25519 keys (RFC 8037, section 2; RFC 8032).

use aws_lc_rs::signature::ED25519;

use super::key::Method;
use super::{Algorithm, Key};

const METHOD: Method = (Algorithm::EdDSA, &ED25519);

/// What stands before the key in its only encoding (RFC 8410, section 4).
const PREFIX: [u8; 12] = [0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00];

/// A key by its point.
///
/// Points of small order are refused: under some of them one signature fits every message.
pub(super) fn from_point(point: &[u8]) -> Result<Key, String> {
    let point: [u8; 32] = point.try_into().map_err(|_other_length| "an Ed25519 key has 32 bytes")?;
    if has_small_order(point) {
        return Err("the point of an Ed25519 key has not a small order".to_owned());
    }
    Key::public(&[METHOD], &point).ok_or_else(|| "it is not an Ed25519 key".to_owned())
}

/// A key in the form of RFC 8410; `None` when it is none.
pub(super) fn from_der(der: &[u8]) -> Option<Result<Key, String>> {
    der.strip_prefix(&PREFIX).filter(|point| point.len() == 32).map(from_point)
}

/// Whether eight times the point is nothing: there are eight such points, and these are their vertical coordinates, with
/// those that stand for one of them beyond the field's end.
fn has_small_order(mut point: [u8; 32]) -> bool {
    const ORDER_8: [u8; 32] = [
        0x26, 0xe8, 0x95, 0x8f, 0xc2, 0xb2, 0x27, 0xb0, 0x45, 0xc3, 0xf4, 0x89, 0xf2, 0xef, 0x98, 0xf0, 0xd5, 0xdf,
        0xac, 0x05, 0xd3, 0xc6, 0x33, 0x39, 0xb1, 0x38, 0x02, 0x88, 0x6d, 0x53, 0xfc, 0x05,
    ];
    const ORDER_8_NEGATED: [u8; 32] = [
        0xc7, 0x17, 0x6a, 0x70, 0x3d, 0x4d, 0xd8, 0x4f, 0xba, 0x3c, 0x0b, 0x76, 0x0d, 0x10, 0x67, 0x0f, 0x2a, 0x20,
        0x53, 0xfa, 0x2c, 0x39, 0xcc, 0xc6, 0x4e, 0xc7, 0xfd, 0x77, 0x92, 0xac, 0x03, 0x7a,
    ];
    /// A number below 2^255 that differs from zero, or from 2^255 - 1, in its lowest byte alone.
    const fn near(rest: u8, lowest: u8) -> [u8; 32] {
        let mut number = [rest; 32];
        number[0] = lowest;
        number[31] = rest & 0x7f;
        number
    }
    // 0 and 1; -1, 0 and 1 in the field, whose size is 2^255 - 19.
    let near = [near(0, 0), near(0, 1), near(0xff, 0xec), near(0xff, 0xed), near(0xff, 0xee)];
    // The sign of the other coordinate.
    point[31] &= 0x7f;
    near.contains(&point) || point == ORDER_8 || point == ORDER_8_NEGATED
}
