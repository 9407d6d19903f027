//! The steps of a route around authentication.

/// The steps of a route around authentication, in their order. Middlewares of one stage keep their order of registration:
/// the Api's, the groups' from the outside in, the route's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
#[non_exhaustive]
pub enum Stage {
    /// The outermost; nothing is known about the caller.
    #[default]
    BeforeAuthentication,
    /// Limits by address: the last before credentials are read.
    AddressLimit,
    /// Limits by identity: the first after authorisation.
    IdentityLimit,
    /// The innermost; the caller is known and allowed.
    AfterAuthentication,
}
