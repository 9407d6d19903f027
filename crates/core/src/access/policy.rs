//! Decisions of the application's own.

use std::borrow::Cow;
use std::fmt;
use std::future::Future;

use crate::future::LocalBoxFuture;
use crate::http::HttpRequest;
use crate::identity::Identity;
use crate::operation::Operation;
use crate::problem::Result;
use crate::route_info::RouteInfo;

/// Decides in the application's own way whether a caller may do what they ask for.
///
/// It runs after authentication and before anything of the request is validated, so that it sees the path as text. A subject
/// says who calls only together with who vouches for it: compare the issuer, or the scheme, as well.
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
    note = "implement `Policy` for it: `async fn decide`, which allows or denies"
)]
pub trait Policy: Send + Sync + 'static {
    /// Its name in messages and traces: that of the type, unless it says otherwise.
    fn name(&self) -> String {
        let name = std::any::type_name::<Self>();
        let name = name.split('<').next().unwrap_or(name);
        name.rsplit("::").next().unwrap_or(name).to_owned()
    }

    /// Adds to an operation the responses of this beside 403.
    fn describe(&self, operation: &mut Operation) {
        let _ = operation;
    }

    /// Decides.
    ///
    /// # Errors
    /// A problem, which becomes the response: a 503 when what the decision needs is down, a 404 that hides what the caller
    /// may not know of.
    fn decide(&self, authorization: &AuthorizationContext<'_>) -> impl Future<Output = Result<Decision>>;
}

/// The decision of a policy.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Decision {
    /// The caller may do it.
    Allow,
    /// 403.
    Deny {
        /// Why, for the log; never in the response.
        reason: String,
    },
}

impl Decision {
    /// A refusal with its reason for the log.
    #[must_use]
    pub fn deny(reason: impl Into<String>) -> Self {
        Self::Deny { reason: reason.into() }
    }
}

/// Who asks for what.
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

    /// Who asks.
    #[must_use]
    pub fn identity(&self) -> &'a Identity {
        self.identity
    }

    /// The route that they ask for.
    #[must_use]
    pub fn route(&self) -> &'a RouteInfo {
        self.route
    }

    /// The path as the route was found by it: percent-encoded and in its normal form (RFC 3986, sections 6.2.2.1 and
    /// 6.2.2.2), in which `/%61` is `/a` and `%2f` is `%2F`.
    #[must_use]
    pub fn path(&self) -> &'a str {
        self.request.path()
    }

    /// The text of a path parameter, decoded and not validated.
    #[must_use]
    pub fn parameter(&self, name: &str) -> Option<Cow<'a, str>> {
        self.request.path_parameter(name)
    }

    /// The head of the request.
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
