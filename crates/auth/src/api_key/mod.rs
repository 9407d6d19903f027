//! Contains the authenticator for API keys.

mod authenticator;
mod key;
mod key_text;
mod keys;

pub use authenticator::ApiKeyAuthenticator;
pub use key::{ApiKey, NewApiKey};
pub use key_text::ApiKeyError;
pub use keys::{ApiKeys, KeyList};
