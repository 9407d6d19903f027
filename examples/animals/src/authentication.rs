//! Who may call: a token of a provider, or an API key.

use restwright::auth::{
    Access, ApiKey, ApiKeyAuthenticator, ApiKeyError, CrudAccess, Issuer, Jwks, JwtAuthenticator, KeyList, NewApiKey,
};
use restwright::prelude::*;
use restwright::schema::Mode;

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
    issuer: Option<Issuer>,
    keys: Vec<ApiKey>,
}

impl Authentication {
    /// Takes the tokens of a provider with the keys at this address.
    #[must_use]
    pub fn provider(mut self, keys: &str, issuer: &str, audience: &str) -> Self {
        self.issuer = Some(Issuer::new(issuer).audience(audience).jwks(Jwks::url(keys).allow_loopback_http()));
        self
    }

    /// Takes a key.
    #[must_use]
    pub fn key(mut self, key: ApiKey) -> Self {
        self.keys.push(key);
        self
    }

    /// Reads `JWKS_URL`, `JWT_ISSUER` and `JWT_AUDIENCE`, which belong together, and `DEV_API_KEY`, which may do everything.
    /// With neither, a key is made, and returned beside.
    ///
    /// # Errors
    /// The variables are wrong.
    pub fn from_variables(get: impl Fn(&str) -> Option<String>) -> Result<(Self, Option<NewApiKey>), String> {
        let read = |name: &str| get(name).filter(|value| !value.is_empty());
        let mut authentication = Self::default();
        match (read("JWKS_URL"), read("JWT_ISSUER"), read("JWT_AUDIENCE")) {
            (Some(keys), Some(issuer), Some(audience)) => {
                authentication = authentication.provider(&keys, &issuer, &audience);
            }
            (None, None, None) => {}
            _ => {
                return Err("JWKS_URL, JWT_ISSUER and JWT_AUDIENCE belong together; set all of them or none".to_owned());
            }
        }
        if let Some(text) = read("DEV_API_KEY") {
            let key = text.parse::<ApiKey>().map_err(|error| format!("DEV_API_KEY: {error}"))?;
            return Ok((authentication.key(key.scopes(SCOPES)), None));
        }
        if authentication.issuer.is_some() {
            return Ok((authentication, None));
        }
        let made = ApiKey::generate("dev").map_err(|error: ApiKeyError| error.to_string())?;
        Ok((authentication.key(made.key().clone().scopes(SCOPES)), Some(made)))
    }

    /// The access of callers with this scope.
    #[must_use]
    pub fn may(&self, scope: &str) -> Access {
        let access =
            if self.issuer.is_some() { Access::authenticated(JWT).or(KEY) } else { Access::authenticated(KEY) };
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
        match &self.issuer {
            Some(issuer) => configuration.authenticator(JWT, JwtAuthenticator::new(issuer.clone())),
            None => configuration,
        }
    }
}
