//! Who may call: a token of a provider, or an API key.

use restwright::auth::{Access, ApiKey, ApiKeyAuthenticator, ApiKeyError, CrudAccess, KeyList, NewApiKey};
use restwright::prelude::*;
use restwright::schema::Mode;

use crate::provider::Provider;

/// The permissions of callers on animals and on pets.
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

/// Whose tokens and which keys are taken.
#[derive(Debug, Default)]
pub struct Authentication {
    provider: Option<Provider>,
    keys: Vec<ApiKey>,
}

impl Authentication {
    /// Accepts the tokens of a provider.
    #[must_use]
    pub fn provider(mut self, provider: Provider) -> Self {
        self.provider = Some(provider);
        self
    }

    /// Takes a key.
    #[must_use]
    pub fn key(mut self, key: ApiKey) -> Self {
        self.keys.push(key);
        self
    }

    /// Reads `JWKS_URL`, `JWT_ISSUER` and `JWT_AUDIENCE`, which belong together, and `DEV_API_KEY`, which may do everything.
    /// Without both, generates a key and returns it too.
    ///
    /// # Errors
    /// The variables are wrong.
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

    /// The access of callers with this scope.
    #[must_use]
    pub fn may(&self, scope: &str) -> Access {
        let access =
            if self.provider.is_some() { Access::authenticated(JWT).or(KEY) } else { Access::authenticated(KEY) };
        access.all_scopes([scope]).into()
    }

    /// The access to a resource, with a scope for each operation, as `Access::crud` has it for a single scheme.
    pub fn crud(&self, resource: &str) -> CrudAccess {
        let may = |action| self.may(&format!("{resource}:{action}"));
        CrudAccess::from(may("read"))
            .with(Mode::Create, may("create"))
            .with(Mode::Update, may("update"))
            .with(Mode::Delete, may("delete"))
    }

    /// Registers what [`may`](Self::may) refers to.
    #[must_use]
    pub fn register(&self, configuration: Configuration) -> Configuration {
        let configuration = configuration.authenticator(KEY, ApiKeyAuthenticator::new(KeyList::new(self.keys.clone())));
        match &self.provider {
            Some(provider) => provider.register(JWT, configuration),
            None => configuration,
        }
    }
}
