//! Defines [`Stage`], which orders middlewares before and after authentication.

/// The stage at which a middleware runs, before or after authentication. The variants are in the order of execution.
///
/// Within a stage, the middlewares of the Api run first, followed by groups from outside to inside, and the route. At
/// each level, middlewares run in order of registration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
#[non_exhaustive]
pub enum Stage {
    /// The outermost stage, before authentication. The caller is unknown.
    #[default]
    BeforeAuthentication,
    /// The last stage before credentials are read, for limits by client address.
    AddressLimit,
    /// The first stage after authorisation, for limits by identity.
    IdentityLimit,
    /// The innermost stage, after authorisation. The caller is authenticated and authorised.
    AfterAuthentication,
}
