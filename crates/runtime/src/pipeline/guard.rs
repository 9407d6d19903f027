//! Authenticates and authorizes the requests of one route.

use std::iter;
use std::pin::pin;
use std::slice;
use std::sync::Arc;
use std::time::Duration;

use restwright_core::auth::{Authentication, AuthorizationContext, Decision, Identity, Requirement};
use restwright_core::http::HttpRequest;
use restwright_core::operation::{ApiKeyLocation, SecurityScheme};
use restwright_core::problem::{ProblemKind, catalogue};
use restwright_core::runtime::SharedAuthenticator;
use restwright_core::{BuildErrors, Configuration, Problem, Result};

use super::challenge::{Challenge, challenge_scopes, with_challenges};
use super::deadline::within;
use crate::effective_access::EffectiveAccess;

/// The access rules of a route, with the authenticators that check credentials.
pub(crate) struct AccessGuard {
    /// The access rules, outermost first. A request must meet all of them.
    demands: Vec<AccessRule>,
    guest: Identity,
    /// The detail of the 401 problem for requests without credentials.
    required: String,
    /// `true` if more than one alternative of the access rules may contain the same scheme.
    shares_schemes: bool,
    deadline: Duration,
}

/// An access rule that the route or an enclosing group declares.
struct AccessRule {
    alternatives: Vec<Vec<Scheme>>,
    guests: bool,
    requirements: Vec<Requirement>,
}

struct Scheme {
    name: Arc<str>,
    authenticator: SharedAuthenticator,
    challenge: Challenge,
}

/// The result of reading the credentials for one access rule.
enum Credentials<'g> {
    /// The request has credentials for every scheme of one alternative. An alternative is a set of schemes.
    Complete(KnownCaller<'g>),
    /// The request has credentials for only some schemes of an alternative. Contains a scheme whose credentials are missing.
    Incomplete(&'g Scheme),
    /// The request has no credentials.
    None,
}

/// An authenticated caller for one access rule. The first scheme of the alternative identifies the caller.
struct KnownCaller<'g> {
    scheme: &'g Scheme,
    identity: Identity,
    /// The identities from the other schemes of the same alternative.
    others: Vec<Identity>,
}

/// The caller whose permissions are checked against one access rule. Without a scheme, the caller is a guest.
struct Subject<'g> {
    scheme: Option<&'g Scheme>,
    identity: Identity,
}

/// The identities that the schemes returned for this request, by scheme name. Each scheme is therefore called only once.
type SchemeIdentities<'g> = Vec<(&'g str, Option<Identity>)>;

impl AccessGuard {
    /// Creates the guard of a route with the authenticators for its access rules. Returns `None` for a public route.
    pub(crate) fn new(
        access: &EffectiveAccess,
        configuration: &Configuration,
        deadline: Duration,
    ) -> Result<Option<Self>, BuildErrors> {
        let mut errors = BuildErrors::new();
        access.requirements().flat_map(Requirement::mistakes).for_each(|mistake| errors.push(mistake));
        let mut demands = Vec::new();
        for (number, demand) in access.demands().enumerate() {
            for together in demand.schemes() {
                if let Some(twice) = twice(together) {
                    let all = together.join(" + ");
                    errors.push(format!("the access contains the scheme `{twice}` twice in `{all}`; write it once"));
                }
            }
            let mut scheme = |name: &String, is_first: bool| {
                let scopes = challenge_scopes(access, number, name, is_first);
                errors.take(Scheme::new(name, configuration, &scopes))
            };
            let mut conjunction = |together: &Vec<String>| -> Vec<Scheme> {
                let schemes = together.iter().enumerate();
                schemes.filter_map(|(position, name)| scheme(name, position == 0)).collect()
            };
            demands.push(AccessRule {
                alternatives: demand.schemes().iter().map(&mut conjunction).collect(),
                guests: demand.admits_guests(),
                requirements: demand.requirements().to_vec(),
            });
        }
        if access.is_public() {
            return errors.finish(Some(None));
        }
        let required = format!("Credentials are required: {}.", places(&demands));
        let shares_schemes = demands.iter().map(|demand| demand.alternatives.len()).sum::<usize>() > 1;
        errors.finish(Some(Some(Self { demands, guest: configuration.guest(), required, shares_schemes, deadline })))
    }

    /// Returns the names of the query parameters from which schemes read API keys.
    pub(crate) fn keys_in_query(&self) -> Vec<String> {
        let in_query = |scheme| match scheme {
            SecurityScheme::ApiKey { location: ApiKeyLocation::Query, name, .. } => Some(name),
            _ => None,
        };
        self.descriptions().filter_map(in_query).collect()
    }

    /// Returns the OpenAPI descriptions of the schemes.
    pub(crate) fn descriptions(&self) -> impl Iterator<Item = SecurityScheme> {
        self.schemes().map(|scheme| scheme.authenticator.describe())
    }

    /// Authenticates and authorizes a request, and sets its identity. Fails with 401, 403 or 503. A passed deadline is a 503.
    pub(crate) async fn admit(&self, request: &mut HttpRequest) -> Result<()> {
        let mut decision = Err(Problem::internal("the request was not decided on"));
        let late = within(self.deadline, pin!(async { decision = self.decide(request).await })).await;
        late.map_err(|late| late.source("authenticators and policies took too long"))?;
        decision
    }

    async fn decide(&self, request: &mut HttpRequest) -> Result<()> {
        let mut found = SchemeIdentities::new();
        let [demand] = &*self.demands else { return self.decide_together(request).await };
        let subject = match self.authenticate(demand, &mut found, request).await? {
            Credentials::Complete(caller) => {
                Subject { scheme: Some(caller.scheme), identity: caller.identity.with_others(caller.others) }
            }
            Credentials::Incomplete(scheme) => return Err(self.incomplete(&place(scheme))),
            Credentials::None if demand.guests => Subject { scheme: None, identity: self.guest.clone() },
            Credentials::None => return Err(self.credentials_required()),
        };
        let decision = self.check(demand, &subject, request).await;
        set_caller(subject.identity, request);
        decision
    }

    /// Reads the credentials for all access rules, and then checks the requirements of each rule.
    async fn decide_together(&self, request: &mut HttpRequest) -> Result<()> {
        let mut found = SchemeIdentities::new();
        let mut callers = Vec::new();
        let mut missing = None;
        for demand in &self.demands {
            callers.push(match self.authenticate(demand, &mut found, request).await? {
                Credentials::Complete(caller) => Some(caller),
                Credentials::Incomplete(scheme) => {
                    missing.get_or_insert_with(|| (true, place(scheme)));
                    None
                }
                Credentials::None => {
                    if !demand.guests {
                        missing.get_or_insert_with(|| (false, places(slice::from_ref(demand))));
                    }
                    None
                }
            });
        }
        if let Some((is_incomplete, place)) = missing {
            // Credentials that are present for one access are incomplete if another access needs more.
            let is_incomplete = is_incomplete || callers.iter().any(Option::is_some);
            return Err(if is_incomplete { self.incomplete(&place) } else { self.credentials_required() });
        }
        let known = callers.iter().flatten();
        let known = distinct(known.flat_map(|caller| iter::once(&caller.identity).chain(&caller.others)));
        let mut outermost = None;
        let mut decision = Ok(());
        for (demand, caller) in self.demands.iter().zip(callers) {
            let is_known = caller.is_some();
            let subject = match caller {
                Some(caller) => Subject { scheme: Some(caller.scheme), identity: caller.identity },
                None => Subject { scheme: None, identity: self.guest.clone() },
            };
            let others = known.iter().filter(|other| other.scheme() != subject.identity.scheme());
            let others = others.map(|other| (*other).clone()).collect();
            let subject = Subject { identity: subject.identity.with_others(others), ..subject };
            decision = self.check(demand, &subject, request).await;
            if is_known && outermost.is_none() {
                outermost = Some(subject.identity);
            }
            if decision.is_err() {
                break;
            }
        }
        set_caller(outermost.unwrap_or_else(|| self.guest.clone()), request);
        decision
    }

    /// Finds the first alternative (a set of schemes) for which the request has all credentials. Invalid credentials for an earlier
    /// alternative result in a 401.
    async fn authenticate<'g>(
        &'g self,
        demand: &'g AccessRule,
        found: &mut SchemeIdentities<'g>,
        request: &mut HttpRequest,
    ) -> Result<Credentials<'g>> {
        let mut missing = None;
        for together in &demand.alternatives {
            let mut first = None;
            let mut others = Vec::new();
            let mut absent = None;
            for scheme in together {
                let identity = match found.iter().find(|(name, _)| *name == &*scheme.name) {
                    Some((_, identity)) => identity.clone(),
                    None => {
                        let identity = self.ask(scheme, request).await?;
                        // Within one alternative, each scheme occurs once.
                        if self.shares_schemes {
                            found.push((&scheme.name, identity.clone()));
                        }
                        identity
                    }
                };
                match identity {
                    Some(identity) if first.is_none() => first = Some(identity),
                    Some(identity) => others.push(identity),
                    // The remaining schemes are still called, because their credentials may be invalid.
                    None => absent = absent.or(Some(scheme)),
                }
            }
            match (first, absent, together.first()) {
                (Some(identity), None, Some(scheme)) => {
                    return Ok(Credentials::Complete(KnownCaller { scheme, identity, others }));
                }
                (Some(_), Some(absent), _) => missing = missing.or(Some(absent)),
                _ => {}
            }
        }
        Ok(missing.map_or(Credentials::None, Credentials::Incomplete))
    }

    /// Calls the authenticator of one scheme. Returns the caller's identity, or `None` if the credentials are missing.
    async fn ask(&self, scheme: &Scheme, request: &mut HttpRequest) -> Result<Option<Identity>> {
        let claims = request.claims_so_far();
        let authentication = scheme.authenticator.authenticate(request).await;
        request.claims_are_credentials_from(claims);
        match authentication {
            Authentication::Identity(identity) if !identity.is_guest() => {
                Ok(Some(identity.authenticated_by(&scheme.name)))
            }
            Authentication::Identity(_) | Authentication::NoCredentials => Ok(None),
            Authentication::Rejected(rejection) => {
                let challenges = self.schemes().map(|other| {
                    let refused = other.name == scheme.name;
                    if refused { other.challenge.rejected(&rejection) } else { other.challenge.plain() }
                });
                let problem =
                    problem(catalogue::UNAUTHENTICATED, "unauthenticated.invalid", "The credentials are invalid.")
                        .source(format!("scheme {}: {}", scheme.name, rejection.reason));
                Err(with_challenges(problem, challenges))
            }
            Authentication::Unavailable { reason, retry_after } => Err(problem(
                catalogue::UNAVAILABLE,
                "unavailable.authentication",
                "Authentication is temporarily unavailable.",
            )
            .source(format!("scheme {}: {reason}", scheme.name))
            .retry_after(retry_after)),
            Authentication::Failed(problem) => Err(problem),
            other => Err(Problem::internal(format!("scheme {}: {other:?} is not handled", scheme.name))),
        }
    }

    /// Checks that the caller meets all requirements of one access rule.
    async fn check(&self, demand: &AccessRule, subject: &Subject<'_>, request: &HttpRequest) -> Result<()> {
        for requirement in &demand.requirements {
            self.check_one(requirement, subject, request).await?;
        }
        Ok(())
    }

    async fn check_one(&self, requirement: &Requirement, subject: &Subject<'_>, request: &HttpRequest) -> Result<()> {
        let problem = if let Requirement::Policy(policy) = requirement {
            let Some(route) = request.route() else {
                return Err(Problem::internal("a policy was checked without a route"));
            };
            match policy.0.decide(&AuthorizationContext::new(&subject.identity, request, route)).await? {
                Decision::Allow => return Ok(()),
                Decision::Deny { reason } => {
                    problem(catalogue::FORBIDDEN, "forbidden.policy", "The caller lacks permission for this operation.")
                        .source(format!("policy {}: {reason}", policy.name()))
                }
                other => return Err(Problem::internal(format!("policy {}: {other:?} is not handled", policy.name()))),
            }
        } else {
            let Some(lack) = requirement.lacking(&subject.identity) else { return Ok(()) };
            problem(catalogue::FORBIDDEN, lack.key, lack.sentence()).member(lack.member, lack.names)
        };
        let Some(scheme) = subject.scheme else { return Err(self.credentials_required()) };
        Err(with_challenges(problem, iter::once(scheme.challenge.insufficient(requirement.scopes()))))
    }

    fn incomplete(&self, place: &str) -> Problem {
        let detail = format!("The credentials are incomplete: {place} is also required.");
        self.unauthenticated("unauthenticated.incomplete", detail)
    }

    fn credentials_required(&self) -> Problem {
        self.unauthenticated("unauthenticated.required", &*self.required)
    }

    fn unauthenticated(&self, key: &'static str, detail: impl Into<String>) -> Problem {
        with_challenges(
            problem(catalogue::UNAUTHENTICATED, key, detail),
            self.schemes().map(|scheme| scheme.challenge.plain()),
        )
    }

    fn schemes(&self) -> impl Iterator<Item = &Scheme> {
        self.demands.iter().flat_map(|demand| demand.alternatives.iter().flatten())
    }
}

impl Scheme {
    fn new(name: &String, configuration: &Configuration, scopes: &[String]) -> Result<Self, BuildErrors> {
        let authenticators = configuration.authenticators();
        let Some((name, authenticator)) = authenticators.iter().find(|(known, _)| known == name) else {
            let known: Vec<_> = authenticators.iter().map(|(name, _)| format!("`{name}`")).collect();
            let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
            return Err(BuildErrors::one(format!(
                "the access uses the scheme `{name}`, which is not registered (registered: {known}); add `.authenticator(\"{name}\", ..)` to the configuration"
            )));
        };
        Ok(Self {
            name: name.as_str().into(),
            authenticator: authenticator.clone(),
            challenge: Challenge::new(&authenticator.challenge(), configuration.name(), scopes),
        })
    }
}

fn problem(kind: ProblemKind, key: &'static str, detail: impl Into<String>) -> Problem {
    Problem::new(kind).detail(detail).detail_key(key)
}

/// Sets the identity of the request, so middlewares around the guard can read it. The identity of a rejected caller is also set.
fn set_caller(identity: Identity, request: &mut HttpRequest) {
    if identity.is_guest() {
        request.set_guest(&identity);
    } else {
        request.set_identity(identity);
    }
}

/// Returns only the first identity of each scheme.
fn distinct<'i>(identities: impl Iterator<Item = &'i Identity>) -> Vec<Identity> {
    let mut distinct: Vec<Identity> = Vec::new();
    for identity in identities {
        if !distinct.iter().any(|earlier| earlier.scheme() == identity.scheme()) {
            distinct.push(identity.clone());
        }
    }
    distinct
}

/// Returns the name of a scheme that one alternative contains twice, or `None`.
fn twice(together: &[String]) -> Option<&String> {
    together.iter().find(|name| together.iter().filter(|other| other == name).count() > 1)
}

/// Describes where a request must contain its credentials. The detail of a 401 problem includes the description.
fn places(demands: &[AccessRule]) -> String {
    let together = |schemes: &Vec<Scheme>| schemes.iter().map(place).collect::<Vec<_>>().join(" with ");
    let either = |demand: &AccessRule| demand.alternatives.iter().map(together).collect::<Vec<_>>().join(", or ");
    let mut all: Vec<String> = Vec::new();
    for places in demands.iter().map(either) {
        if !all.contains(&places) {
            all.push(places);
        }
    }
    all.join("; and ")
}

fn place(scheme: &Scheme) -> String {
    match scheme.authenticator.describe() {
        SecurityScheme::ApiKey { location, name, .. } => match location {
            ApiKeyLocation::Query => format!("the query parameter `{name}`"),
            _ => format!("the {location} `{name}`"),
        },
        _ => format!("`Authorization: {} ..`", scheme.challenge.scheme()),
    }
}
