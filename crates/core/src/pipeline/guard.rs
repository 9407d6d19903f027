//! Authentication and authorisation of one route.

use std::sync::Arc;

use http::HeaderValue;
use http::header::WWW_AUTHENTICATE;

use crate::auth::{Access, Authentication, ErasedAuthenticator, Identity, Rejection, Requirement};
use crate::configuration::Configuration;
use crate::http::HttpRequest;
use crate::problem::{Problem, Result, catalogue};
use crate::start::StartErrors;

/// The access of a route with its authenticators.
pub(crate) struct Guard {
    access: Access,
    alternatives: Vec<Vec<Scheme>>,
    realm: String,
}

struct Scheme {
    name: String,
    authenticator: Arc<dyn ErasedAuthenticator>,
}

impl Guard {
    /// Finds the authenticators that the access names; `None` for a public route.
    pub(crate) fn new(access: &Access, configuration: &Configuration) -> Result<Option<Self>, StartErrors> {
        if access.is_public() {
            return Ok(None);
        }
        let mut errors = StartErrors::new();
        let mut scheme = |name: &String| {
            let found = configuration.authenticators().iter().find(|(known, _)| known == name);
            if found.is_none() {
                let known: Vec<_> =
                    configuration.authenticators().iter().map(|(name, _)| format!("`{name}`")).collect();
                let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
                errors.push(format!(
                    "the access names the scheme `{name}`, which is not registered (registered: {known}); add `.authenticator(\"{name}\", ..)` to the configuration"
                ));
            }
            found.map(|(name, authenticator)| Scheme { name: name.clone(), authenticator: authenticator.clone() })
        };
        let alternatives: Vec<Vec<_>> =
            access.schemes().iter().map(|together| together.iter().filter_map(&mut scheme).collect()).collect();
        let realm = configuration.name().replace(['"', '\\'], "");
        errors.finish(Some(Some(Self { access: access.clone(), alternatives, realm })))
    }

    /// Lets the request pass with its identity, or answers 401, 403 or 503.
    pub(crate) async fn admit(&self, request: &mut HttpRequest) -> Result<()> {
        match self.authenticate(request).await? {
            Some(identity) => {
                self.authorise(&identity)?;
                request.set_identity(identity);
                Ok(())
            }
            None if self.access.guests => Ok(()),
            None => Err(self.challenge("Credentials are required.", None)),
        }
    }

    /// The first alternative with credentials decides.
    async fn authenticate(&self, request: &mut HttpRequest) -> Result<Option<Identity>> {
        for together in &self.alternatives {
            let mut joined: Option<Identity> = None;
            for scheme in together {
                match scheme.authenticator.authenticate(request).await {
                    Authentication::Identity(identity) => {
                        let identity = identity.authenticated_by(&scheme.name);
                        joined = Some(joined.map_or(identity.clone(), |first| first.joined(&identity)));
                    }
                    Authentication::NoCredentials => {
                        joined = None;
                        break;
                    }
                    Authentication::Rejected(rejection) => {
                        tracing::info!(scheme = scheme.name, reason = rejection.reason, "credentials rejected");
                        return Err(self.challenge("The credentials are not valid.", Some(&rejection)));
                    }
                    Authentication::Unavailable { reason, retry_after } => {
                        return Err(Problem::new(catalogue::UNAVAILABLE)
                            .detail("Callers cannot be authenticated at the moment.")
                            .source(format!("scheme {}: {reason}", scheme.name))
                            .retry_after(retry_after));
                    }
                }
            }
            if joined.is_some() {
                return Ok(joined);
            }
        }
        Ok(None)
    }

    fn authorise(&self, identity: &Identity) -> Result<()> {
        let missing: Vec<&str> = match &self.access.requirement {
            Requirement::Authenticated => Vec::new(),
            Requirement::AllScopes(scopes) => {
                scopes.iter().map(String::as_str).filter(|scope| !identity.has_scope(scope)).collect()
            }
            Requirement::AnyScope(scopes) if scopes.iter().any(|scope| identity.has_scope(scope)) => Vec::new(),
            Requirement::AnyScope(scopes) => scopes.iter().map(String::as_str).collect(),
        };
        if missing.is_empty() {
            return Ok(());
        }
        let needed = missing.join(" ");
        let wanted = match self.access.requirement {
            Requirement::AnyScope(_) => format!("One of these scopes is needed: {needed}."),
            _ => format!("These scopes are missing: {needed}."),
        };
        let problem = Problem::new(catalogue::FORBIDDEN).detail(wanted).member("missing_scopes", missing);
        Err(self.with_challenges(problem, &format!(", error=\"insufficient_scope\", scope=\"{needed}\"")))
    }

    fn challenge(&self, detail: &str, rejection: Option<&Rejection>) -> Problem {
        let parameters = match rejection.and_then(|rejection| rejection.error) {
            Some(error) => format!(", error=\"{error}\""),
            None => String::new(),
        };
        self.with_challenges(Problem::new(catalogue::UNAUTHENTICATED).detail(detail), &parameters)
    }

    /// One `WWW-Authenticate` for each scheme (RFC 9110, section 11.6.1).
    fn with_challenges(&self, problem: Problem, parameters: &str) -> Problem {
        let mut challenges: Vec<String> = Vec::new();
        for scheme in self.alternatives.iter().flatten() {
            let challenge = format!("{} realm=\"{}\"{parameters}", scheme.authenticator.challenge(), self.realm);
            if !challenges.contains(&challenge) {
                challenges.push(challenge);
            }
        }
        let values = challenges.iter().filter_map(|challenge| HeaderValue::from_str(challenge).ok());
        values.fold(problem, |problem, value| problem.header(WWW_AUTHENTICATE, value))
    }
}
