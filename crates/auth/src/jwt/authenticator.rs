//! Defines [`JwtAuthenticator`], which authenticates requests by JSON Web Token.

use std::fmt;
use std::time::Duration;

use jsonwebtoken::Algorithm;
use restwright_core::auth::{Authentication, Authenticator, Identity, bearer_token};
use restwright_core::http::HttpRequest;
use restwright_core::operation::{OAuthFlow, SecurityScheme};
use restwright_core::{ApiState, BuildContext, BuildErrors, Clock, ComponentClock};

use super::cache::TokenCache;
use super::claims::{check_required, check_times};
use super::header::TokenHeader;
use super::identity::ClaimMapping;
use super::issuer::{Issuer, IssuerKeys, VerifiedToken};
use super::signature::check_signature;
use super::token::DecodedToken;
use super::token_error::{TokenError, quoted};
use crate::keys::{ALL_ALGORITHMS, algorithm_named};

/// Authenticates requests by a signed JSON Web Token (RFC 7519) that the client sends as a bearer token. The checks
/// follow RFC 8725.
///
/// A token must contain a configured issuer in `iss`, one of the issuer's audiences in `aud`, and a time in the future
/// in `exp`. A key of the issuer must verify its signature, with an algorithm that fits the key. Keys and key URLs
/// inside the token are ignored. Every invalid token receives the same 401; the reason is logged.
///
/// ```
/// use restwright_auth::{Issuer, Jwks, JwtAuthenticator};
/// use restwright_core::Configuration;
///
/// let issuer = Issuer::new("https://login.example.com").audience("pets").jwks(Jwks::file("/etc/pets/keys.json"));
/// let configuration =
///     Configuration::new("pets", "1.0.0").authenticator("jwt", JwtAuthenticator::new(issuer).permissions_claim("permissions"));
/// ```
pub struct JwtAuthenticator {
    issuers: Vec<Issuer>,
    algorithms: Vec<Algorithm>,
    leeway: Duration,
    max_size: usize,
    access_tokens_only: bool,
    required: Vec<String>,
    mapping: ClaimMapping,
    cache: Option<TokenCache>,
    described: SecurityScheme,
    clock: ComponentClock,
}

impl JwtAuthenticator {
    const MOST_LEEWAY: Duration = Duration::from_secs(10 * 60);

    /// Creates an authenticator that accepts the tokens of one issuer.
    #[must_use]
    pub fn new(issuer: Issuer) -> Self {
        Self {
            issuers: vec![issuer],
            algorithms: ALL_ALGORITHMS.to_vec(),
            leeway: Duration::from_secs(60),
            max_size: 8 * 1024,
            access_tokens_only: false,
            required: Vec::new(),
            mapping: ClaimMapping { subject: "sub".to_owned(), permissions: None },
            cache: None,
            described: SecurityScheme::bearer("JWT"),
            clock: ComponentClock::default(),
        }
    }

    /// Also accepts the tokens of another issuer.
    #[must_use]
    pub fn issuer(mut self, issuer: Issuer) -> Self {
        self.issuers.push(issuer);
        self
    }

    /// Sets the signature algorithms that are accepted. By default, every algorithm that fits the key is accepted.
    #[must_use]
    pub fn algorithms(mut self, algorithms: impl IntoIterator<Item = Algorithm>) -> Self {
        self.algorithms = algorithms.into_iter().collect();
        self
    }

    /// Sets the clock tolerance for `exp`, `nbf` and `iat`, 60 seconds by default. Building the Api fails if it
    /// exceeds 10 minutes.
    #[must_use]
    pub fn leeway(mut self, leeway: Duration) -> Self {
        self.leeway = leeway;
        self
    }

    /// Sets the maximum size of a token in bytes, 8 KiB by default.
    #[must_use]
    pub fn max_size(mut self, bytes: usize) -> Self {
        self.max_size = bytes;
        self
    }

    /// Accepts only access tokens, whose `typ` is `at+jwt` (RFC 9068). ID tokens of the same issuer are then rejected.
    #[must_use]
    pub fn access_tokens_only(mut self) -> Self {
        self.access_tokens_only = true;
        self
    }

    /// Requires the claim `name` in the tokens of every issuer. Its value must not be null. [`Issuer::require_claim`]
    /// also checks the value.
    #[must_use]
    pub fn require_claim(mut self, name: impl Into<String>) -> Self {
        self.required.push(name.into());
        self
    }

    /// Reads the caller's subject from the claim `name` instead of `sub`.
    #[must_use]
    pub fn subject_claim(mut self, name: impl Into<String>) -> Self {
        self.mapping.subject = name.into();
        self
    }

    /// Reads the caller's permissions from a claim. `path` is the name of the claim, or a JSON Pointer such as
    /// `/resource_access/pets/roles` (see [`Identity::claim`]).
    #[must_use]
    pub fn permissions_claim(mut self, path: impl Into<String>) -> Self {
        self.mapping.permissions = Some(path.into());
        self
    }

    /// Caches up to `tokens` verified tokens by their SHA-256 hash, until they expire or the keys change.
    ///
    /// With 0 (the default) or 1, nothing is cached. With or without the cache, a revoked token is accepted until it
    /// expires.
    #[must_use]
    pub fn remember(mut self, tokens: usize) -> Self {
        self.cache = TokenCache::new(tokens);
        self
    }

    /// Describes the authenticator as OpenID Connect in the OpenAPI document, so the documentation page can request
    /// tokens. `url` is usually the issuer followed by `/.well-known/openid-configuration`.
    #[must_use]
    pub fn open_id_connect(mut self, url: impl Into<String>) -> Self {
        self.described = SecurityScheme::open_id_connect(url);
        self
    }

    /// Adds an OAuth 2.0 flow to the authenticator's security scheme in the OpenAPI document. The documentation page
    /// can request tokens with the authorization code flow.
    ///
    /// A second call with the same kind of flow replaces the first flow.
    ///
    /// The document always lists the scopes that routes require in each flow.
    #[must_use]
    pub fn oauth_flow(mut self, flow: OAuthFlow) -> Self {
        let known = match &mut self.described {
            SecurityScheme::OAuth2 { flows, .. } => std::mem::take(flows),
            _ => Vec::new(),
        };
        self.described = SecurityScheme::oauth2(known.into_iter().chain([flow]));
        self
    }

    /// Sets the clock that is used to check `exp`, `nbf` and `iat`. The default is the clock of the Api, or the system
    /// clock without an Api. The age of fetched keys is measured with the clock of [`Jwks::clock`](crate::Jwks::clock).
    #[must_use]
    pub fn clock(mut self, clock: Clock) -> Self {
        self.clock = clock.into();
        self
    }

    /// Returns the caller that a token identifies. Verifies the token, unless it is in the cache.
    async fn identify(&self, text: &str) -> Result<Identity, TokenError> {
        let now = self.clock.unix_seconds();
        let Some(cache) = &self.cache else { return Ok(self.verify(text, now).await?.identity) };
        let digest = TokenCache::digest(text);
        if let Some(identity) = cache.get(&digest, now, |issuer| self.current_set(issuer)) {
            return Ok(identity);
        }
        let verified = self.verify(text, now).await?;
        let identity = verified.identity.clone();
        cache.insert(digest, verified, now);
        Ok(identity)
    }

    /// Returns the number that identifies the current key set of an issuer, or `None` if no keys are available.
    /// `issuer` is the position of the issuer.
    fn current_set(&self, issuer: usize) -> Option<u64> {
        match self.issuers.get(issuer)?.keys.as_ref()? {
            IssuerKeys::Fixed(set) => Some(set.number()),
            IssuerKeys::Fetched(provider) => provider.current().ok().map(|current| current.set().number()),
        }
    }

    /// Verifies the signature and the claims of a token. The signature is checked last, because this check costs most
    /// and may wait for a fetch.
    async fn verify(&self, text: &str, now: i64) -> Result<VerifiedToken, TokenError> {
        let token = DecodedToken::read(text)?;
        // The header is parsed completely, because unread members would not be checked (RFC 7515, section 5.2, step 3).
        let header = str::from_utf8(&token.header).map_err(|_not_text| "the header is not UTF-8")?;
        let header: TokenHeader<'_> =
            serde_json::from_str(header).map_err(|_malformed| "the header is malformed, or `alg` is missing")?;
        header.check(self.access_tokens_only)?;
        let algorithm = algorithm_named(&header.alg).filter(|algorithm| self.algorithms.contains(algorithm));
        let Some(algorithm) = algorithm else {
            return Err(format!("the algorithm {} is not accepted", quoted(&header.alg)).into());
        };
        let (position, issuer) = self.issuer_of(&token)?;
        let expires = check_times(&token.claims, now, self.leeway)?;
        issuer.check_claims(&token.claims)?;
        check_required(&token.claims, &self.required)?;
        let set = check_signature(issuer, header.kid.as_deref(), algorithm, &token).await?;
        let leeway = i64::try_from(self.leeway.as_secs()).unwrap_or(i64::MAX);
        let identity = self.mapping.identity(&issuer.name, token.claims, expires.saturating_add(leeway))?;
        Ok(VerifiedToken { identity, issuer: position, set, expires })
    }

    fn issuer_of(&self, token: &DecodedToken<'_>) -> Result<(usize, &Issuer), TokenError> {
        let name = token.claims.get("iss").and_then(|name| name.as_str()).ok_or("`iss` is missing")?;
        let known = self.issuers.iter().enumerate().find(|(_, issuer)| issuer.name == name);
        known.ok_or_else(|| format!("the issuer {} is unknown", quoted(name)).into())
    }
}

impl Authenticator for JwtAuthenticator {
    fn describe(&self) -> SecurityScheme {
        self.described.clone()
    }

    async fn authenticate(&self, request: &mut HttpRequest) -> Authentication {
        match bearer_token(request, self.max_size) {
            Ok(None) => Authentication::NoCredentials,
            Ok(Some(token)) => match self.identify(token).await {
                Ok(identity) => Authentication::Identity(identity),
                Err(error) => error.into(),
            },
            Err(error) => Authentication::Rejected(error.into()),
        }
    }

    fn plan(&self, context: &mut BuildContext<'_, ApiState>) -> Result<(), BuildErrors> {
        let mut errors = BuildErrors::new();
        errors.take(self.clock.plan(context));
        if self.leeway > Self::MOST_LEEWAY {
            errors.push(format!(
                "the leeway of {} seconds is too long; it must be at most 10 minutes",
                self.leeway.as_secs()
            ));
        }
        if self.algorithms.is_empty() {
            errors.push("the list of algorithms is empty, so no token is accepted; remove `.algorithms(..)`, or list at least one");
        } else {
            let mistakes = self.issuers.iter().flat_map(|issuer| issuer.mistakes(&self.algorithms));
            mistakes.for_each(|mistake| errors.push(mistake));
        }
        for (position, issuer) in self.issuers.iter().enumerate() {
            if self.issuers.iter().take(position).any(|earlier| earlier.name == issuer.name) {
                errors.push(format!(
                    "the issuer `{}` is configured twice; put all keys and audiences into one of them",
                    issuer.name
                ));
            }
            if let Some(IssuerKeys::Fetched(provider)) = &issuer.keys {
                errors.take(provider.plan(context));
            }
        }
        errors.finish(Some(()))
    }
}

impl fmt::Debug for JwtAuthenticator {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("JwtAuthenticator")
            .field("issuers", &self.issuers)
            .field("algorithms", &self.algorithms)
            .finish_non_exhaustive()
    }
}
