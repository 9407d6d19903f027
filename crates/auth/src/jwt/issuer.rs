//! Whose tokens are taken.

use restwright_core::auth::Identity;

use crate::jwks::{Jwks, KeyProvider};
use crate::keys::{Key, KeySet};

/// Somebody whose tokens are taken, for whom they have to be meant, and the keys with which they are checked.
///
/// Issuer and audience are compared as they are, character by character (RFC 7519, section 4.1).
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
        self.keys = Some(Keys::Kept(provider));
        self
    }

    /// Checks tokens with keys that do not change.
    #[must_use]
    pub fn keys(mut self, keys: KeySet) -> Self {
        self.keys = Some(Keys::Fixed(keys));
        self
    }

    /// Checks tokens with one public key in PEM (RSA, P-256, P-384 or Ed25519).
    #[must_use]
    pub fn public_key(self, pem: impl AsRef<[u8]>) -> Self {
        self.one_key(Key::pem(pem.as_ref()), "the public key")
    }

    /// Checks tokens with a secret of at least 32 bytes that the issuer shares: HS256, with 48 bytes HS384, with 64 HS512.
    ///
    /// Whoever can check such a token can also make one; prefer keys.
    #[must_use]
    pub fn shared_secret(self, secret: impl AsRef<[u8]>) -> Self {
        self.one_key(Key::secret(secret.as_ref()), "the shared secret")
    }

    fn one_key(mut self, key: Result<Key, String>, what: &str) -> Self {
        match key {
            Ok(key) => self.keys = Some(Keys::Fixed(KeySet::new(vec![key]))),
            Err(reason) => self.mistakes.push(format!("{what} of the issuer `{}` cannot be used: {reason}", self.name)),
        }
        self
    }

    pub(super) fn mistakes(&self) -> Vec<String> {
        let mut mistakes = self.mistakes.clone();
        if self.audiences.is_empty() {
            mistakes.push(format!(
                "the issuer `{}` has no audience, so that tokens meant for others would be taken; add `.audience(..)`",
                self.name
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
pub(super) struct Vouched {
    pub(super) identity: Identity,
    pub(super) issuer: usize,
    pub(super) set: u64,
    pub(super) expires: i64,
}
