//! A set of keys.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::Deserialize;
use serde_json::Value;

use super::{Algorithm, Key, jwk, pem};

/// The keys of an issuer (RFC 7517, section 5).
///
/// A key that cannot be used (another kind, not sound, for encryption) is left out, with its reason in the trace; at least
/// one has to remain.
#[derive(Debug, Clone)]
pub struct KeySet {
    keys: Vec<Key>,
    number: u64,
}

impl KeySet {
    /// The most keys that a set may have.
    pub const MOST_KEYS: usize = 100;
    /// With how many keys a token is tried when it does not say which it means.
    pub(crate) const MOST_TRIED: usize = 4;

    /// Reads a JSON Web Key Set.
    ///
    /// # Errors
    /// It is not a key set, has no usable key, or too many.
    pub fn from_json(json: &[u8]) -> Result<Self, KeySetError> {
        #[derive(Deserialize)]
        struct Members {
            keys: Vec<Value>,
        }
        let Members { keys } = serde_json::from_slice(json)
            .map_err(|error| KeySetError(format!("it is not a JSON Web Key Set: {error}")))?;
        if keys.len() > Self::MOST_KEYS {
            return Err(KeySetError(format!("it has {} keys, more than {}", keys.len(), Self::MOST_KEYS)));
        }
        let mut usable = Vec::new();
        let mut unusable = None;
        for (position, value) in keys.into_iter().enumerate() {
            match jwk::read(value) {
                Ok(key) => usable.push(key),
                Err(reason) => {
                    // A reason may quote the set, which may be long.
                    let reason: String = reason.chars().take(200).collect();
                    tracing::debug!(position, reason, "a key of the set is not used");
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

    /// A set of one public key in PEM.
    pub(crate) fn from_pem(pem: &[u8]) -> Result<Self, String> {
        Ok(Self::new(vec![pem::read(pem)?]))
    }

    pub(crate) fn from_secret(secret: &[u8]) -> Result<Self, String> {
        Ok(Self::new(vec![Key::secret(secret)?]))
    }

    fn new(keys: Vec<Key>) -> Self {
        static NUMBERS: AtomicU64 = AtomicU64::new(1);
        Self { keys, number: NUMBERS.fetch_add(1, Ordering::Relaxed) }
    }

    /// These keys and others.
    pub(crate) fn and(self, more: Self) -> Self {
        Self::new([self.keys, more.keys].concat())
    }

    /// Whether no token could say which key it means.
    pub(crate) fn has_too_many_unnamed(&self) -> bool {
        let unnamed = |algorithm| self.keys.iter().filter(|key| key.id.is_none() && key.fits(algorithm)).count();
        Algorithm::ALL.iter().any(|algorithm| unnamed(*algorithm) > Self::MOST_TRIED)
    }

    pub(crate) fn fits(&self, algorithm: Algorithm) -> bool {
        self.keys.iter().any(|key| key.fits(algorithm))
    }

    /// How many keys there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// What tells this set from every other of this process.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Whether the keys are the same, in whatever order.
    pub(crate) fn same_keys(&self, other: &Self) -> bool {
        let within = |one: &Self, other: &Self| one.keys.iter().all(|key| other.keys.contains(key));
        self.keys.len() == other.keys.len() && within(self, other) && within(other, self)
    }

    /// The keys that may have signed a token with this `kid` and `alg`.
    pub(crate) fn find(&self, id: Option<&str>, algorithm: Algorithm) -> Found<'_> {
        let fitting = |key: &&Key| key.fits(algorithm);
        let candidates: Vec<&Key> = match id {
            Some(id) => {
                let named: Vec<_> = self.keys.iter().filter(|key| key.id.as_deref() == Some(id)).collect();
                if named.is_empty() {
                    let unnamed: Vec<_> = self.keys.iter().filter(|key| key.id.is_none()).filter(fitting).collect();
                    if unnamed.is_empty() {
                        return Found::UnknownId;
                    }
                    unnamed
                } else {
                    named.into_iter().filter(fitting).collect()
                }
            }
            None => self.keys.iter().filter(fitting).collect(),
        };
        match candidates.len() {
            0 => Found::Nothing("the key does not fit the algorithm"),
            1..=Self::MOST_TRIED => Found::Keys(candidates),
            _ => Found::Nothing("the token does not say which of many keys it is signed with"),
        }
    }
}

/// The keys that may have signed a token.
pub(crate) enum Found<'a> {
    Keys(Vec<&'a Key>),
    /// No key has the `kid`; perhaps the set is too old.
    UnknownId,
    Nothing(&'static str),
}

/// Why something is not a usable key set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeySetError(String);

impl fmt::Display for KeySetError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for KeySetError {}
