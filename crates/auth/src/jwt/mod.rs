//! Contains the authenticator for JSON Web Tokens (RFC 7519).

mod authenticator;
mod cache;
mod claims;
mod header;
mod identity;
mod issuer;
mod signature;
mod token;
mod token_error;

pub use authenticator::JwtAuthenticator;
pub use issuer::Issuer;
