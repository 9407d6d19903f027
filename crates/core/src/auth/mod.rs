//! Who calls and what they may do: the contracts, and the access that a route declares.

mod access;
mod authenticator;
mod identity;

pub use access::{Access, Requirement};
pub(crate) use authenticator::ErasedAuthenticator;
pub use authenticator::{Authentication, Authenticator, Rejection};
pub use identity::{Identity, IdentityBuilder};
