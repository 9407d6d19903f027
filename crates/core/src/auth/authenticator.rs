//! The contract of whatever finds out who calls.

use std::future::Future;

use crate::build_context::{ApiScope, BuildContext};
use crate::build_errors::BuildErrors;
use crate::future::LocalBoxFuture;
use crate::http::HttpRequest;
use crate::identity::Identity;
use crate::operation::SecurityScheme;

/// Finds out who calls; registered in the [`Configuration`](crate::Configuration) under a name that routes refer to.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an authenticator",
    label = "not an authenticator",
    note = "implement `Authenticator` for it: the security scheme that it documents, and `async fn authenticate`"
)]
pub trait Authenticator: Send + Sync + 'static {
    /// Says where the credentials travel.
    fn describe(&self) -> SecurityScheme;

    /// Reads the credentials of a request and says whose they are.
    fn authenticate(&self, request: &mut HttpRequest) -> impl Future<Output = Authentication>;

    /// Prepares the authenticator, once when an Api is built: registers the [component](crate::Component) that fetches its
    /// keys, and checks its declaration.
    ///
    /// # Errors
    /// Mistakes in the declaration; building the Api fails.
    fn plan(&self, context: &mut BuildContext<'_, ApiScope>) -> Result<(), BuildErrors> {
        let _ = context;
        Ok(())
    }

    /// The challenge in `WWW-Authenticate` of a 401 (RFC 9110, section 11.6.1): a scheme, after which parameters of its own
    /// may stand, as in `Digest algorithm=SHA-256, qop="auth"`. The name of the Api is added as the `realm` unless there is
    /// one. Read off the description unless an authenticator knows better; read once, when an Api is built, which anything
    /// else does not start.
    ///
    /// One of `Bearer` also names the scopes that a route demands all of (RFC 6750, section 3).
    fn challenge(&self) -> String {
        match self.describe() {
            SecurityScheme::Http { scheme, .. } => capitalised(&scheme),
            SecurityScheme::ApiKey { .. } => "ApiKey".to_owned(),
            SecurityScheme::OAuth2 { .. } | SecurityScheme::OpenIdConnect { .. } => "Bearer".to_owned(),
        }
    }
}

/// What came of reading credentials.
#[derive(Debug)]
#[non_exhaustive]
pub enum Authentication {
    /// The request has none of this kind.
    NoCredentials,
    /// They are this caller's. A guest has none: their identity counts as no credentials.
    Identity(Identity),
    /// They are wrong: 401.
    Rejected(Rejection),
    /// It cannot be said now, since something that the authenticator depends on is down: 503, never a login failure.
    Unavailable {
        /// Why, for the log.
        reason: String,
        /// After how many seconds trying again makes sense.
        retry_after: u64,
    },
}

/// Why credentials were refused.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rejection {
    /// For the log; never in the answer.
    pub reason: String,
    /// The `error` parameter of the challenge, such as `invalid_token` (RFC 6750, section 3.1). Of it and of the description
    /// only visible ASCII, spaces and neither `"` nor `\` are sent.
    pub error: Option<&'static str>,
    /// The `error_description` parameter of the challenge (RFC 6750, section 3).
    pub description: Option<&'static str>,
}

impl Rejection {
    /// A refusal with its reason for the log.
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
    fn plan(&self, context: &mut BuildContext<'_, ApiScope>) -> Result<(), BuildErrors>;
    fn challenge(&self) -> String;
    fn authenticate<'a>(&'a self, request: &'a mut HttpRequest) -> LocalBoxFuture<'a, Authentication>;
}

impl<A: Authenticator> ErasedAuthenticator for A {
    fn describe(&self) -> SecurityScheme {
        Authenticator::describe(self)
    }

    fn plan(&self, context: &mut BuildContext<'_, ApiScope>) -> Result<(), BuildErrors> {
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
