//! Contains the traits for authenticators and policies, and the access rules of routes.

pub(crate) mod api_key_parameter;
pub(crate) mod authenticator;
mod bearer;
pub(crate) mod registered;

pub(crate) use authenticator::ErasedAuthenticator;
pub use authenticator::{Authentication, Authenticator, Rejection};
pub use bearer::{BearerTokenError, bearer_token};

pub use crate::access::{
    Access, AuthorizationContext, CrudAccess, Decision, NamedPolicy, Policy, Requirement, SchemeAccess,
};
pub use crate::identity::{Caller, Identity, IdentityBuilder};
