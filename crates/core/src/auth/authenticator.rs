//! The contract of authenticators.

use std::future::Future;

use crate::build_context::{ApiState, BuildContext};
use crate::build_errors::BuildErrors;
use crate::future::LocalBoxFuture;
use crate::http::HttpRequest;
use crate::identity::Identity;
use crate::operation::SecurityScheme;

/// Authenticates callers; registered in the [`Configuration`](crate::Configuration) under a name to which routes refer.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an authenticator",
    label = "not an authenticator",
    note = "implement `Authenticator` for it: the security scheme that it documents, and `async fn authenticate`"
)]
pub trait Authenticator: Send + Sync + 'static {
    /// Describes the scheme: where the credentials travel.
    fn describe(&self) -> SecurityScheme;

    /// Reads and checks the credentials of a request.
    fn authenticate(&self, request: &mut HttpRequest) -> impl Future<Output = Authentication>;

    /// Prepares the authenticator, once when an Api is built: registers the [component](crate::Component) that fetches its
    /// keys, and checks its declaration.
    ///
    /// # Errors
    /// Mistakes in the declaration; building the Api fails.
    fn plan(&self, context: &mut BuildContext<'_, ApiState>) -> Result<(), BuildErrors> {
        let _ = context;
        Ok(())
    }

    /// Returns the challenge for the `WWW-Authenticate` header of a 401 (RFC 9110, section 11.6.1): a scheme, optionally with
    /// parameters, as in `Digest algorithm=SHA-256, qop="auth"`. The name of the Api is added as the `realm` unless there is
    /// one. By default it follows from the description. It is read once, when an Api is built, which fails if it is no
    /// challenge.
    ///
    /// A challenge for `Bearer` also names the scopes that a route demands all of (RFC 6750, section 3).
    fn challenge(&self) -> String {
        match self.describe() {
            SecurityScheme::Http { scheme, .. } => capitalised(&scheme),
            SecurityScheme::ApiKey { .. } => "ApiKey".to_owned(),
            SecurityScheme::OAuth2 { .. } | SecurityScheme::OpenIdConnect { .. } => "Bearer".to_owned(),
        }
    }
}

/// The outcome of authentication.
#[derive(Debug)]
#[non_exhaustive]
pub enum Authentication {
    /// The request has no credentials of this kind.
    NoCredentials,
    /// The credentials are this caller's. The identity of a guest counts as no credentials.
    Identity(Identity),
    /// The credentials are wrong: 401.
    Rejected(Rejection),
    /// Credentials cannot be checked now, since a service that the authenticator depends on is down: 503, never a login failure.
    Unavailable {
        /// The reason for the log.
        reason: String,
        /// The seconds after which trying again makes sense.
        retry_after: u64,
    },
}

/// The rejection of credentials.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rejection {
    /// The reason for the log; it is never part of the response.
    pub reason: String,
    /// The `error` parameter of the challenge, such as `invalid_token` (RFC 6750, section 3.1). Of it and of the description
    /// only visible ASCII, spaces and neither `"` nor `\` are sent.
    pub error: Option<&'static str>,
    /// The `error_description` parameter of the challenge (RFC 6750, section 3).
    pub description: Option<&'static str>,
}

impl Rejection {
    /// Creates a rejection with its reason for the log.
    #[must_use]
    pub fn new(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), error: None, description: None }
    }

    /// Returns a refusal of a bearer token, with the `error` `invalid_token` (RFC 6750, section 3.1) and one description for all reasons,
    /// so that a response does not help anybody to guess.
    #[must_use]
    pub fn invalid_token(reason: impl Into<String>) -> Self {
        Self::new(reason)
            .error("invalid_token")
            .description("The access token is malformed, expired, or not valid here")
    }

    /// Adds the `error` parameter of the challenge.
    #[must_use]
    pub fn error(mut self, error: &'static str) -> Self {
        self.error = Some(error);
        self
    }

    /// Adds the `error_description` parameter of the challenge.
    #[must_use]
    pub fn description(mut self, description: &'static str) -> Self {
        self.description = Some(description);
        self
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
