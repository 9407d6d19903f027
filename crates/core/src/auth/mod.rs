//! Who calls and what they may do: the contracts, and the access that a route declares.

mod access;
mod api_key_place;
mod authenticator;
mod identity;
mod policy;
mod requirement;

pub use access::Access;
#[doc(hidden)]
pub use api_key_place::ApiKeyPlace;
pub(crate) use authenticator::ErasedAuthenticator;
pub use authenticator::{Authentication, Authenticator, Rejection};
pub use identity::{Identity, IdentityBuilder};
pub use policy::{AuthorizationContext, Decision, Policy};
pub use requirement::{NamedPolicy, Requirement};
