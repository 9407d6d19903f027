//! Defines the [`Authenticator`] trait and the outcome of authentication.

use std::future::Future;

use crate::build_context::{ApiState, BuildContext};
use crate::build_errors::BuildErrors;
use crate::future::LocalBoxFuture;
use crate::http::{HttpRequest, SingleValueError};
use crate::identity::Identity;
use crate::operation::SecurityScheme;
use crate::problem::Problem;

/// A trait for types that authenticate callers. Register an authenticator in the
/// [`Configuration`](crate::Configuration) under a name that routes refer to.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an authenticator",
    label = "not an authenticator",
    note = "implement `Authenticator` with its security scheme and `async fn authenticate`"
)]
pub trait Authenticator: Send + Sync + 'static {
    /// Returns the OpenAPI security scheme, which describes how credentials are sent.
    fn describe(&self) -> SecurityScheme;

    /// Reads and checks the credentials of a request.
    fn authenticate(&self, request: &mut HttpRequest) -> impl Future<Output = Authentication>;

    /// Prepares the authenticator when an Api is built. Implementations check their settings here, and register
    /// [components](crate::Component), such as a component that fetches keys.
    ///
    /// # Errors
    /// Errors in the declaration. Building the Api then fails.
    fn plan(&self, context: &mut BuildContext<'_, ApiState>) -> Result<(), BuildErrors> {
        let _ = context;
        Ok(())
    }

    /// Returns the challenge for the `WWW-Authenticate` header of a 401 (RFC 9110, section 11.6.1). A challenge is a
    /// scheme with optional parameters, such as `Digest algorithm=SHA-256, qop="auth"`.
    ///
    /// The default is derived from the security scheme. If the challenge has no `realm`, the name of the Api is added
    /// as the `realm`. The challenge is read once, when an Api is built. Building fails if it is not a valid challenge.
    ///
    /// A `Bearer` challenge also lists the scopes that a route requires (RFC 6750, section 3).
    fn challenge(&self) -> String {
        match self.describe() {
            SecurityScheme::Http { scheme, .. } => capitalised(&scheme),
            SecurityScheme::ApiKey { .. } => "ApiKey".to_owned(),
            SecurityScheme::OAuth2 { .. } | SecurityScheme::OpenIdConnect { .. } => "Bearer".to_owned(),
        }
    }
}

/// The outcome of [`Authenticator::authenticate`].
#[derive(Debug)]
#[non_exhaustive]
pub enum Authentication {
    /// The request contains no credentials for this authenticator.
    NoCredentials,
    /// The credentials are valid and belong to this caller. A guest identity is treated as
    /// [`NoCredentials`](Authentication::NoCredentials).
    Identity(Identity),
    /// The credentials are invalid. The response is a 401.
    Rejected(Rejection),
    /// The credentials cannot be checked now, because a service that the authenticator needs is unavailable. The
    /// response is a 503.
    Unavailable {
        /// The reason why the credentials cannot be checked, for the log.
        reason: String,
        /// The number of seconds after which the client may retry.
        retry_after: u64,
    },
    /// The request cannot be read, for example because its body exceeds the limit. The problem becomes the response.
    /// Document its kind with [`Route::problem`](crate::Route::problem).
    Failed(Problem),
}

/// The reason why credentials are rejected. It also sets parameters of the challenge in `WWW-Authenticate`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rejection {
    /// The reason why the credentials are rejected, for the request log. Responses never contain it.
    pub reason: String,
    /// The `error` parameter of the challenge, such as `invalid_token` (RFC 6750, section 3.1).
    ///
    /// Control characters, non-ASCII characters, `"` and `\` are removed from the error and from the description.
    pub error: Option<&'static str>,
    /// The `error_description` parameter of the challenge (RFC 6750, section 3).
    pub description: Option<&'static str>,
}

impl Rejection {
    /// Creates a rejection. `reason` is written to the log.
    #[must_use]
    pub fn new(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), error: None, description: None }
    }

    /// Creates a rejection of a bearer token, with the `error` parameter `invalid_token` (RFC 6750, section 3.1). The
    /// description is always the same, so the response does not reveal the reason to attackers.
    #[must_use]
    pub fn invalid_token(reason: impl Into<String>) -> Self {
        Self::new(reason)
            .error("invalid_token")
            .description("The access token is malformed, expired, or not valid here")
    }

    /// Sets the `error` parameter of the challenge.
    #[must_use]
    pub fn error(mut self, error: &'static str) -> Self {
        self.error = Some(error);
        self
    }

    /// Sets the `error_description` parameter of the challenge.
    #[must_use]
    pub fn description(mut self, description: &'static str) -> Self {
        self.description = Some(description);
        self
    }
}

impl From<SingleValueError> for Rejection {
    /// Creates a rejection for a header or cookie that is repeated or not UTF-8.
    fn from(error: SingleValueError) -> Self {
        Self::new(error.to_string())
    }
}

#[doc(hidden)]
pub trait ErasedAuthenticator: Send + Sync {
    fn describe(&self) -> SecurityScheme;
    fn plan(&self, context: &mut BuildContext<'_, ApiState>) -> Result<(), BuildErrors>;
    fn challenge(&self) -> String;
    fn authenticate<'a>(&'a self, request: &'a mut HttpRequest) -> LocalBoxFuture<'a, Authentication>;
}

impl<A: Authenticator> ErasedAuthenticator for A {
    fn describe(&self) -> SecurityScheme {
        Authenticator::describe(self)
    }

    fn plan(&self, context: &mut BuildContext<'_, ApiState>) -> Result<(), BuildErrors> {
        Authenticator::plan(self, context)
    }

    fn challenge(&self) -> String {
        Authenticator::challenge(self)
    }

    fn authenticate<'a>(&'a self, request: &'a mut HttpRequest) -> LocalBoxFuture<'a, Authentication> {
        Box::pin(Authenticator::authenticate(self, request))
    }
}

fn capitalised(scheme: &str) -> String {
    let mut characters = scheme.chars();
    characters.next().map_or_else(String::new, |first| first.to_ascii_uppercase().to_string() + characters.as_str())
}
