//! JSON Web Tokens.

mod authenticator;
mod bearer;
mod cache;
mod claims;
mod header;
mod identity;
mod issuer;
mod refusal;
mod signature;
mod token;

pub use authenticator::JwtAuthenticator;
pub use issuer::Issuer;
