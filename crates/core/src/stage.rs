//! The stages of a route before and after authentication.

/// The stages of a route before and after authentication, in order. Middlewares of one stage run in order of
/// registration: first of the Api, then of the groups from outside to inside, then of the route.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
#[non_exhaustive]
pub enum Stage {
    /// The outermost stage. The caller is unknown.
    #[default]
    BeforeAuthentication,
    /// Limits by address, the last stage before credentials are read.
    AddressLimit,
    /// Limits by identity, the first stage after authorisation.
    IdentityLimit,
    /// The innermost stage. The caller is authenticated and authorised.
    AfterAuthentication,
}
