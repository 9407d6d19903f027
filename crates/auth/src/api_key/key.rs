//! One key.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use restwright_core::auth::Identity;
use subtle::ConstantTimeEq;

use super::text::{ApiKeyError, KeyText};

/// A key as it is stored: its id, the SHA-256 of its text, and what it allows. The text itself is nowhere.
///
/// SHA-256 without salt suffices, since a secret that [`generate`](Self::generate) makes has 256 random bits.
#[derive(Clone)]
pub struct ApiKey {
    id: String,
    digest: [u8; 32],
    subject: Option<String>,
    username: Option<String>,
    scopes: Vec<String>,
    permissions: Vec<String>,
    expires: Option<i64>,
    disabled: bool,
}

impl ApiKey {
    /// A key by its id and the SHA-256 of its text, as a database has them.
    #[must_use]
    pub fn new(id: impl Into<String>, digest: [u8; 32]) -> Self {
        Self {
            id: id.into(),
            digest,
            subject: None,
            username: None,
            scopes: Vec::new(),
            permissions: Vec::new(),
            expires: None,
            disabled: false,
        }
    }

    /// A key by its text `<id>.<secret>`; only its digest is kept.
    ///
    /// # Errors
    /// The text has another form.
    pub fn from_text(text: &str) -> Result<Self, ApiKeyError> {
        let KeyText { id, digest } = KeyText::read(text)?;
        Ok(Self::new(id, digest))
    }

    /// Makes a new key with a secret of 256 random bits. Its text is shown to its owner once, and stored nowhere.
    ///
    /// ```
    /// use restwright_auth::ApiKey;
    ///
    /// let new = ApiKey::generate("ci")?;
    /// assert!(new.text().starts_with("ci."));
    /// let stored = new.key().digest();
    /// assert_eq!(ApiKey::from_text(new.text())?.digest(), stored);
    /// # Ok::<(), restwright_auth::ApiKeyError>(())
    /// ```
    ///
    /// # Errors
    /// The id has other characters than letters, digits, `-` and `_`, or more than 64; the system has no randomness.
    pub fn generate(id: &str) -> Result<NewApiKey, ApiKeyError> {
        let mut secret = [0; 32];
        getrandom::fill(&mut secret).map_err(|_source| ApiKeyError("the system has no randomness"))?;
        let text = format!("{id}.{}", URL_SAFE_NO_PAD.encode(secret));
        Ok(NewApiKey { key: Self::from_text(&text)?, text })
    }

    /// Sets whose key it is, by the subject that this caller has with other credentials too.
    ///
    /// Without it the key is nobody's, and the caller's subject is `key:<id>`, so that the key `ann` does not pass for the user
    /// `ann` of a token. The caller has no [issuer](Identity::issuer) in either case.
    #[must_use]
    pub fn subject(mut self, subject: impl Into<String>) -> Self {
        self.subject = Some(subject.into());
        self
    }

    /// Sets the name by which people know its owner.
    #[must_use]
    pub fn username(mut self, username: impl Into<String>) -> Self {
        self.username = Some(username.into());
        self
    }

    /// Sets what it allows.
    #[must_use]
    pub fn scopes<S: Into<String>>(mut self, scopes: impl IntoIterator<Item = S>) -> Self {
        self.scopes = scopes.into_iter().map(Into::into).collect();
        self
    }

    /// Sets what its owner may do.
    #[must_use]
    pub fn permissions<S: Into<String>>(mut self, permissions: impl IntoIterator<Item = S>) -> Self {
        self.permissions = permissions.into_iter().map(Into::into).collect();
        self
    }

    /// Sets from when it is refused, in seconds since 1970.
    #[must_use]
    pub fn expires_at(mut self, unix_seconds: i64) -> Self {
        self.expires = Some(unix_seconds);
        self
    }

    /// Sets whether it is refused.
    #[must_use]
    pub fn disabled(mut self, disabled: bool) -> Self {
        self.disabled = disabled;
        self
    }

    /// The id by which it is looked up.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The SHA-256 of its text, for the database.
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        self.digest
    }

    /// A key that no text has, compared for an unknown id too. How long the look-up takes may still tell which ids there are;
    /// they are no secrets.
    pub(super) fn nobodys() -> Self {
        Self::new("", [0; 32])
    }

    /// The caller, when the digest is this key's and it may be used now.
    pub(super) fn identify(&self, digest: &[u8; 32], now: i64) -> Result<Identity, String> {
        if !bool::from(self.digest.ct_eq(digest)) || self.id.is_empty() {
            return Err("the API key is not known".to_owned());
        }
        if self.disabled {
            return Err(format!("the API key `{}` is disabled", self.id));
        }
        if self.expires.is_some_and(|expires| now >= expires) {
            return Err(format!("the API key `{}` is expired", self.id));
        }
        // No id has a colon.
        let subject = self.subject.clone().unwrap_or_else(|| format!("key:{}", self.id));
        let identity = Identity::builder(subject).scopes(&self.scopes).permissions(&self.permissions);
        Ok(match &self.username {
            Some(username) => identity.username(username),
            None => identity,
        }
        .build())
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

/// A key that was just made, with its text.
#[derive(Clone)]
pub struct NewApiKey {
    key: ApiKey,
    text: String,
}

impl NewApiKey {
    /// What its owner sends; it cannot be had again.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What is stored.
    #[must_use]
    pub fn key(&self) -> &ApiKey {
        &self.key
    }

    /// What is stored, to be changed.
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
