//! One key.

use std::fmt;

use aws_lc_rs::hmac;
use aws_lc_rs::signature::{ParsedPublicKey, VerificationAlgorithm};
use sha2::{Digest, Sha256};

use super::Algorithm;

/// A key with everything that it may be used for; the token has no say in that.
///
/// It is read and found sound when it is made: what is no key is noticed when a set is read, never at a token.
#[derive(Clone)]
pub(crate) struct Key {
    pub(super) id: Option<String>,
    verifiers: Vec<(Algorithm, Verifier)>,
    fingerprint: [u8; 32],
}

/// What checks the signatures of one algorithm.
#[derive(Clone)]
enum Verifier {
    PublicKey(ParsedPublicKey),
    Secret(Box<hmac::Key>),
}

/// An algorithm, and what implements it.
pub(super) type Method = (Algorithm, &'static dyn VerificationAlgorithm);

impl Key {
    /// The smallest shared secret in bytes (RFC 7518, section 3.2).
    const SMALLEST_SECRET: usize = 32;

    /// A public key in an encoding of its kind; `None` when it is not sound, or of another kind.
    pub(super) fn public(methods: &[Method], encoded: &[u8]) -> Option<Self> {
        let verifiers = methods.iter().map(|(algorithm, method)| {
            ParsedPublicKey::new(*method, encoded).ok().map(|key| (*algorithm, Verifier::PublicKey(key)))
        });
        Some(Self::new(verifiers.collect::<Option<_>>()?, encoded))
    }

    /// A secret that the issuer shares.
    pub(crate) fn secret(secret: &[u8]) -> Result<Self, String> {
        if secret.len() < Self::SMALLEST_SECRET {
            return Err(format!(
                "a shared secret has at least {} bytes (RFC 7518, section 3.2)",
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
        Self { id: None, verifiers, fingerprint: Sha256::digest(encoded).into() }
    }

    /// Limits the key to what its own `alg` says.
    pub(super) fn only(mut self, algorithm: Algorithm) -> Result<Self, String> {
        self.verifiers.retain(|(own, _)| *own == algorithm);
        if self.verifiers.is_empty() {
            return Err(format!("its `alg` {} does not fit its `kty`", algorithm.name()));
        }
        Ok(self)
    }

    pub(crate) fn fits(&self, algorithm: Algorithm) -> bool {
        self.algorithms().any(|own| own == algorithm)
    }

    /// Whether the signature of the message is this key's, by an algorithm that fits it.
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

impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        self.fingerprint == other.fingerprint && self.id == other.id && self.algorithms().eq(other.algorithms())
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Key")
            .field("id", &self.id)
            .field("algorithms", &self.algorithms().collect::<Vec<_>>())
            .finish_non_exhaustive()
    }
}
