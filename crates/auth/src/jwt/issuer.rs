//! Whose tokens are taken.

use restwright_core::auth::Identity;

use crate::Algorithm;
use crate::jwks::{Jwks, KeyProvider};
use crate::keys::KeySet;

/// Somebody whose tokens are taken, for whom they have to be meant, and the keys with which they are checked.
///
/// Issuer and audience are compared as they are, character by character (RFC 7519, section 4.1).
///
/// Keys are either fetched, from one place, or given: then several may be, one by one, so that a new key is given beside the old
/// one while tokens of both are about.
#[derive(Debug, Clone)]
pub struct Issuer {
    pub(super) name: String,
    pub(super) audiences: Vec<String>,
    pub(super) keys: Option<Keys>,
    mistakes: Vec<String>,
}

/// The keys of an issuer.
#[derive(Debug, Clone)]
pub(super) enum Keys {
    Fixed(KeySet),
    Kept(KeyProvider),
}

impl Keys {
    /// Whether a token by this algorithm may be taken. A set that is fetched has no secrets.
    fn may_fit(&self, algorithm: Algorithm) -> bool {
        match self {
            Self::Fixed(keys) => keys.fits(algorithm),
            Self::Kept(_) => !algorithm.takes_secret(),
        }
    }
}

impl Issuer {
    /// An issuer by the `iss` of its tokens.
    #[must_use]
    pub fn new(issuer: impl Into<String>) -> Self {
        Self { name: issuer.into(), audiences: Vec::new(), keys: None, mistakes: Vec::new() }
    }

    /// An issuer whose keys are found by OpenID Connect Discovery.
    #[cfg(feature = "jwks")]
    #[must_use]
    pub fn discover(issuer: impl Into<String>) -> Self {
        let issuer = issuer.into();
        Self::new(issuer.clone()).jwks(Jwks::discover(issuer))
    }

    /// Adds an audience, one of which has to be in the `aud` of a token.
    #[must_use]
    pub fn audience(mut self, audience: impl Into<String>) -> Self {
        self.audiences.push(audience.into());
        self
    }

    /// Checks tokens with keys that are fetched.
    #[must_use]
    pub fn jwks(self, jwks: Jwks) -> Self {
        self.provider(jwks.provider())
    }

    /// Checks tokens with the keys of a provider that others use too, or whose status is asked for.
    #[must_use]
    pub fn provider(mut self, provider: KeyProvider) -> Self {
        self.mistakes.extend(provider.mistakes());
        self.add(Keys::Kept(provider));
        self
    }

    /// Checks tokens with keys that do not change.
    #[must_use]
    pub fn keys(mut self, keys: KeySet) -> Self {
        self.add(Keys::Fixed(keys));
        self
    }

    /// Checks tokens with a public key in PEM (RSA, P-256, P-384 or Ed25519).
    ///
    /// It has no `kid`, so that every token is tried with it, and no more than four such keys are taken.
    #[must_use]
    pub fn public_key(self, pem: impl AsRef<[u8]>) -> Self {
        self.one_key(KeySet::from_pem(pem.as_ref()), "a public key")
    }

    /// Checks tokens with a secret of at least 32 bytes that the issuer shares: HS256, with 48 bytes HS384, with 64 HS512.
    ///
    /// Whoever can check such a token can also make one; prefer keys.
    #[must_use]
    pub fn shared_secret(self, secret: impl AsRef<[u8]>) -> Self {
        self.one_key(KeySet::from_secret(secret.as_ref()), "a shared secret")
    }

    fn one_key(mut self, key: Result<KeySet, String>, what: &str) -> Self {
        match key {
            Ok(key) => self.add(Keys::Fixed(key)),
            Err(reason) => self.mistakes.push(format!("{what} of the issuer `{}` cannot be used: {reason}", self.name)),
        }
        self
    }

    fn add(&mut self, more: Keys) {
        self.keys = match (self.keys.take(), more) {
            (None, keys) => Some(keys),
            (Some(Keys::Fixed(keys)), Keys::Fixed(more)) => Some(Keys::Fixed(keys.and(more))),
            (Some(keys), _) => {
                self.mistakes.push(format!(
                    "the issuer `{}` has keys from several places; keep one of them, since keys that are fetched replace all others",
                    self.name
                ));
                Some(keys)
            }
        };
    }

    /// What is wrong with it, where these algorithms are taken.
    pub(super) fn mistakes(&self, algorithms: &[Algorithm]) -> Vec<String> {
        let mut mistakes = self.mistakes.clone();
        if self.name.is_empty() || self.audiences.iter().any(String::is_empty) {
            mistakes.push(format!(
                "the issuer `{}` or an audience of it is empty; perhaps a variable is not set",
                self.name
            ));
        }
        if self.keys.as_ref().is_some_and(|keys| !algorithms.iter().any(|algorithm| keys.may_fit(*algorithm))) {
            let names: Vec<_> = algorithms.iter().map(|algorithm| algorithm.name()).collect();
            mistakes.push(format!(
                "the issuer `{}` has no key for the algorithms that are taken ({}), so that no token of it can be; change \
                 `.algorithms(..)`, or leave it out",
                self.name,
                names.join(", ")
            ));
        }
        if self.audiences.is_empty() {
            mistakes.push(format!(
                "the issuer `{}` has no audience, so that tokens meant for others would be taken; add `.audience(..)`",
                self.name
            ));
        }
        if let Some(Keys::Fixed(keys)) = &self.keys
            && keys.has_too_many_unnamed()
        {
            mistakes.push(format!(
                "the issuer `{}` has more than {} keys without `kid` for one algorithm, so that a token would not say which; \
                 take old ones away, or give them a `kid` in `.keys(..)`",
                self.name,
                KeySet::MOST_TRIED
            ));
        }
        if self.keys.is_none() && self.mistakes.is_empty() {
            mistakes.push(format!(
                "the issuer `{}` has no keys; add `.jwks(..)`, `.keys(..)` or `.public_key(..)`",
                self.name
            ));
        }
        mistakes
    }
}

/// Who vouched for a caller, as the cache knows it.
pub(super) struct VerifiedToken {
    pub(super) identity: Identity,
    pub(super) issuer: usize,
    pub(super) set: u64,
    pub(super) expires: i64,
}
