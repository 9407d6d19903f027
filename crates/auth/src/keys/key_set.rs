//! Defines [`KeySet`], the keys of an issuer.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use jsonwebtoken::jwk::JwkSet;
use jsonwebtoken::{Algorithm, DecodingKey};
use restwright_core::runtime::log;
use serde::Deserialize;

use super::jwk::{self, KeyEntry};
use super::key::VerificationKey;
use super::unusable_key::UnusableKey;
use super::{algorithm, pem};

/// A JSON Web Key Set (RFC 7517, section 5), which contains the keys of an issuer.
///
/// Unusable keys are left out. A key is unusable if it is invalid, private, for encryption, or of an unsupported type. The
/// reason is logged at the level `debug`, and once at `warn` when a token has the `kid` of the key. At least one key must
/// be usable.
///
/// `KeySet::try_from(&set)` converts a [`JwkSet`] of jsonwebtoken. A `JwkSet` no longer contains private members,
/// repeated members and unknown algorithm names, so the conversion cannot detect them. [`from_json`](Self::from_json)
/// detects them.
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
    keys: Vec<VerificationKey>,
    left_out: Arc<[UnusableKey]>,
    number: u64,
}

impl KeySet {
    /// The maximum number of keys in a JSON Web Key Set.
    pub const MOST_KEYS: usize = 100;
    /// The maximum number of keys that are tried for a token without a `kid`.
    pub(crate) const MOST_TRIED: usize = 4;

    /// Parses a JSON Web Key Set.
    ///
    /// # Errors
    /// Fails if `json` is not a key set, or if the set has no usable key or too many keys.
    pub fn from_json(json: &[u8]) -> Result<Self, KeySetError> {
        #[derive(Deserialize)]
        struct KeySetMembers {
            keys: Vec<KeyEntry>,
        }
        let KeySetMembers { keys } = serde_json::from_slice(json)
            .map_err(|error| KeySetError(format!("it is not a JSON Web Key Set: {error}")))?;
        if keys.len() > Self::MOST_KEYS {
            return Err(KeySetError(format!(
                "it has {} keys, which is more than the maximum of {}",
                keys.len(),
                Self::MOST_KEYS
            )));
        }
        let (mut usable, mut unusable) = (Vec::new(), Vec::new());
        for (position, entry) in keys.into_iter().enumerate() {
            let names = entry.names();
            match jwk::read(entry) {
                Ok(key) => usable.push(key),
                Err(reason) => {
                    let key = UnusableKey::new(names, &reason);
                    log(|| tracing::debug!(position, reason = key.reason, "a key of the set cannot be used"));
                    unusable.push(key);
                }
            }
        }
        if usable.is_empty() {
            let why = unusable.first().map_or_else(String::new, |key| format!("; of the first: {}", key.reason));
            return Err(KeySetError(format!("it has no usable key{why}")));
        }
        Ok(Self { left_out: unusable.into(), ..Self::new(usable) })
    }

    /// Creates a key set that contains one public key in PEM.
    pub(crate) fn from_pem(pem: &[u8]) -> Result<Self, String> {
        Ok(Self::new(vec![pem::read(pem)?]))
    }

    pub(crate) fn from_decoding_key(key: &DecodingKey) -> Result<Self, String> {
        Ok(Self::new(vec![VerificationKey::from_decoding_key(key)?]))
    }

    pub(crate) fn from_secret(secret: &[u8]) -> Result<Self, String> {
        Ok(Self::new(vec![VerificationKey::secret(secret)?]))
    }

    fn new(keys: Vec<VerificationKey>) -> Self {
        static NUMBERS: AtomicU64 = AtomicU64::new(1);
        Self { keys, left_out: Arc::default(), number: NUMBERS.fetch_add(1, Ordering::Relaxed) }
    }

    /// Returns a key set that contains the keys of both sets.
    pub(crate) fn and(self, more: Self) -> Self {
        let left_out = self.left_out.iter().chain(&*more.left_out).cloned().collect();
        Self { left_out, ..Self::new([self.keys, more.keys].concat()) }
    }

    /// Returns `true` if more than [`MOST_TRIED`](Self::MOST_TRIED) keys for one algorithm have no `kid`.
    pub(crate) fn has_too_many_unnamed(&self) -> bool {
        let unnamed = |algorithm| self.keys.iter().filter(|key| key.id.is_none() && key.fits(algorithm)).count();
        algorithm::ALL.into_iter().any(|algorithm| unnamed(algorithm) > Self::MOST_TRIED)
    }

    pub(crate) fn fits(&self, algorithm: Algorithm) -> bool {
        self.keys.iter().any(|key| key.fits(algorithm))
    }

    /// Logs the key that the set left out and that has this `kid`, once.
    pub(crate) fn log_left_out(&self, id: &str) {
        self.left_out.iter().filter(|key| key.id.as_deref() == Some(id)).for_each(UnusableKey::log_once);
    }

    /// Returns the number of keys in the set.
    #[must_use]
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Returns `true` if the set contains no keys.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Returns the number that identifies the key set in this process.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Returns `true` if both sets contain the same keys, in any order.
    pub(crate) fn same_keys(&self, other: &Self) -> bool {
        let within = |one: &Self, other: &Self| one.keys.iter().all(|key| other.keys.contains(key));
        self.keys.len() == other.keys.len() && within(self, other) && within(other, self)
    }

    /// Returns the keys to try for a token with this `kid` and `alg`.
    pub(crate) fn find(&self, id: Option<&str>, algorithm: Algorithm) -> KeyCandidates<'_> {
        let fitting = |key: &&VerificationKey| key.fits(algorithm);
        let candidates: Vec<&VerificationKey> = match id {
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
            _ => KeyCandidates::None("the token has no `kid`, and too many keys could have signed it"),
        }
    }
}

/// The keys to try when the signature of a token is verified.
pub(crate) enum KeyCandidates<'a> {
    Keys(Vec<&'a VerificationKey>),
    /// No key in the set has the `kid` of the token. A newer set may contain it.
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

/// The reason why a key set cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeySetError(String);

impl fmt::Display for KeySetError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for KeySetError {}
