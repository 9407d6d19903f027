//! Defines [`ApiKey`], an API key without its secret.

use std::fmt;
use std::str::FromStr;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use restwright_core::auth::Identity;
use serde_json::{Map, Value};
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

use super::key_text::{ApiKeyError, KeyText};

/// An API key in the form that applications store, without the secret. It contains the id, the SHA-256 hash of the
/// whole key, and the permissions.
///
/// SHA-256 without salt suffices, because the secrets of [`generate`](Self::generate) have 256 random bits.
#[derive(Clone)]
pub struct ApiKey {
    id: String,
    digest: [u8; 32],
    subject: Option<String>,
    username: Option<String>,
    scopes: Vec<String>,
    permissions: Vec<String>,
    claims: Map<String, Value>,
    expires: Option<i64>,
    disabled: bool,
}

impl ApiKey {
    /// Creates a key from its id and the SHA-256 hash of the whole key `<id>.<secret>`. Applications usually read both
    /// from a database row.
    #[must_use]
    pub fn new(id: impl Into<String>, digest: [u8; 32]) -> Self {
        Self {
            id: id.into(),
            digest,
            subject: None,
            username: None,
            scopes: Vec::new(),
            permissions: Vec::new(),
            claims: Map::new(),
            expires: None,
            disabled: false,
        }
    }

    /// Generates a key with a secret of 256 random bits. Show [`text`](NewApiKey::text) to the owner once, and do not
    /// store it.
    ///
    /// ```
    /// use restwright_auth::ApiKey;
    ///
    /// let new = ApiKey::generate("ci")?;
    /// assert!(new.text().starts_with("ci."));
    /// let stored = new.key().digest();
    /// assert_eq!(new.text().parse::<ApiKey>()?.digest(), stored);
    /// # Ok::<(), restwright_auth::ApiKeyError>(())
    /// ```
    ///
    /// # Errors
    /// Fails if the id is empty, is longer than 64 characters, or contains characters other than letters, digits, `-`
    /// and `_`. Also fails if the system has no randomness.
    pub fn generate(id: &str) -> Result<NewApiKey, ApiKeyError> {
        let mut secret = Zeroizing::new([0; 32]);
        getrandom::fill(&mut *secret).map_err(|_source| ApiKeyError("the operating system provides no randomness"))?;
        let mut encoded = Zeroizing::new([0; 43]);
        // The length is exactly 32 bytes in base64url, which is ASCII.
        drop(URL_SAFE_NO_PAD.encode_slice(*secret, &mut *encoded));
        let encoded = str::from_utf8(&*encoded).unwrap_or_default();
        // The full capacity is allocated first, so growing leaves no copies in memory.
        let mut text = Zeroizing::new(String::with_capacity(id.len() + 1 + encoded.len()));
        [id, ".", encoded].into_iter().for_each(|part| text.push_str(part));
        Ok(NewApiKey { key: text.parse()?, text })
    }

    /// Sets the subject (user id) of the key's owner. Use the same subject as in the owner's tokens.
    ///
    /// The default subject is `key:<id>`, so a key with the id `ann` is not mistaken for the user `ann` of a token. The
    /// caller has no [issuer](Identity::issuer) in either case.
    #[must_use]
    pub fn subject(mut self, subject: impl Into<String>) -> Self {
        self.subject = Some(subject.into());
        self
    }

    /// Sets the display name of the key's owner.
    #[must_use]
    pub fn username(mut self, username: impl Into<String>) -> Self {
        self.username = Some(username.into());
        self
    }

    /// Sets the scopes of the key.
    #[must_use]
    pub fn scopes<S: Into<String>>(mut self, scopes: impl IntoIterator<Item = S>) -> Self {
        self.scopes = scopes.into_iter().map(Into::into).collect();
        self
    }

    /// Sets the permissions of the key.
    #[must_use]
    pub fn permissions<S: Into<String>>(mut self, permissions: impl IntoIterator<Item = S>) -> Self {
        self.permissions = permissions.into_iter().map(Into::into).collect();
        self
    }

    /// Adds a claim to the identity of callers that use the key, for example their tenant.
    #[must_use]
    pub fn claim(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.claims.insert(name.into(), value.into());
        self
    }

    /// Sets the time at which the key expires, in Unix seconds.
    #[must_use]
    pub fn expires_at(mut self, unix_seconds: i64) -> Self {
        self.expires = Some(unix_seconds);
        self
    }

    /// Disables the key (`true`) or enables it (`false`). Requests with a disabled key are rejected.
    #[must_use]
    pub fn disabled(mut self, disabled: bool) -> Self {
        self.disabled = disabled;
        self
    }

    /// Returns the id of the key, which is the part before the first `.`.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the SHA-256 hash of the whole key, to store in the database.
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        self.digest
    }

    /// Returns a placeholder key that matches no request. A request with an unknown id is compared with this key, so
    /// the comparison does not reveal the id. The time of the look-up may still reveal which ids exist; ids are not
    /// secret.
    pub(super) fn placeholder() -> Self {
        Self::new("", [0; 32])
    }

    /// Returns the identity of the caller if the digest matches and the key is valid at the time `now`.
    pub(super) fn identify(&self, digest: &[u8; 32], now: i64) -> Result<Identity, String> {
        if !bool::from(self.digest.ct_eq(digest)) || self.id.is_empty() {
            return Err("the API key is unknown".to_owned());
        }
        if self.disabled {
            return Err(format!("the API key `{}` is disabled", self.id));
        }
        if self.expires.is_some_and(|expires| now >= expires) {
            return Err(format!("the API key `{}` is expired", self.id));
        }
        // Ids contain no colon.
        let subject = self.subject.clone().unwrap_or_else(|| format!("key:{}", self.id));
        let identity = Identity::builder(subject)
            .credential_id(&self.id)
            .scopes(&self.scopes)
            .permissions(&self.permissions)
            .claims(self.claims.clone());
        Ok(match &self.username {
            Some(username) => identity.username(username),
            None => identity,
        }
        .build())
    }
}

/// Parses an API key of the form `<id>.<secret>`. Only the hash of the key is stored.
///
/// ```
/// use restwright_auth::ApiKey;
///
/// let key: ApiKey = "ci.0123456789abcdef".parse()?;
/// assert_eq!(key.id(), "ci");
/// # Ok::<(), restwright_auth::ApiKeyError>(())
/// ```
impl FromStr for ApiKey {
    type Err = ApiKeyError;

    fn from_str(key: &str) -> Result<Self, ApiKeyError> {
        let KeyText { id, digest } = KeyText::read(key)?;
        Ok(Self::new(id, digest))
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("ApiKey")
            .field("id", &self.id)
            .field("scopes", &self.scopes)
            .field("expires", &self.expires)
            .field("disabled", &self.disabled)
            .finish_non_exhaustive()
    }
}

/// A newly generated key, including its secret. The secret is zeroized on drop.
#[derive(Clone)]
pub struct NewApiKey {
    key: ApiKey,
    text: Zeroizing<String>,
}

impl NewApiKey {
    /// Returns the whole key `<id>.<secret>`, which clients send. It cannot be recovered later.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the key to store, without the secret.
    #[must_use]
    pub fn key(&self) -> &ApiKey {
        &self.key
    }

    /// Returns the key to store, without the secret. Set its owner, scopes and expiry with the methods of [`ApiKey`].
    #[must_use]
    pub fn into_key(self) -> ApiKey {
        self.key
    }
}

impl fmt::Debug for NewApiKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("NewApiKey").field("key", &self.key).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use zeroize::ZeroizeOnDrop;

    use super::*;

    #[test]
    fn texts_of_keys_are_made_whole_and_cleared() {
        fn is_cleared(_: &impl ZeroizeOnDrop) {}

        let new = ApiKey::generate("ci").unwrap();
        is_cleared(&new.text);
        assert_eq!((new.text().len(), new.text.capacity()), (46, 46));
        assert_ne!(new.text(), ApiKey::generate("ci").unwrap().text());
    }
}
