//! Defines [`ApiKeyAuthenticator`], which authenticates requests by API key.

use std::fmt;

use restwright_core::auth::{Authentication, Authenticator, Rejection};
use restwright_core::http::HttpRequest;
use restwright_core::operation::SecurityScheme;
use restwright_core::runtime::ApiKeyParameter;
use restwright_core::{ApiState, BuildContext, BuildErrors, Clock, ComponentClock};

use super::key_text::KeyText;
use super::{ApiKey, ApiKeys};

/// Authenticates requests by an API key `<id>.<secret>` in a header, the query string or a cookie.
///
/// Only the SHA-256 hash of a key is stored. Hashes are compared in constant time, and keys are never logged.
///
/// ```
/// use restwright_auth::{ApiKey, ApiKeyAuthenticator, KeyList};
/// use restwright_core::Configuration;
///
/// let new = ApiKey::generate("ci")?;
/// let keys = KeyList::new([new.into_key().scopes(["pets:read"])]);
/// let configuration = Configuration::new("pets", "1.0.0").authenticator("key", ApiKeyAuthenticator::new(keys));
/// # Ok::<(), restwright_auth::ApiKeyError>(())
/// ```
pub struct ApiKeyAuthenticator<K> {
    keys: K,
    place: ApiKeyParameter,
    clock: ComponentClock,
}

impl<K: ApiKeys> ApiKeyAuthenticator<K> {
    /// Creates an authenticator that reads the API key from the header `X-Api-Key`.
    #[must_use]
    pub fn new(keys: K) -> Self {
        Self { keys, place: ApiKeyParameter::header("X-Api-Key"), clock: ComponentClock::default() }
    }

    /// Reads the API key from the header `name` instead of `X-Api-Key`.
    #[must_use]
    pub fn header(mut self, name: impl Into<String>) -> Self {
        self.place = ApiKeyParameter::header(name);
        self
    }

    /// Reads the API key from the query parameter `name` instead of a header. Servers and proxies log the query, so
    /// prefer a header.
    #[must_use]
    pub fn query(mut self, name: impl Into<String>) -> Self {
        self.place = ApiKeyParameter::query(name);
        self
    }

    /// Reads the API key from the cookie `name` instead of a header. Browsers also send the cookie with requests from
    /// other sites, so protect against CSRF.
    #[must_use]
    pub fn cookie(mut self, name: impl Into<String>) -> Self {
        self.place = ApiKeyParameter::cookie(name);
        self
    }

    /// Sets the clock that is used to check whether keys have expired. The default is the clock of the Api, or the
    /// system clock without an Api.
    #[must_use]
    pub fn clock(mut self, clock: Clock) -> Self {
        self.clock = clock.into();
        self
    }
}

impl<K: ApiKeys> Authenticator for ApiKeyAuthenticator<K> {
    fn describe(&self) -> SecurityScheme {
        self.place.scheme()
    }

    async fn authenticate(&self, request: &mut HttpRequest) -> Authentication {
        let text = match self.place.read(request) {
            Ok(Some(text)) => text,
            Ok(None) => return Authentication::NoCredentials,
            Err(reason) => return Authentication::Rejected(Rejection::new(reason)),
        };
        let text = match KeyText::read(text) {
            Ok(text) => text,
            Err(error) => return Authentication::Rejected(Rejection::new(error.reason())),
        };
        let found = match self.keys.find(text.id).await {
            Ok(found) => found.filter(|key| key.id() == text.id).unwrap_or_else(ApiKey::placeholder),
            Err(error) => {
                return Authentication::Unavailable {
                    reason: format!("keys cannot be looked up: {error}"),
                    retry_after: 5,
                };
            }
        };
        match found.identify(&text.digest, self.clock.unix_seconds()) {
            Ok(identity) => Authentication::Identity(identity),
            Err(reason) => Authentication::Rejected(Rejection::new(reason)),
        }
    }

    fn plan(&self, context: &mut BuildContext<'_, ApiState>) -> Result<(), BuildErrors> {
        let mut errors = BuildErrors::new();
        errors.take(self.clock.plan(context));
        errors.take(self.place.check());
        errors.finish(Some(()))
    }
}

impl<K> fmt::Debug for ApiKeyAuthenticator<K> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("ApiKeyAuthenticator").field("place", &self.place).finish_non_exhaustive()
    }
}
