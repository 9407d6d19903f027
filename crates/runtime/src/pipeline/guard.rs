//! Authentication and authorisation of one route.

use std::iter;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use http::HeaderValue;
use http::header::WWW_AUTHENTICATE;

use restwright_core::auth::{Access, Authentication, AuthorizationContext, Decision, Identity, Requirement};
use restwright_core::http::HttpRequest;
use restwright_core::operation::{ApiKeyLocation, SecurityScheme};
use restwright_core::problem::{Problem, catalogue};
use restwright_core::runtime::SharedAuthenticator;
use restwright_core::{BuildErrors, Configuration, Result};

use super::challenge::Challenge;
use super::deadline::within;

/// The access of a route with its authenticators.
pub(crate) struct Guard {
    access: Access,
    guest: Identity,
    alternatives: Vec<Vec<Scheme>>,
    /// What a caller without credentials is told.
    required: String,
    deadline: Duration,
}

struct Scheme {
    name: Arc<str>,
    authenticator: SharedAuthenticator,
    challenge: Challenge,
}

/// Who calls, and by which alternative they said so.
struct Caller<'a> {
    identity: Identity,
    /// The scheme that found them; `None` for a guest.
    scheme: Option<&'a Scheme>,
}

impl Guard {
    /// Finds the authenticators that the access names; `None` for a public route.
    pub(crate) fn new(
        access: &Access,
        configuration: &Configuration,
        deadline: Duration,
    ) -> Result<Option<Self>, BuildErrors> {
        let mut errors = BuildErrors::new();
        access.requirements().iter().flat_map(Requirement::mistakes).for_each(|mistake| errors.push(mistake));
        if access.is_public() {
            if let Some(scheme) = access.schemes().iter().flatten().next() {
                errors.push(format!(
                    "the access is public and names the scheme `{scheme}`; write `Access::optional(\"{scheme}\")` to admit guests beside callers who prove by it who they are"
                ));
            }
            if !access.requirements().is_empty() {
                errors.push("the access is public and demands something of its callers; name a scheme by which they prove it, or demand nothing");
            }
            return errors.finish(Some(None));
        }
        for together in access.schemes() {
            if let Some(twice) = twice(together) {
                let all = together.join(" + ");
                errors.push(format!("the access names the scheme `{twice}` twice in `{all}`; name it once"));
            }
        }
        let scopes = access.scopes();
        let mut scheme = |name: &String, scopes: &[String]| {
            let found = configuration.authenticators().iter().find(|(known, _)| known == name);
            if found.is_none() {
                let known: Vec<_> =
                    configuration.authenticators().iter().map(|(name, _)| format!("`{name}`")).collect();
                let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
                errors.push(format!(
                    "the access names the scheme `{name}`, which is not registered (registered: {known}); add `.authenticator(\"{name}\", ..)` to the configuration"
                ));
            }
            found.map(|(name, authenticator)| Scheme {
                name: name.as_str().into(),
                authenticator: authenticator.clone(),
                challenge: Challenge::new(&authenticator.challenge(), configuration.name(), scopes),
            })
        };
        // The scopes are those of who calls, whom the first scheme finds.
        let mut conjunction = |together: &Vec<String>| -> Vec<Scheme> {
            let Some((first, others)) = together.split_first() else { return Vec::new() };
            let first = scheme(first, &scopes);
            first.into_iter().chain(others.iter().filter_map(|other| scheme(other, &[]))).collect()
        };
        let alternatives: Vec<Vec<Scheme>> = access.schemes().iter().map(&mut conjunction).collect();
        let required = format!("Credentials are required: {}.", places(&alternatives));
        let (access, guest) = (access.clone(), configuration.guest());
        errors.finish(Some(Some(Self { access, guest, alternatives, required, deadline })))
    }

    /// The parameters of the query from which its schemes read keys.
    pub(crate) fn keys_in_query(&self) -> Vec<String> {
        let keys = self.schemes().filter_map(|scheme| match scheme.authenticator.describe() {
            SecurityScheme::ApiKey { location: ApiKeyLocation::Query, name, .. } => Some(name),
            _ => None,
        });
        keys.collect()
    }

    /// Lets the request pass with its identity, or answers 401, 403, or 503, which it also does at its deadline.
    pub(crate) async fn admit(&self, request: &mut HttpRequest) -> Result<()> {
        let admitted = within(self.deadline, pin!(self.decide(request))).await;
        admitted.map_err(|late| late.source("authenticators and policies took too long"))?
    }

    async fn decide(&self, request: &mut HttpRequest) -> Result<()> {
        let caller = match self.authenticate(request).await? {
            Some(caller) => caller,
            None if self.access.admits_guests() => Caller { identity: self.guest.clone(), scheme: None },
            None => return Err(self.credentials_required(&*self.required)),
        };
        for requirement in self.access.requirements() {
            self.check(requirement, &caller, request).await?;
        }
        if caller.identity.is_guest() {
            request.set_guest(&caller.identity);
        } else {
            request.set_identity(caller.identity);
        }
        Ok(())
    }

    /// The first alternative whose schemes all find somebody decides; wrong credentials for any before it are a 401.
    async fn authenticate(&self, request: &mut HttpRequest) -> Result<Option<Caller<'_>>> {
        // What was found for alternatives that do not decide, so that no scheme is asked twice.
        let mut known: Vec<(&str, Option<Identity>)> = Vec::new();
        let mut missing = None;
        for together in &self.alternatives {
            let mut first = None;
            let mut others = Vec::new();
            let mut absent = None;
            for scheme in together {
                let identity = match known.iter().find(|(name, _)| *name == &*scheme.name) {
                    Some((_, identity)) => identity.clone(),
                    None => {
                        let identity = self.ask(scheme, request).await?;
                        // One alternative names it once.
                        if self.alternatives.len() > 1 {
                            known.push((&scheme.name, identity.clone()));
                        }
                        identity
                    }
                };
                match identity {
                    Some(identity) if first.is_none() => first = Some(identity),
                    Some(identity) => others.push(identity),
                    // The others are asked all the same: their credentials may be wrong.
                    None => absent = absent.or(Some(scheme)),
                }
            }
            match (first, absent) {
                (Some(first), None) => {
                    return Ok(Some(Caller { identity: first.beside(others), scheme: together.first() }));
                }
                (Some(_), Some(absent)) => missing = missing.or(Some(absent)),
                (None, _) => {}
            }
        }
        let Some(missing) = missing else { return Ok(None) };
        let detail = format!("The credentials are not complete: {} is needed beside them.", place(missing));
        Err(self.credentials_required(detail))
    }

    /// Whose the credentials of one scheme are; `None` when there are none.
    async fn ask(&self, scheme: &Scheme, request: &mut HttpRequest) -> Result<Option<Identity>> {
        let claims = request.claims_so_far();
        let answer = scheme.authenticator.authenticate(request).await;
        request.claims_are_credentials_from(claims);
        match answer {
            Authentication::Identity(identity) if !identity.is_guest() => {
                Ok(Some(identity.authenticated_by(&scheme.name)))
            }
            Authentication::Identity(_) | Authentication::NoCredentials => Ok(None),
            Authentication::Rejected(rejection) => {
                tracing::info!(scheme = &*scheme.name, reason = rejection.reason, "credentials rejected");
                let challenges = self.schemes().map(|other| {
                    let refused = other.name == scheme.name;
                    if refused { other.challenge.rejected(&rejection) } else { other.challenge.plain() }
                });
                let problem = Problem::new(catalogue::UNAUTHENTICATED).detail("The credentials are not valid.");
                Err(with_challenges(problem, challenges))
            }
            Authentication::Unavailable { reason, retry_after } => Err(Problem::new(catalogue::UNAVAILABLE)
                .detail("Callers cannot be authenticated at the moment.")
                .source(format!("scheme {}: {reason}", scheme.name))
                .retry_after(retry_after)),
            other => Err(Problem::internal(format!("scheme {}: {other:?} is not handled", scheme.name))),
        }
    }

    async fn check(&self, requirement: &Requirement, caller: &Caller<'_>, request: &HttpRequest) -> Result<()> {
        let problem = if let Requirement::Policy(policy) = requirement {
            let Some(route) = request.route() else {
                return Err(Problem::internal("a policy is asked without a route"));
            };
            match policy.0.decide(&AuthorizationContext::new(&caller.identity, request, route)).await? {
                Decision::Allow => return Ok(()),
                Decision::Deny { reason } => {
                    tracing::info!(policy = policy.name(), reason, "a policy refused the caller");
                    Problem::new(catalogue::FORBIDDEN).detail("The caller may not do this.")
                }
                other => return Err(Problem::internal(format!("policy {}: {other:?} is not handled", policy.name()))),
            }
        } else {
            let Some(lack) = requirement.lacking(&caller.identity) else { return Ok(()) };
            Problem::new(catalogue::FORBIDDEN).detail(lack.sentence()).member(lack.member, lack.names)
        };
        let Some(scheme) = caller.scheme else { return Err(self.credentials_required(&*self.required)) };
        Err(with_challenges(problem, iter::once(scheme.challenge.insufficient(requirement.scopes()))))
    }

    fn credentials_required(&self, detail: impl Into<String>) -> Problem {
        let problem = Problem::new(catalogue::UNAUTHENTICATED).detail(detail);
        with_challenges(problem, self.schemes().map(|scheme| scheme.challenge.plain()))
    }

    fn schemes(&self) -> impl Iterator<Item = &Scheme> {
        self.alternatives.iter().flatten()
    }
}

/// A scheme that is named twice.
fn twice(together: &[String]) -> Option<&String> {
    together.iter().find(|name| together.iter().filter(|other| other == name).count() > 1)
}

/// Where credentials of these alternatives travel.
fn places(alternatives: &[Vec<Scheme>]) -> String {
    let together = |schemes: &Vec<Scheme>| schemes.iter().map(place).collect::<Vec<_>>().join(" with ");
    alternatives.iter().map(together).collect::<Vec<_>>().join(", or ")
}

fn place(scheme: &Scheme) -> String {
    match scheme.authenticator.describe() {
        SecurityScheme::ApiKey { location: ApiKeyLocation::Query, name, .. } => format!("the query parameter `{name}`"),
        SecurityScheme::ApiKey { location, name, .. } => format!("the {} `{name}`", location.as_str()),
        _ => format!("`Authorization: {} ..`", scheme.challenge.scheme()),
    }
}

/// Adds each challenge once.
fn with_challenges(problem: Problem, challenges: impl Iterator<Item = String>) -> Problem {
    let mut distinct: Vec<String> = Vec::new();
    for challenge in challenges {
        if !distinct.contains(&challenge) {
            distinct.push(challenge);
        }
    }
    let values = distinct.into_iter().filter_map(|challenge| HeaderValue::try_from(challenge).ok());
    values.fold(problem, |problem, value| problem.header(WWW_AUTHENTICATE, value))
}
