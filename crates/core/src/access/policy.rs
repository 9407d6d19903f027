//! Contains the trait [`Policy`] for custom authorisation policies.

use std::borrow::Cow;
use std::fmt;
use std::future::Future;

use crate::future::LocalBoxFuture;
use crate::http::HttpRequest;
use crate::identity::Identity;
use crate::operation::Operation;
use crate::problem::Result;
use crate::route_info::RouteInfo;

/// A custom policy that decides whether a caller may use a route.
///
/// It runs after authentication and before the request is validated. It therefore receives path parameters as
/// unvalidated strings. A subject identifies a caller only together with its issuer, so compare the issuer or the
/// scheme too.
/// ```
/// use restwright_core::auth::{Access, Decision, Policy, AuthorizationContext};
/// use restwright_core::Result;
///
/// /// Callers may only see their own account, as the issuer of accounts knows them.
/// struct OwnAccount;
///
/// impl Policy for OwnAccount {
///     async fn decide(&self, authorization: &AuthorizationContext<'_>) -> Result<Decision> {
///         let identity = authorization.identity();
///         let own = identity.issuer() == Some("https://login.example.com")
///             && identity.subject() == authorization.parameter("account").as_deref();
///         Ok(if own { Decision::Allow } else { Decision::deny("the account is somebody else's") })
///     }
/// }
///
/// let access = Access::authenticated("jwt").policy(OwnAccount);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a policy",
    label = "not a policy",
    note = "implement `Policy` with `async fn decide`, which allows or denies the request"
)]
pub trait Policy: Send + Sync + 'static {
    /// Returns the name of the policy, which appears in messages and traces. The default is the name of the type.
    fn name(&self) -> String {
        let name = std::any::type_name::<Self>();
        let name = name.split('<').next().unwrap_or(name);
        name.rsplit("::").next().unwrap_or(name).to_owned()
    }

    /// Adds the responses of this policy, such as a 404, to the OpenAPI operation. The 403 of a denied caller is always
    /// documented.
    fn describe(&self, operation: &mut Operation) {
        let _ = operation;
    }

    /// Decides whether the caller may use the route.
    ///
    /// # Errors
    /// A problem, which becomes the response. Examples are a 503 if a required service is down, or a 404 that hides a
    /// resource.
    fn decide(&self, authorization: &AuthorizationContext<'_>) -> impl Future<Output = Result<Decision>>;
}

/// The decision of a [`Policy`] to allow or to deny the caller.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Decision {
    /// The caller is allowed.
    Allow,
    /// The caller is denied. The response is a 403.
    Deny {
        /// The reason why the caller is denied, for the log. It is never part of the response.
        reason: String,
    },
}

impl Decision {
    /// Creates a decision that denies the caller. `reason` is written to the log.
    #[must_use]
    pub fn deny(reason: impl Into<String>) -> Self {
        Self::Deny { reason: reason.into() }
    }
}

/// The input of [`Policy::decide`], with the caller, the route and the request.
pub struct AuthorizationContext<'a> {
    identity: &'a Identity,
    request: &'a HttpRequest,
    route: &'a RouteInfo,
}

impl<'a> AuthorizationContext<'a> {
    #[doc(hidden)]
    #[must_use]
    pub fn new(identity: &'a Identity, request: &'a HttpRequest, route: &'a RouteInfo) -> Self {
        Self { identity, request, route }
    }

    /// Returns the identity of the caller.
    #[must_use]
    pub fn identity(&self) -> &'a Identity {
        self.identity
    }

    /// Returns the route that the caller requests.
    #[must_use]
    pub fn route(&self) -> &'a RouteInfo {
        self.route
    }

    /// Returns the path of the request, percent-encoded and normalised (RFC 3986, sections 6.2.2.1 and 6.2.2.2). For
    /// example, `/%61` becomes `/a` and `%2f` becomes `%2F`.
    #[must_use]
    pub fn path(&self) -> &'a str {
        self.request.path()
    }

    /// Returns the decoded value of a path parameter. The value is not validated yet.
    #[must_use]
    pub fn parameter(&self, name: &str) -> Option<Cow<'a, str>> {
        self.request.path_parameter(name)
    }

    /// Returns the request. A policy can read its method, path and headers, but not its body.
    #[must_use]
    pub fn request(&self) -> &'a HttpRequest {
        self.request
    }
}

impl fmt::Debug for AuthorizationContext<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("AuthorizationContext")
            .field("identity", &self.identity)
            .field("path", &self.path())
            .finish_non_exhaustive()
    }
}

#[doc(hidden)]
pub trait ErasedPolicy: Send + Sync {
    fn name(&self) -> String;
    fn describe(&self, operation: &mut Operation);
    fn decide<'a>(&'a self, authorization: &'a AuthorizationContext<'a>) -> LocalBoxFuture<'a, Result<Decision>>;
}

impl<P: Policy> ErasedPolicy for P {
    fn name(&self) -> String {
        Policy::name(self)
    }

    fn describe(&self, operation: &mut Operation) {
        Policy::describe(self, operation);
    }

    fn decide<'a>(&'a self, authorization: &'a AuthorizationContext<'a>) -> LocalBoxFuture<'a, Result<Decision>> {
        Box::pin(Policy::decide(self, authorization))
    }
}
