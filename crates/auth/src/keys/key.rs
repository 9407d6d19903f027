//! Defines [`VerificationKey`], a key that verifies signatures.

use std::fmt;

use aws_lc_rs::hmac;
use aws_lc_rs::signature::{ParsedPublicKey, VerificationAlgorithm};
use jsonwebtoken::{Algorithm, AlgorithmFamily, DecodingKey, DecodingKeyKind};
use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

use super::{edwards, elliptic, rsa};

/// A key that verifies signatures, with the algorithms that are allowed for it. The `alg` of a token cannot add
/// algorithms.
///
/// The key is parsed and checked once, on creation. An unusable key is therefore found when the set is read, before any
/// token arrives.
#[derive(Clone)]
pub(crate) struct VerificationKey {
    pub(super) id: Option<String>,
    verifiers: Vec<(Algorithm, Verifier)>,
    /// The SHA-256 hash of the key, which is used to compare keys. It is zeroized on drop, because it may be derived
    /// from a secret.
    fingerprint: Zeroizing<[u8; 32]>,
}

/// A public key or a secret that verifies signatures of one algorithm. aws-lc clears secrets on drop.
#[derive(Clone)]
enum Verifier {
    PublicKey(ParsedPublicKey),
    Secret(Box<hmac::Key>),
}

/// A public-key algorithm and its implementation in aws-lc.
pub(super) type Method = (Algorithm, &'static dyn VerificationAlgorithm);

impl VerificationKey {
    /// The minimum length of a shared secret in bytes (RFC 7518, section 3.2).
    const SMALLEST_SECRET: usize = 32;

    /// Converts a key of the crate jsonwebtoken to a checked key. jsonwebtoken itself does not check keys.
    pub(crate) fn from_decoding_key(key: &DecodingKey) -> Result<Self, String> {
        let from_either = |bytes: &[u8], from_der: fn(&[u8]) -> Option<Result<Self, String>>| {
            from_der(bytes).unwrap_or_else(|| Err("it is not a valid key of its type".to_owned()))
        };
        match (key.family(), key.kind()) {
            (AlgorithmFamily::Hmac, DecodingKeyKind::SecretOrDer(secret)) => Self::secret(secret),
            (AlgorithmFamily::Rsa, DecodingKeyKind::RsaModulusExponent { n, e }) => rsa::from_components(n, e),
            (AlgorithmFamily::Rsa, DecodingKeyKind::SecretOrDer(der)) => from_either(der, rsa::from_der),
            (AlgorithmFamily::Ec, DecodingKeyKind::SecretOrDer(point)) if point.first() == Some(&4) => {
                elliptic::from_point(point)
            }
            (AlgorithmFamily::Ec, DecodingKeyKind::SecretOrDer(der)) => from_either(der, elliptic::from_der),
            (AlgorithmFamily::Ed, DecodingKeyKind::SecretOrDer(bytes)) => {
                edwards::from_der(bytes).unwrap_or_else(|| edwards::from_point(bytes))
            }
            (_, DecodingKeyKind::RsaModulusExponent { .. }) => Err("it is not a valid key of its type".to_owned()),
        }
    }

    /// Creates a public key from its encoding. Returns `None` if the key is invalid or of a different kind.
    pub(super) fn public(methods: &[Method], encoded: &[u8]) -> Option<Self> {
        let verifiers = methods.iter().map(|(algorithm, method)| {
            ParsedPublicKey::new(*method, encoded).ok().map(|key| (*algorithm, Verifier::PublicKey(key)))
        });
        Some(Self::new(verifiers.collect::<Option<_>>()?, encoded))
    }

    /// Creates a key from a secret that is shared with the issuer.
    pub(crate) fn secret(secret: &[u8]) -> Result<Self, String> {
        if secret.len() < Self::SMALLEST_SECRET {
            return Err(format!(
                "a shared secret must have at least {} bytes (RFC 7518, section 3.2)",
                Self::SMALLEST_SECRET
            ));
        }
        let fitting = [
            (Algorithm::HS256, hmac::HMAC_SHA256, 32),
            (Algorithm::HS384, hmac::HMAC_SHA384, 48),
            (Algorithm::HS512, hmac::HMAC_SHA512, 64),
        ];
        let fitting = fitting.into_iter().filter(|(_, _, least)| secret.len() >= *least);
        let verifiers = fitting
            .map(|(algorithm, method, _)| (algorithm, Verifier::Secret(Box::new(hmac::Key::new(method, secret)))));
        Ok(Self::new(verifiers.collect(), secret))
    }

    fn new(verifiers: Vec<(Algorithm, Verifier)>, encoded: &[u8]) -> Self {
        Self { id: None, verifiers, fingerprint: Zeroizing::new(Sha256::digest(encoded).into()) }
    }

    /// Restricts the key to the algorithm that its `alg` member names.
    pub(super) fn only(mut self, algorithm: Algorithm) -> Result<Self, String> {
        self.verifiers.retain(|(own, _)| *own == algorithm);
        if self.verifiers.is_empty() {
            return Err(format!("its `alg` {algorithm:?} does not fit its `kty`"));
        }
        Ok(self)
    }

    pub(crate) fn fits(&self, algorithm: Algorithm) -> bool {
        self.algorithms().any(|own| own == algorithm)
    }

    /// Returns `true` if this key verifies the signature of the message with this algorithm.
    pub(crate) fn verifies(&self, algorithm: Algorithm, message: &[u8], signature: &[u8]) -> bool {
        self.verifiers.iter().filter(|(own, _)| *own == algorithm).any(|(_, verifier)| match verifier {
            Verifier::PublicKey(key) => key.verify_sig(message, signature).is_ok(),
            Verifier::Secret(key) => hmac::verify(key, message, signature).is_ok(),
        })
    }

    fn algorithms(&self) -> impl Iterator<Item = Algorithm> {
        self.verifiers.iter().map(|(algorithm, _)| *algorithm)
    }
}

impl PartialEq for VerificationKey {
    fn eq(&self, other: &Self) -> bool {
        *self.fingerprint == *other.fingerprint && self.id == other.id && self.algorithms().eq(other.algorithms())
    }
}

impl fmt::Debug for VerificationKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("VerificationKey")
            .field("id", &self.id)
            .field("algorithms", &self.algorithms().collect::<Vec<_>>())
            .finish_non_exhaustive()
    }
}
