//! The stages of a route before and after authentication.

/// The stages of a route before and after authentication, in order. In each stage, the middlewares of the Api run
/// first, then the middlewares of groups from outside to inside, then the middlewares of the route, each in order of
/// registration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
#[non_exhaustive]
pub enum Stage {
    /// The outermost stage. The caller is unknown.
    #[default]
    BeforeAuthentication,
    /// The last stage before credentials are read, for limits by client address.
    AddressLimit,
    /// The first stage after authorisation, for limits by identity.
    IdentityLimit,
    /// The innermost stage. The caller is authenticated and authorised.
    AfterAuthentication,
}
