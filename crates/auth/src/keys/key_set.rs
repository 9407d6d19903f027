//! A set of keys.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

use jsonwebtoken::jwk::JwkSet;
use jsonwebtoken::{Algorithm, DecodingKey};
use restwright_core::runtime::log;
use serde::Deserialize;

use super::jwk::{self, KeyEntry};
use super::key::Key;
use super::{algorithm, pem};

/// The keys of an issuer (RFC 7517, section 5).
///
/// A key that cannot be used (of another kind, not sound, private, for encryption) is left out, and the reason is logged at the level
/// `debug`. At least one has to remain.
///
/// A [`JwkSet`] of jsonwebtoken becomes a key set by `KeySet::try_from(&set)`. It has already lost private and repeated members and names of
/// algorithms that jsonwebtoken does not have, so that these are not noticed; [`from_json`](Self::from_json) finds them.
///
/// ```
/// use restwright_auth::{Issuer, KeySet};
///
/// let keys = KeySet::from_json(br#"{"keys": [{"kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}"#)?;
/// let issuer = Issuer::new("https://login.example.com").audience("pets").keys(keys);
/// # Ok::<(), restwright_auth::KeySetError>(())
/// ```
#[derive(Debug, Clone)]
pub struct KeySet {
    keys: Vec<Key>,
    number: u64,
}

impl KeySet {
    /// The most keys that a set may have.
    pub const MOST_KEYS: usize = 100;
    /// The most keys that a token without a `kid` is verified with.
    pub(crate) const MOST_TRIED: usize = 4;

    /// Reads a JSON Web Key Set.
    ///
    /// # Errors
    /// It is not a key set, has no usable key, or too many.
    pub fn from_json(json: &[u8]) -> Result<Self, KeySetError> {
        #[derive(Deserialize)]
        struct Members {
            keys: Vec<KeyEntry>,
        }
        let Members { keys } = serde_json::from_slice(json)
            .map_err(|error| KeySetError(format!("it is not a JSON Web Key Set: {error}")))?;
        if keys.len() > Self::MOST_KEYS {
            return Err(KeySetError(format!("it has {} keys, more than {}", keys.len(), Self::MOST_KEYS)));
        }
        let mut usable = Vec::new();
        let mut unusable = None;
        for (position, entry) in keys.into_iter().enumerate() {
            match jwk::read(entry) {
                Ok(key) => usable.push(key),
                Err(reason) => {
                    // A reason may quote the set, which may be long.
                    let reason: String = reason.chars().take(200).collect();
                    log(|| tracing::debug!(position, reason, "a key of the set cannot be used"));
                    unusable.get_or_insert(reason);
                }
            }
        }
        if usable.is_empty() {
            let why = unusable.map_or_else(String::new, |reason| format!("; of the first: {reason}"));
            return Err(KeySetError(format!("it has no usable key{why}")));
        }
        Ok(Self::new(usable))
    }

    /// Returns a set of one public key in PEM.
    pub(crate) fn from_pem(pem: &[u8]) -> Result<Self, String> {
        Ok(Self::new(vec![pem::read(pem)?]))
    }

    pub(crate) fn from_decoding_key(key: &DecodingKey) -> Result<Self, String> {
        Ok(Self::new(vec![Key::from_decoding_key(key)?]))
    }

    pub(crate) fn from_secret(secret: &[u8]) -> Result<Self, String> {
        Ok(Self::new(vec![Key::secret(secret)?]))
    }

    fn new(keys: Vec<Key>) -> Self {
        static NUMBERS: AtomicU64 = AtomicU64::new(1);
        Self { keys, number: NUMBERS.fetch_add(1, Ordering::Relaxed) }
    }

    /// Returns a set of these keys and others.
    pub(crate) fn and(self, more: Self) -> Self {
        Self::new([self.keys, more.keys].concat())
    }

    /// Returns whether so many keys have no `kid` that a token could not say which it means.
    pub(crate) fn has_too_many_unnamed(&self) -> bool {
        let unnamed = |algorithm| self.keys.iter().filter(|key| key.id.is_none() && key.fits(algorithm)).count();
        algorithm::ALL.into_iter().any(|algorithm| unnamed(algorithm) > Self::MOST_TRIED)
    }

    pub(crate) fn fits(&self, algorithm: Algorithm) -> bool {
        self.keys.iter().any(|key| key.fits(algorithm))
    }

    /// Returns the number of keys.
    #[must_use]
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Returns whether there are no keys.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Returns a number that no other set of this process has.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Returns whether the keys are the same, in any order.
    pub(crate) fn same_keys(&self, other: &Self) -> bool {
        let within = |one: &Self, other: &Self| one.keys.iter().all(|key| other.keys.contains(key));
        self.keys.len() == other.keys.len() && within(self, other) && within(other, self)
    }

    /// Returns the keys that may have signed a token with this `kid` and `alg`.
    pub(crate) fn find(&self, id: Option<&str>, algorithm: Algorithm) -> KeyCandidates<'_> {
        let fitting = |key: &&Key| key.fits(algorithm);
        let candidates: Vec<&Key> = match id {
            Some(id) => {
                let named: Vec<_> = self.keys.iter().filter(|key| key.id.as_deref() == Some(id)).collect();
                if named.is_empty() {
                    let unnamed: Vec<_> = self.keys.iter().filter(|key| key.id.is_none()).filter(fitting).collect();
                    if unnamed.is_empty() {
                        return KeyCandidates::UnknownId;
                    }
                    unnamed
                } else {
                    named.into_iter().filter(fitting).collect()
                }
            }
            None => self.keys.iter().filter(fitting).collect(),
        };
        match candidates.len() {
            0 => KeyCandidates::None("the key does not fit the algorithm"),
            1..=Self::MOST_TRIED => KeyCandidates::Keys(candidates),
            _ => KeyCandidates::None("the token does not say which of many keys it is signed with"),
        }
    }
}

/// The keys that may have signed a token.
pub(crate) enum KeyCandidates<'a> {
    Keys(Vec<&'a Key>),
    /// No key has the `kid`; perhaps the set is too old.
    UnknownId,
    None(&'static str),
}

impl TryFrom<&JwkSet> for KeySet {
    type Error = KeySetError;

    fn try_from(set: &JwkSet) -> Result<Self, KeySetError> {
        let json = serde_json::to_vec(set).map_err(|error| KeySetError(error.to_string()))?;
        Self::from_json(&json)
    }
}

/// An error that says why something is not a usable key set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeySetError(String);

impl fmt::Display for KeySetError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for KeySetError {}
