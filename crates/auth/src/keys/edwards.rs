//! Ed25519 keys (RFC 8037, section 2; RFC 8032).

use aws_lc_rs::signature::ED25519;
use jsonwebtoken::Algorithm;

use super::curve25519::is_on_curve;
use super::key::{Key, Method};

const METHOD: Method = (Algorithm::EdDSA, &ED25519);

/// The bytes before the point in the only DER encoding of a key (RFC 8410, section 4).
const PREFIX: [u8; 12] = [0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00];

/// The points whose order divides 8, without the sign bit: 0, 1, the two of order 8, -1, and 0 and 1 with the field's order added.
const SMALL_ORDER: [[u8; 32]; 7] = [
    [0; 32],
    first_and_rest(0x01, 0x00, 0x00),
    [
        0x26, 0xe8, 0x95, 0x8f, 0xc2, 0xb2, 0x27, 0xb0, 0x45, 0xc3, 0xf4, 0x89, 0xf2, 0xef, 0x98, 0xf0, 0xd5, 0xdf,
        0xac, 0x05, 0xd3, 0xc6, 0x33, 0x39, 0xb1, 0x38, 0x02, 0x88, 0x6d, 0x53, 0xfc, 0x05,
    ],
    [
        0xc7, 0x17, 0x6a, 0x70, 0x3d, 0x4d, 0xd8, 0x4f, 0xba, 0x3c, 0x0b, 0x76, 0x0d, 0x10, 0x67, 0x0f, 0x2a, 0x20,
        0x53, 0xfa, 0x2c, 0x39, 0xcc, 0xc6, 0x4e, 0xc7, 0xfd, 0x77, 0x92, 0xac, 0x03, 0x7a,
    ],
    first_and_rest(0xec, 0xff, 0x7f),
    first_and_rest(0xed, 0xff, 0x7f),
    first_and_rest(0xee, 0xff, 0x7f),
];

const fn first_and_rest(first: u8, rest: u8, last: u8) -> [u8; 32] {
    let mut point = [rest; 32];
    point[0] = first;
    point[31] = last;
    point
}

/// Returns the key of an encoded point.
///
/// Points of small order are rejected: under some of them one signature verifies for every message. aws-lc takes any 32 bytes.
pub(super) fn from_point(point: &[u8]) -> Result<Key, String> {
    let encoded = <[u8; 32]>::try_from(point).map_err(|_other_length| "an Ed25519 key has 32 bytes")?;
    let mut unsigned = encoded;
    let [.., last] = &mut unsigned;
    *last &= 0x7f;
    if SMALL_ORDER.contains(&unsigned) {
        return Err("its point on Ed25519 has a small order".to_owned());
    }
    if !is_on_curve(unsigned) {
        return Err("its point is not on Ed25519".to_owned());
    }
    Key::public(&[METHOD], point).ok_or_else(|| "it is not an Ed25519 key".to_owned())
}

/// Returns the key of a text in DER (RFC 8410), or `None` if it is of another kind.
pub(super) fn from_der(der: &[u8]) -> Option<Result<Key, String>> {
    der.strip_prefix(&PREFIX).filter(|point| point.len() == 32).map(from_point)
}
