//! Authenticators for JSON Web Tokens and API keys. Fetched key sets (JWKS) are refreshed in the background.
//!
//! Each authenticator implements [`Authenticator`](restwright_core::auth::Authenticator). An application registers it
//! in the [`Configuration`](restwright_core::Configuration) under a name, and routes refer to this name. Identities,
//! access rules and policies are in `restwright_core::auth`, so an application without these authenticators does not
//! compile any cryptography.
//!
//! The features are `jwt`, `jwks` (key sets over HTTPS) and `api-key`.

#[cfg(feature = "api-key")]
mod api_key;
#[cfg(feature = "jwt")]
mod jwks;
#[cfg(feature = "jwt")]
mod jwt;
#[cfg(feature = "jwt")]
mod keys;

#[cfg(feature = "api-key")]
pub use api_key::{ApiKey, ApiKeyAuthenticator, ApiKeyError, ApiKeys, KeyList, NewApiKey};
#[cfg(feature = "jwt")]
pub use jsonwebtoken::{Algorithm, DecodingKey, jwk::JwkSet};
#[cfg(feature = "jwt")]
pub use jwks::{Jwks, KeyProvider, KeyProviderStatus};
#[cfg(feature = "jwt")]
pub use jwt::{Issuer, JwtAuthenticator};
#[cfg(feature = "jwt")]
pub use keys::{KeySet, KeySetError};
