//! API keys.

mod authenticator;
mod key;
mod keys;
mod text;

pub use authenticator::ApiKeyAuthenticator;
pub use key::{ApiKey, NewApiKey};
pub use keys::{ApiKeys, KeyList};
pub use text::ApiKeyError;
