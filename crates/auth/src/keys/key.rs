//! One key.

use std::fmt;

use jsonwebtoken::crypto::aws_lc::DEFAULT_PROVIDER;
use jsonwebtoken::{AlgorithmFamily, DecodingKey};
use sha2::{Digest, Sha256};

use super::Algorithm;

/// A key with everything that it may be used for; the token has no say in that.
#[derive(Clone)]
pub(crate) struct Key {
    pub(super) id: Option<String>,
    algorithms: Vec<Algorithm>,
    material: DecodingKey,
    fingerprint: [u8; 32],
}

impl Key {
    /// The smallest shared secret in bytes (RFC 7518, section 3.2).
    const SMALLEST_SECRET: usize = 32;

    pub(super) fn rsa(modulus: &[u8], exponent: &[u8]) -> Result<Self, String> {
        let (modulus, exponent) = (without_zeros(modulus), without_zeros(exponent));
        // RFC 7518, section 3.3, asks for 2048 bits or more; more than 8192 cost too much time.
        if !(256..=1024).contains(&modulus.len())
            || (modulus.len() == 256 && modulus.first().is_some_and(|top| *top < 0x80))
        {
            return Err("the modulus of an RSA key has 2048 to 8192 bits".to_owned());
        }
        // With 1 every signature would be its own message.
        if exponent.len() > 4 || exponent == [1] || exponent.last().is_none_or(|last| last % 2 == 0) {
            return Err("the exponent of an RSA key is odd, 3 or more, and has at most 32 bits".to_owned());
        }
        let material = DecodingKey::from_rsa_raw_components(modulus, exponent);
        Ok(Self::new(material, &Algorithm::RSA, &[b"rsa", modulus, exponent]))
    }

    /// A point on P-256 or P-384, by its coordinates.
    pub(super) fn elliptic(algorithm: Algorithm, x: &[u8], y: &[u8]) -> Result<Self, String> {
        let length = if algorithm == Algorithm::ES384 { 48 } else { 32 };
        if x.len() != length || y.len() != length {
            return Err(format!("each coordinate of this curve has {length} bytes"));
        }
        let point = [&[4], x, y].concat();
        Ok(Self::new(DecodingKey::from_ec_der(&point), &[algorithm], &[b"ec", x, y]))
    }

    pub(super) fn edwards(x: &[u8]) -> Result<Self, String> {
        if x.len() != 32 {
            return Err("an Ed25519 key has 32 bytes".to_owned());
        }
        Ok(Self::new(DecodingKey::from_ed_der(x), &[Algorithm::EdDSA], &[b"ed", x]))
    }

    /// A secret that the issuer shares.
    pub(crate) fn secret(secret: &[u8]) -> Result<Self, String> {
        if secret.len() < Self::SMALLEST_SECRET {
            return Err(format!(
                "a shared secret has at least {} bytes (RFC 7518, section 3.2)",
                Self::SMALLEST_SECRET
            ));
        }
        let fitting = [(Algorithm::HS256, 32), (Algorithm::HS384, 48), (Algorithm::HS512, 64)];
        let fitting: Vec<_> =
            fitting.into_iter().filter(|(_, least)| secret.len() >= *least).map(|(algorithm, _)| algorithm).collect();
        Ok(Self::new(DecodingKey::from_secret(secret), &fitting, &[b"secret", secret]))
    }

    /// A public key in PEM.
    pub(crate) fn pem(pem: &[u8]) -> Result<Self, String> {
        if let Ok(key) = DecodingKey::from_rsa_pem(pem) {
            let der = key.try_get_as_bytes().map_err(|error| error.to_string())?;
            let components = (DEFAULT_PROVIDER.key_utils.rsa_pub_components_from_public_key)(der);
            let (modulus, exponent) = components.map_err(|_refused| "it is not a public RSA key".to_owned())?;
            return Self::rsa(&modulus, &exponent);
        }
        let read = DecodingKey::from_ec_pem(pem).or_else(|_not_elliptic| DecodingKey::from_ed_pem(pem));
        let key = read.map_err(|_neither| "it is not a public key in PEM (RSA, P-256, P-384 or Ed25519)".to_owned())?;
        let bytes = key.try_get_as_bytes().map_err(|error| error.to_string())?;
        match (key.family(), bytes.split_first()) {
            (AlgorithmFamily::Ec, Some((4, point))) => {
                let algorithm = if point.len() == 96 { Algorithm::ES384 } else { Algorithm::ES256 };
                let (x, y) = point.split_at(point.len() / 2);
                Self::elliptic(algorithm, x, y)
            }
            (AlgorithmFamily::Ed, _) => Self::edwards(bytes),
            _ => Err("the point of an elliptic key is not compressed".to_owned()),
        }
    }

    fn new(material: DecodingKey, algorithms: &[Algorithm], parts: &[&[u8]]) -> Self {
        let mut digest = Sha256::new();
        for part in parts {
            digest.update(part.len().to_be_bytes());
            digest.update(part);
        }
        Self { id: None, algorithms: algorithms.to_vec(), material, fingerprint: digest.finalize().into() }
    }

    /// Limits the key to what its own `alg` says.
    pub(super) fn only(mut self, algorithm: Algorithm) -> Result<Self, String> {
        if !self.algorithms.contains(&algorithm) {
            return Err(format!("its `alg` {} does not fit its `kty`", algorithm.name()));
        }
        self.algorithms = vec![algorithm];
        Ok(self)
    }

    pub(crate) fn fits(&self, algorithm: Algorithm) -> bool {
        self.algorithms.contains(&algorithm)
    }

    /// Whether the signature of the message is this key's, by an algorithm that fits it.
    pub(crate) fn verifies(&self, algorithm: Algorithm, message: &[u8], signature: &Vec<u8>) -> bool {
        self.fits(algorithm)
            && (DEFAULT_PROVIDER.verifier_factory)(&algorithm.implementation(), &self.material)
                .is_ok_and(|verifier| verifier.verify(message, signature).is_ok())
    }
}

impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        self.fingerprint == other.fingerprint && self.id == other.id && self.algorithms == other.algorithms
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Key")
            .field("id", &self.id)
            .field("algorithms", &self.algorithms)
            .finish_non_exhaustive()
    }
}

fn without_zeros(number: &[u8]) -> &[u8] {
    let zeros = number.iter().take_while(|byte| **byte == 0).count();
    number.get(zeros..).unwrap_or_default()
}
