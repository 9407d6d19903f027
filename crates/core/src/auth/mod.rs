//! Who calls and what they may do: the contracts, and the access that a route declares.

mod access;
mod authenticator;
mod identity;
mod policy;
mod requirement;

pub use access::Access;
pub(crate) use authenticator::ErasedAuthenticator;
pub use authenticator::{Authentication, Authenticator, Rejection};
pub use identity::{Identity, IdentityBuilder};
pub use policy::{AuthorizationContext, Decision, Policy};
pub use requirement::{NamedPolicy, Requirement};
