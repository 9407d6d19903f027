//! Authentication by JWT or API key.

use restwright::auth::{Access, ApiKey, ApiKeyAuthenticator, ApiKeyError, CrudAccess, KeyList, NewApiKey};
use restwright::prelude::*;
use restwright::schema::Mode;

use crate::provider::Provider;

/// The scopes that callers can have.
pub const SCOPES: [&str; 9] = [
    "animals:read",
    "animals:create",
    "animals:update",
    "animals:delete",
    "pets:read",
    "pets:create",
    "pets:update",
    "pets:delete",
    "metrics:read",
];

const JWT: &str = "jwt";
const KEY: &str = "key";

/// The token issuer and the API keys that the application accepts.
#[derive(Debug, Default)]
pub struct Authentication {
    provider: Option<Provider>,
    keys: Vec<ApiKey>,
}

impl Authentication {
    /// Accepts the tokens of an issuer.
    #[must_use]
    pub fn provider(mut self, provider: Provider) -> Self {
        self.provider = Some(provider);
        self
    }

    /// Accepts an API key.
    #[must_use]
    pub fn key(mut self, key: ApiKey) -> Self {
        self.keys.push(key);
        self
    }

    /// Reads the issuer from `JWKS_URL`, `JWT_ISSUER` and `JWT_AUDIENCE`, and an API key with all scopes from `DEV_API_KEY`. If no variable is set,
    /// generates a key and also returns it.
    ///
    /// # Errors
    /// A variable is invalid, or only some of `JWKS_URL`, `JWT_ISSUER` and `JWT_AUDIENCE` are set.
    pub fn from_variables(get: impl Fn(&str) -> Option<String>) -> Result<(Self, Option<NewApiKey>), String> {
        let read = |name: &str| get(name).filter(|value| !value.is_empty());
        let authentication = Self { provider: Provider::from_variables(read)?, keys: Vec::new() };
        if let Some(text) = read("DEV_API_KEY") {
            let key = text.parse::<ApiKey>().map_err(|error| format!("DEV_API_KEY: {error}"))?;
            return Ok((authentication.key(key.scopes(SCOPES)), None));
        }
        if authentication.provider.is_some() {
            return Ok((authentication, None));
        }
        let made = ApiKey::generate("dev").map_err(|error: ApiKeyError| error.to_string())?;
        Ok((authentication.key(made.key().clone().scopes(SCOPES)), Some(made)))
    }

    /// Returns the access of callers with this scope.
    #[must_use]
    pub fn may(&self, scope: &str) -> Access {
        let access =
            if self.provider.is_some() { Access::authenticated(JWT).or(KEY) } else { Access::authenticated(KEY) };
        access.all_scopes([scope]).into()
    }

    /// Returns the access to a resource, with one scope for each operation. `Access::crud` does the same for a single scheme.
    pub fn crud(&self, resource: &str) -> CrudAccess {
        let may = |action| self.may(&format!("{resource}:{action}"));
        CrudAccess::from(may("read"))
            .with(Mode::Create, may("create"))
            .with(Mode::Update, may("update"))
            .with(Mode::Delete, may("delete"))
    }

    /// Registers the authenticators for the schemes in [`may`](Self::may).
    #[must_use]
    pub fn register(&self, configuration: Configuration) -> Configuration {
        let configuration = configuration.authenticator(KEY, ApiKeyAuthenticator::new(KeyList::new(self.keys.clone())));
        match &self.provider {
            Some(provider) => provider.register(JWT, configuration),
            None => configuration,
        }
    }
}
