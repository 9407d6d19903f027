//! Contains the types for authentication and authorisation. They include identities, access rules and policies, and the authenticators of
//! the features `jwt`, `jwks` and `api-key`.

pub use restwright_core::auth::*;

#[cfg(feature = "jwt")]
pub use restwright_auth::{
    Algorithm, Issuer, Jwks, JwtAuthenticator, KeyProvider, KeyProviderStatus, KeySet, KeySetError,
};
#[cfg(feature = "api-key")]
pub use restwright_auth::{ApiKey, ApiKeyAuthenticator, ApiKeyError, ApiKeys, KeyList, NewApiKey};
