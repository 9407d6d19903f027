//! Guides: one question each, every example run by the tests.

#[doc = include_str!("first_endpoint.md")]
pub mod first_endpoint {}

#[doc = include_str!("configuration.md")]
pub mod configuration {}

#[doc = include_str!("shapes.md")]
pub mod shapes {}

#[doc = include_str!("requests_and_responses.md")]
pub mod requests_and_responses {}

#[doc = include_str!("errors.md")]
pub mod errors {}

#[doc = include_str!("middlewares.md")]
pub mod middlewares {}

#[doc = include_str!("public_endpoints.md")]
pub mod public_endpoints {}

#[cfg(feature = "jwks")]
#[doc = include_str!("json_web_tokens.md")]
pub mod json_web_tokens {}

#[cfg(feature = "api-key")]
#[doc = include_str!("api_keys.md")]
pub mod api_keys {}

#[doc = include_str!("custom_authenticators.md")]
pub mod custom_authenticators {}

#[doc = include_str!("authorisation.md")]
pub mod authorisation {}

#[doc = include_str!("identity.md")]
pub mod identity {}

#[cfg(feature = "list")]
#[doc = include_str!("filtering.md")]
pub mod filtering {}

#[cfg(feature = "list")]
#[doc = include_str!("sorting.md")]
pub mod sorting {}

#[cfg(feature = "cursor")]
#[doc = include_str!("pagination.md")]
pub mod pagination {}

#[cfg(feature = "redis")]
#[doc = include_str!("rate_limiting.md")]
pub mod rate_limiting {}
