//! Creates and checks RSA keys (RFC 7518, sections 3.3 and 3.5).

use std::ops::RangeInclusive;

use aws_lc_rs::signature::{
    RSA_PKCS1_2048_8192_SHA256, RSA_PKCS1_2048_8192_SHA384, RSA_PKCS1_2048_8192_SHA512, RSA_PSS_2048_8192_SHA256,
    RSA_PSS_2048_8192_SHA384, RSA_PSS_2048_8192_SHA512, RsaParameters, RsaPublicKeyComponents, RsaSubjectPublicKey,
};
use jsonwebtoken::Algorithm;

use super::key::{Method, VerificationKey};

/// The allowed size of an RSA modulus in bits. Smaller keys are too weak, and larger keys are too slow.
const BITS: RangeInclusive<u32> = 2048..=8192;

const METHODS: [Method; 6] = [
    (Algorithm::RS256, &RSA_PKCS1_2048_8192_SHA256),
    (Algorithm::RS384, &RSA_PKCS1_2048_8192_SHA384),
    (Algorithm::RS512, &RSA_PKCS1_2048_8192_SHA512),
    (Algorithm::PS256, &RSA_PSS_2048_8192_SHA256),
    (Algorithm::PS384, &RSA_PSS_2048_8192_SHA384),
    (Algorithm::PS512, &RSA_PSS_2048_8192_SHA512),
];

/// Creates an RSA key from a modulus and an exponent.
pub(super) fn from_components(modulus: &[u8], exponent: &[u8]) -> Result<VerificationKey, String> {
    let components = RsaPublicKeyComponents { n: without_zeros(modulus), e: without_zeros(exponent) };
    // With a long exponent, verifying is as slow as signing.
    let short = components.e.len() <= 4;
    let written = short.then(|| components.to_parsed_public_key(&RSA_PKCS1_2048_8192_SHA256).ok()).flatten();
    written.and_then(|key| from_der(key.as_ref())).unwrap_or_else(|| {
        Err("the modulus of an RSA key must be odd and positive, and its exponent odd, at least 3 and below 2^32"
            .to_owned())
    })
}

/// Parses an RSA key in DER (RFC 8017 or RFC 5280). Returns `None` if the key is of a different kind.
///
/// aws-lc rejects even numbers and the exponent 1. With exponent 1, every signature would equal its message.
pub(super) fn from_der(der: &[u8]) -> Option<Result<VerificationKey, String>> {
    let canonical = RsaSubjectPublicKey::from_der(der).ok()?;
    let bits = RsaParameters::public_modulus_len(canonical.as_ref()).ok()?;
    if !BITS.contains(&bits) {
        let (least, most) = (BITS.start(), BITS.end());
        return Some(Err(format!(
            "an RSA key must have {least} to {most} bits, but this one has {bits} (RFC 7518, section 3.3)"
        )));
    }
    VerificationKey::public(&METHODS, canonical.as_ref()).map(Ok)
}

fn without_zeros(number: &[u8]) -> &[u8] {
    let zeros = number.iter().take_while(|byte| **byte == 0).count();
    number.get(zeros..).unwrap_or_default()
}
