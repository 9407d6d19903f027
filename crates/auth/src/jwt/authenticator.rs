//! Finds out who calls by their token.

use std::fmt;
use std::time::Duration;

use restwright_core::auth::{Authentication, Authenticator, Identity};
use restwright_core::http::HttpRequest;
use restwright_core::operation::{OAuthFlow, SecurityScheme};
use restwright_core::{ApiScope, BuildContext, BuildErrors, Clock};

use super::bearer;
use super::cache::TokenCache;
use super::claims::{check_times, is_for};
use super::header::Header;
use super::identity::Mapping;
use super::issuer::{Issuer, Keys, VerifiedToken};
use super::refusal::{Refusal, quoted};
use super::signature::check_signature;
use super::token::Token;
use crate::Algorithm;

/// Bearer tokens that an issuer signed (RFC 7519), taken as RFC 8725 asks.
///
/// A token needs an issuer that is known, an audience that is meant, and an `exp` in the future; its signature has to be by
/// a key of that issuer and an algorithm that fits the key. What the token says of keys and algorithms is never trusted.
/// Whatever is wrong with a token, the answer is the same 401; the reason is in the trace.
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
    leeway: i64,
    largest: usize,
    access_tokens_only: bool,
    required: Vec<String>,
    mapping: Mapping,
    cache: Option<TokenCache>,
    described: SecurityScheme,
    clock: Clock,
}

impl JwtAuthenticator {
    /// Takes the tokens of an issuer.
    #[must_use]
    pub fn new(issuer: Issuer) -> Self {
        Self {
            issuers: vec![issuer],
            algorithms: Algorithm::ALL.to_vec(),
            leeway: 60,
            largest: 8 * 1024,
            access_tokens_only: false,
            required: Vec::new(),
            mapping: Mapping { subject: "sub".to_owned(), permissions: None },
            cache: None,
            described: SecurityScheme::bearer("JWT"),
            clock: Clock::system(),
        }
    }

    /// Takes the tokens of another issuer too.
    #[must_use]
    pub fn issuer(mut self, issuer: Issuer) -> Self {
        self.issuers.push(issuer);
        self
    }

    /// Takes only these algorithms; by default every one that fits the key.
    #[must_use]
    pub fn algorithms(mut self, algorithms: impl IntoIterator<Item = Algorithm>) -> Self {
        self.algorithms = algorithms.into_iter().collect();
        self
    }

    /// Sets by how much clocks may differ; 60 seconds by default.
    #[must_use]
    pub fn leeway(mut self, leeway: Duration) -> Self {
        self.leeway = i64::try_from(leeway.as_secs()).unwrap_or(i64::MAX);
        self
    }

    /// Sets the largest token in bytes; 8 KiB by default.
    #[must_use]
    pub fn max_size(mut self, bytes: usize) -> Self {
        self.largest = bytes;
        self
    }

    /// Takes only tokens whose `typ` is `at+jwt` (RFC 9068), so that no identity token of the same issuer passes for an
    /// access token.
    #[must_use]
    pub fn access_tokens_only(mut self) -> Self {
        self.access_tokens_only = true;
        self
    }

    /// Requires a claim to be there.
    #[must_use]
    pub fn require_claim(mut self, name: impl Into<String>) -> Self {
        self.required.push(name.into());
        self
    }

    /// Reads the caller's identifier from another claim than `sub`.
    #[must_use]
    pub fn subject_claim(mut self, name: impl Into<String>) -> Self {
        self.mapping.subject = name.into();
        self
    }

    /// Reads permissions from a claim, by its name or a JSON Pointer such as `/resource_access/pets/roles`
    /// ([`Identity::claim`]).
    #[must_use]
    pub fn permissions_claim(mut self, path: impl Into<String>) -> Self {
        self.mapping.permissions = Some(path.into());
        self
    }

    /// Remembers up to so many verified tokens by their SHA-256, at most until they expire; everything is dropped when the
    /// keys change. A token that the issuer revokes is taken until then, with or without this. With 0 or 1, as by default,
    /// none is remembered.
    #[must_use]
    pub fn remember(mut self, tokens: usize) -> Self {
        self.cache = TokenCache::new(tokens);
        self
    }

    /// Documents OpenID Connect, by the address at which the provider describes itself, so that the documentation page can
    /// ask for tokens: usually the issuer's with `/.well-known/openid-configuration` behind it.
    #[must_use]
    pub fn open_id_connect(mut self, url: impl Into<String>) -> Self {
        self.described = SecurityScheme::open_id_connect(url);
        self
    }

    /// Documents an OAuth 2.0 flow, in place of one of the same kind. With an authorization code the documentation page can ask
    /// for tokens.
    ///
    /// The scopes that routes require are documented with the flow, whether or not it describes them.
    #[must_use]
    pub fn oauth_flow(mut self, flow: OAuthFlow) -> Self {
        let known = match &mut self.described {
            SecurityScheme::OAuth2 { flows, .. } => std::mem::take(flows),
            _ => Vec::new(),
        };
        self.described = SecurityScheme::oauth2(known.into_iter().chain([flow]));
        self
    }

    /// Goes by another clock.
    #[must_use]
    pub fn clock(mut self, clock: Clock) -> Self {
        self.clock = clock;
        self
    }

    /// The caller of a token, remembered or verified.
    async fn identify(&self, text: &str) -> Result<Identity, Refusal> {
        let now = self.clock.unix_seconds();
        let Some(cache) = &self.cache else { return Ok(self.verify(text, now).await?.identity) };
        if text.len() > self.largest {
            return Err("the token is too long".into());
        }
        let digest = TokenCache::digest(text);
        if let Some(identity) = cache.get(&digest, now, |issuer| self.current_set(issuer)) {
            return Ok(identity);
        }
        let vouched = self.verify(text, now).await?;
        let identity = vouched.identity.clone();
        cache.insert(digest, vouched, now);
        Ok(identity)
    }

    /// The number of the set that an issuer has now; `None` in an outage.
    fn current_set(&self, issuer: usize) -> Option<u64> {
        match self.issuers.get(issuer)?.keys.as_ref()? {
            Keys::Fixed(set) => Some(set.number()),
            Keys::Kept(provider) => provider.current().ok().map(|current| current.set().number()),
        }
    }

    /// Everything is checked before the signature, which costs most and needs a key that may have to be looked for.
    async fn verify(&self, text: &str, now: i64) -> Result<VerifiedToken, Refusal> {
        let token = Token::read(text, self.largest)?;
        let header: Header<'_> =
            serde_json::from_slice(&token.header).map_err(|_malformed| "the header is malformed, or has no `alg`")?;
        header.check(self.access_tokens_only)?;
        let algorithm = Algorithm::named(&header.alg).filter(|algorithm| self.algorithms.contains(algorithm));
        let Some(algorithm) = algorithm else {
            return Err(format!("the algorithm {} is not taken", quoted(&header.alg)).into());
        };
        let (position, issuer) = self.issuer_of(&token)?;
        let expires = check_times(&token.claims, now, self.leeway)?;
        if !is_for(&token.claims, &issuer.audiences) {
            return Err("the token is meant for another audience".into());
        }
        if let Some(name) =
            self.required.iter().find(|name| token.claims.get(*name).is_none_or(|claim| claim.is_null()))
        {
            return Err(format!("the claim `{name}` is missing").into());
        }
        let set = check_signature(issuer, header.kid.as_deref(), algorithm, &token).await?;
        let identity = self.mapping.identity(&issuer.name, token.claims)?;
        Ok(VerifiedToken { identity, issuer: position, set, expires })
    }

    fn issuer_of(&self, token: &Token<'_>) -> Result<(usize, &Issuer), Refusal> {
        let name = token.claims.get("iss").and_then(|name| name.as_str()).ok_or("there is no `iss`")?;
        let known = self.issuers.iter().enumerate().find(|(_, issuer)| issuer.name == name);
        known.ok_or_else(|| format!("the issuer {} is not known", quoted(name)).into())
    }
}

impl Authenticator for JwtAuthenticator {
    fn describe(&self) -> SecurityScheme {
        self.described.clone()
    }

    async fn authenticate(&self, request: &mut HttpRequest) -> Authentication {
        match bearer::token(request) {
            Ok(None) => Authentication::NoCredentials,
            Ok(Some(token)) => match self.identify(token).await {
                Ok(identity) => Authentication::Identity(identity),
                Err(refusal) => refusal.into(),
            },
            Err(reason) => Refusal::from(reason).into(),
        }
    }

    fn plan(&self, context: &mut BuildContext<'_, ApiScope>) -> Result<(), BuildErrors> {
        let mut errors = BuildErrors::new();
        if self.algorithms.is_empty() {
            errors.push("no algorithm is taken, so that no token can be; leave `.algorithms(..)` out, or name one");
        } else {
            let mistakes = self.issuers.iter().flat_map(|issuer| issuer.mistakes(&self.algorithms));
            mistakes.for_each(|mistake| errors.push(mistake));
        }
        for (position, issuer) in self.issuers.iter().enumerate() {
            if self.issuers.iter().take(position).any(|earlier| earlier.name == issuer.name) {
                errors.push(format!("the issuer `{}` is there twice; give one its keys and audiences", issuer.name));
            }
            if let Some(Keys::Kept(provider)) = &issuer.keys {
                context.component(provider.clone());
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
