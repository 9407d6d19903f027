//! Defines [`Issuer`], an issuer of tokens with its audiences and keys.

use jsonwebtoken::{Algorithm, AlgorithmFamily, DecodingKey};
use restwright_core::auth::Identity;
#[cfg(feature = "jwks")]
use restwright_core::{Settings, SetupError};
use serde_json::{Map, Value};

use super::claims::has_audience;
use crate::jwks::{Jwks, KeyProvider};
use crate::keys::KeySet;

/// A trusted issuer of tokens, with the accepted audiences and the keys that verify its tokens.
///
/// Issuer and audience are compared character by character (RFC 7519, section 4.1).
///
/// Keys are either fetched from one source, or fixed. Several fixed keys may be added one by one, for example the new
/// and the old key during a rotation.
#[derive(Debug, Clone)]
pub struct Issuer {
    pub(super) name: String,
    audiences: Vec<String>,
    without_audience: bool,
    /// The required claims, each with a list of accepted values.
    required: Vec<(String, Vec<String>)>,
    pub(super) keys: Option<IssuerKeys>,
    mistakes: Vec<String>,
}

/// The keys of an issuer, which are either fixed or fetched.
#[derive(Debug, Clone)]
pub(super) enum IssuerKeys {
    Fixed(KeySet),
    Fetched(KeyProvider),
}

impl IssuerKeys {
    /// Returns `true` if the issuer may have a key for this algorithm. Fetched key sets never contain shared secrets,
    /// so they have no key for HMAC.
    fn may_fit(&self, algorithm: Algorithm) -> bool {
        match self {
            Self::Fixed(keys) => keys.fits(algorithm),
            Self::Fetched(_) => algorithm.family() != AlgorithmFamily::Hmac,
        }
    }
}

impl Issuer {
    /// Creates a trusted issuer of tokens. `issuer` must equal the `iss` of its tokens.
    #[must_use]
    pub fn new(issuer: impl Into<String>) -> Self {
        Self {
            name: issuer.into(),
            audiences: Vec::new(),
            without_audience: false,
            required: Vec::new(),
            keys: None,
            mistakes: Vec::new(),
        }
    }

    /// Creates a trusted issuer whose keys are fetched with OpenID Connect Discovery. `issuer` is the `iss` of its
    /// tokens and the base of the discovery URL.
    #[cfg(feature = "jwks")]
    #[must_use]
    pub fn discover(issuer: impl Into<String>) -> Self {
        let issuer = issuer.into();
        Self::new(issuer.clone()).jwks(Jwks::discover(issuer))
    }

    /// Creates the issuer that the environment declares: `JWT_ISSUER`, the list `JWT_AUDIENCE`, and `JWKS_URL`, where its
    /// keys are fetched. Each name has the prefix of the settings.
    ///
    /// Without `JWKS_URL`, the keys are found with OpenID Connect Discovery.
    ///
    /// ```
    /// use restwright_auth::{Issuer, JwtAuthenticator};
    /// use restwright_core::Settings;
    ///
    /// let variables = [("SHOP_JWT_ISSUER", "https://login.example.com"), ("SHOP_JWT_AUDIENCE", "shop,shop-admin")];
    /// let authenticator = JwtAuthenticator::new(Issuer::from_settings(&Settings::new("SHOP", variables))?);
    /// # Ok::<(), restwright_core::SetupError>(())
    /// ```
    ///
    /// # Errors
    /// Fails if `JWT_ISSUER` or `JWT_AUDIENCE` is not set. Building the Api fails if a URL is invalid.
    #[cfg(feature = "jwks")]
    pub fn from_settings(settings: &Settings) -> Result<Self, SetupError> {
        let issuer: String = settings.required("JWT_ISSUER")?;
        settings.required::<String>("JWT_AUDIENCE")?;
        let jwks = settings.optional::<String>("JWKS_URL")?.map_or_else(|| Jwks::discover(&issuer), Jwks::url);
        Ok(settings.list("JWT_AUDIENCE")?.into_iter().fold(Self::new(issuer).jwks(jwks), Self::audience))
    }

    /// Adds an accepted audience. The `aud` of a token must contain one of the audiences.
    #[must_use]
    pub fn audience(mut self, audience: impl Into<String>) -> Self {
        self.audiences.push(audience.into());
        self
    }

    /// Accepts tokens without `aud`. Some providers omit `aud` from access tokens.
    ///
    /// Without `aud`, a token may be meant for another service. Building the Api therefore fails unless
    /// [`require_claim`](Self::require_claim) names a claim that identifies the service. A token with an `aud` must
    /// still contain one of the [audiences](Self::audience).
    ///
    /// ```
    /// use restwright_auth::{Issuer, Jwks};
    ///
    /// let issuer = Issuer::new("https://login.example.com")
    ///     .without_audience()
    ///     .require_claim("client_id", ["pets-web", "pets-app"])
    ///     .jwks(Jwks::file("/etc/pets/keys.json"));
    /// ```
    #[must_use]
    pub fn without_audience(mut self) -> Self {
        self.without_audience = true;
        self
    }

    /// Requires the claim `name` in the tokens of this issuer. The value of the claim must be one of `values`.
    #[must_use]
    pub fn require_claim<V: Into<String>>(
        mut self,
        name: impl Into<String>,
        values: impl IntoIterator<Item = V>,
    ) -> Self {
        self.required.push((name.into(), values.into_iter().map(Into::into).collect()));
        self
    }

    /// Verifies tokens with keys from a URL or a file.
    #[must_use]
    pub fn jwks(self, jwks: Jwks) -> Self {
        self.provider(jwks.provider())
    }

    /// Verifies tokens with the keys of an existing [`KeyProvider`]. Use it to share a provider between issuers or to
    /// read its status.
    #[must_use]
    pub fn provider(mut self, provider: KeyProvider) -> Self {
        self.mistakes.extend(provider.mistakes());
        self.add(IssuerKeys::Fetched(provider));
        self
    }

    /// Verifies tokens with a fixed key set.
    #[must_use]
    pub fn keys(mut self, keys: KeySet) -> Self {
        self.add(IssuerKeys::Fixed(keys));
        self
    }

    /// Verifies tokens with a public key in PEM (RSA, P-256, P-384 or Ed25519).
    ///
    /// The key has no `kid`, so it is tried for every token. At most four such keys are allowed per algorithm. During a
    /// rotation, call this method for both keys.
    #[must_use]
    pub fn public_key(self, pem: impl AsRef<[u8]>) -> Self {
        self.one_key(KeySet::from_pem(pem.as_ref()), "a public key")
    }

    /// Verifies tokens with a key of the crate jsonwebtoken, such as `DecodingKey::from_jwk(&jwk)`.
    ///
    /// The key is checked like the keys of a set. It has no `kid`. An elliptic curve key must be an uncompressed point,
    /// or DER that names its curve.
    #[must_use]
    pub fn key(self, key: &DecodingKey) -> Self {
        self.one_key(KeySet::from_decoding_key(key), "a key")
    }

    /// Verifies tokens with a secret that is shared with the issuer (HMAC). HS256 requires 32 bytes, HS384 requires 48,
    /// and HS512 requires 64.
    ///
    /// Anyone who can verify such a token can also sign one, so prefer public keys. The stored copy is zeroized on
    /// drop.
    #[must_use]
    pub fn shared_secret(self, secret: impl AsRef<[u8]>) -> Self {
        self.one_key(KeySet::from_secret(secret.as_ref()), "a shared secret")
    }

    fn one_key(mut self, key: Result<KeySet, String>, what: &str) -> Self {
        match key {
            Ok(key) => self.add(IssuerKeys::Fixed(key)),
            Err(reason) => self.mistakes.push(format!("{what} of the issuer `{}` cannot be used: {reason}", self.name)),
        }
        self
    }

    fn add(&mut self, more: IssuerKeys) {
        self.keys = match (self.keys.take(), more) {
            (None, keys) => Some(keys),
            (Some(IssuerKeys::Fixed(keys)), IssuerKeys::Fixed(more)) => Some(IssuerKeys::Fixed(keys.and(more))),
            (Some(keys), _) => {
                self.mistakes.push(format!(
                    "the issuer `{}` has several sources of keys; keep one of them, because fetched keys replace all others",
                    self.name
                ));
                Some(keys)
            }
        };
    }

    /// Checks `aud` and the claims that this issuer requires.
    pub(super) fn check_claims(&self, claims: &Map<String, Value>) -> Result<(), String> {
        if !has_audience(claims, &self.audiences, self.without_audience) {
            return Err("the token was issued for another audience".to_owned());
        }
        let has_one_of = |name: &str, values: &[String]| {
            claims.get(name).and_then(Value::as_str).is_some_and(|text| values.iter().any(|value| value == text))
        };
        match self.required.iter().find(|(name, values)| !has_one_of(name, values)) {
            Some((name, _)) => Err(format!("the claim `{name}` contains none of the required values")),
            None => Ok(()),
        }
    }

    /// Returns an error message for each invalid setting of the issuer. `algorithms` are the algorithms that the
    /// authenticator accepts.
    pub(super) fn mistakes(&self, algorithms: &[Algorithm]) -> Vec<String> {
        let mut mistakes = self.mistakes.clone();
        if self.name.is_empty() || self.audiences.iter().any(String::is_empty) {
            mistakes.push(format!(
                "the issuer `{}` or one of its audiences is empty; check that its environment variable is set",
                self.name
            ));
        }
        if self.keys.as_ref().is_some_and(|keys| !algorithms.iter().any(|algorithm| keys.may_fit(*algorithm))) {
            let names: Vec<_> = algorithms.iter().map(|algorithm| format!("{algorithm:?}")).collect();
            mistakes.push(format!(
                "the issuer `{}` has no key for the accepted algorithms ({}), so none of its tokens would be accepted; change or remove `.algorithms(..)`",
                self.name,
                names.join(", ")
            ));
        }
        if self.without_audience && self.required.is_empty() {
            mistakes.push(format!(
                "the issuer `{}` accepts tokens without an audience, so it also accepts tokens for other services; require the claim that identifies this service, such as `.require_claim(\"client_id\", [\"..\"])`",
                self.name
            ));
        } else if self.audiences.is_empty() && !self.without_audience {
            mistakes.push(format!(
                "the issuer `{}` has no audience, so tokens for other services would be accepted; add `.audience(..)`, or `.without_audience()` if its tokens have no `aud`",
                self.name
            ));
        }
        for (name, values) in &self.required {
            if name.is_empty() || values.is_empty() || values.iter().any(String::is_empty) {
                mistakes.push(format!(
                    "the issuer `{}` requires the claim `{name}`, whose name or values are empty; check that its environment variable is set",
                    self.name
                ));
            }
        }
        if let Some(IssuerKeys::Fixed(keys)) = &self.keys
            && keys.has_too_many_unnamed()
        {
            mistakes.push(format!(
                "the issuer `{}` has more than {} keys without `kid` for one algorithm; remove old keys, or set a `kid` for each in `.keys(..)`",
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

/// The result of verifying a token. It contains the caller, and the key set and expiry that the cache checks.
pub(super) struct VerifiedToken {
    pub(super) identity: Identity,
    pub(super) issuer: usize,
    pub(super) set: u64,
    pub(super) expires: i64,
}
