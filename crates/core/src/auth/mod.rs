//! Authentication and authorisation: the contracts, and the access that a route declares.

mod api_key_parameter;
mod authenticator;
mod bearer;
mod registered;

#[doc(hidden)]
pub use api_key_parameter::ApiKeyParameter;
#[doc(hidden)]
pub use authenticator::ErasedAuthenticator;
pub use authenticator::{Authentication, Authenticator, Rejection};
pub use bearer::{BearerTokenError, bearer_token};
#[doc(hidden)]
pub use registered::SharedAuthenticator;

pub use crate::access::{
    Access, AuthorizationContext, CrudAccess, Decision, NamedPolicy, Policy, Requirement, SchemeAccess,
};
pub use crate::identity::{Caller, Identity, IdentityBuilder};
