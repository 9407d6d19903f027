//! [`Provider`]: an issuer of JWTs, with the feature `jwks`.

use restwright::prelude::*;

/// An issuer whose tokens the application accepts.
#[cfg(feature = "jwks")]
#[derive(Debug)]
pub struct Provider(restwright::auth::Issuer);

#[cfg(feature = "jwks")]
impl Provider {
    /// Creates the provider. `keys` is the URL of its JWKS.
    #[must_use]
    pub fn new(keys: &str, issuer: &str, audience: &str) -> Self {
        let keys = restwright::auth::Jwks::url(keys).allow_loopback_http();
        Self(restwright::auth::Issuer::new(issuer).audience(audience).jwks(keys))
    }

    /// Reads `JWKS_URL`, `JWT_ISSUER` and `JWT_AUDIENCE`. Fails if only some of them are set.
    pub(crate) fn from_variables(read: impl Fn(&str) -> Option<String>) -> Result<Option<Self>, String> {
        match (read("JWKS_URL"), read("JWT_ISSUER"), read("JWT_AUDIENCE")) {
            (Some(keys), Some(issuer), Some(audience)) => Ok(Some(Self::new(&keys, &issuer, &audience))),
            (None, None, None) => Ok(None),
            _ => Err("JWKS_URL, JWT_ISSUER and JWT_AUDIENCE belong together; set all of them or none".to_owned()),
        }
    }

    /// Registers the authenticator for tokens of this issuer.
    pub(crate) fn register(&self, name: &str, configuration: Configuration) -> Configuration {
        configuration.authenticator(name, restwright::auth::JwtAuthenticator::new(self.0.clone()))
    }
}

/// A placeholder without values, because tokens require the feature `jwks`.
#[cfg(not(feature = "jwks"))]
#[derive(Debug)]
pub enum Provider {}

#[cfg(not(feature = "jwks"))]
impl Provider {
    /// Fails if `JWKS_URL` is set, because the example was built without the feature `jwks`.
    pub(crate) fn from_variables(read: impl Fn(&str) -> Option<String>) -> Result<Option<Self>, String> {
        match read("JWKS_URL") {
            None => Ok(None),
            Some(_) => Err("JWKS_URL is set, but the example was built without tokens of providers; \
                            add `--features jwks`"
                .to_owned()),
        }
    }

    pub(crate) fn register(&self, _: &str, _: Configuration) -> Configuration {
        match *self {}
    }
}
