//! Creates the challenges in `WWW-Authenticate` (RFC 9110, section 11.6.1; RFC 6750, section 3).

use http::header::WWW_AUTHENTICATE;
use http::{HeaderName, HeaderValue};

use restwright_core::Problem;
use restwright_core::auth::Rejection;

use crate::effective_access::EffectiveAccess;

/// The `WWW-Authenticate` challenge of one authentication scheme on one route.
pub(super) struct Challenge {
    /// The beginning of the challenge, which consists of the scheme, the realm and any custom parameters.
    start: String,
    /// The `scope` parameter, which lists the scopes that a token for the route needs.
    scope: String,
}

impl Challenge {
    /// Creates the challenge of an authentication scheme. Only bearer challenges list scopes, because RFC 6750 defines
    /// the parameter. Clients can use it to request a token.
    pub(super) fn new(text: &str, realm: &str, scopes: &[String]) -> Self {
        let (scheme, own) = text.split_once(' ').unwrap_or((text, ""));
        let names = parameter_names(own).unwrap_or_default();
        let start = if names.iter().any(|name| name.eq_ignore_ascii_case("realm")) {
            text.to_owned()
        } else {
            let separator = if own.is_empty() { "" } else { ", " };
            format!("{scheme} {}{separator}{own}", parameter("realm", realm))
        };
        let scopes = if scheme.eq_ignore_ascii_case("Bearer") { scopes } else { &[] };
        Self { start, scope: scope(scopes) }
    }

    /// Returns the name of the scheme without parameters.
    pub(super) fn scheme(&self) -> &str {
        self.start.split(' ').next().unwrap_or_default()
    }

    /// Returns the challenge for a request that contains no credentials for the scheme.
    pub(super) fn plain(&self) -> String {
        format!("{}{}", self.start, self.scope)
    }

    /// Returns the challenge for a request whose credentials for the scheme are invalid.
    pub(super) fn rejected(&self, rejection: &Rejection) -> String {
        let optional = |name, value: Option<&str>| match value {
            Some(value) => format!(", {}", parameter(name, value)),
            None => String::new(),
        };
        let error = optional("error", rejection.error);
        let description = optional("error_description", rejection.description);
        format!("{}{error}{description}{}", self.start, self.scope)
    }

    /// Returns the challenge for credentials that are valid but not sufficient. `scopes` are the scopes that the client
    /// must request, if scopes are missing.
    pub(super) fn insufficient(&self, scopes: &[String]) -> String {
        format!("{}, error=\"insufficient_scope\"{}", self.start, scope(scopes))
    }
}

/// Adds the challenges to a problem as `WWW-Authenticate` headers, without duplicates.
pub(super) fn with_challenges(problem: Problem, challenges: impl Iterator<Item = String>) -> Problem {
    let mut distinct: Vec<String> = Vec::new();
    for challenge in challenges {
        if !distinct.contains(&challenge) {
            distinct.push(challenge);
        }
    }
    let values = distinct.into_iter().filter_map(|challenge| HeaderValue::try_from(challenge).ok());
    values.fold(problem, |problem, value| problem.append_header(WWW_AUTHENTICATE, value))
}

fn scope(scopes: &[String]) -> String {
    if scopes.is_empty() { String::new() } else { format!(", scope=\"{}\"", scopes.join(" ")) }
}

/// Formats a challenge parameter with a quoted value. Removes quotes, backslashes and characters outside of printable
/// ASCII, which RFC 6750 (section 3) does not allow.
fn parameter(name: &str, value: &str) -> String {
    let value: String =
        value.chars().filter(|character| (' '..='~').contains(character) && !"\"\\".contains(*character)).collect();
    format!("{name}=\"{value}\"")
}

/// Returns `true` if a string is a valid challenge, which is a scheme, optionally followed by parameters.
pub(crate) fn is_challenge(text: &str) -> bool {
    match text.split_once(' ') {
        None => is_token(text),
        Some((scheme, parameters)) => is_token(scheme) && parameter_names(parameters).is_some(),
    }
}

/// Returns the names of the authentication parameters in a string (RFC 9110, section 11.2). Returns `None` unless the
/// string is a list of `token BWS "=" BWS ( token / quoted-string )`, separated by commas.
fn parameter_names(text: &str) -> Option<Vec<&str>> {
    let mut names = Vec::new();
    let mut text = text;
    loop {
        let (name, value) = text.split_once('=')?;
        let name = name.trim_matches(BLANK);
        let after = after_value(value.trim_start_matches(BLANK))?.trim_start_matches(BLANK);
        if !is_token(name) {
            return None;
        }
        names.push(name);
        if after.is_empty() {
            return Some(names);
        }
        text = after.strip_prefix(',')?;
    }
}

const BLANK: [char; 2] = [' ', '\t'];

/// Returns the rest of the string after the value of a parameter. Returns `None` if the value is invalid.
fn after_value(text: &str) -> Option<&str> {
    let Some(quoted) = text.strip_prefix('"') else {
        let (value, after) = text.split_at(text.find([',', ' ', '\t']).unwrap_or(text.len()));
        return is_token(value).then_some(after);
    };
    let mut escaped = false;
    let end = quoted.find(|character| {
        let ends = character == '"' && !escaped;
        escaped = character == '\\' && !escaped;
        ends
    })?;
    let (value, after) = quoted.split_at(end);
    let is_text = value.chars().all(|character| character == '\t' || (' '..='~').contains(&character));
    after.strip_prefix('"').filter(|_| is_text)
}

/// Returns `true` if a string is a `token` (RFC 9110, section 5.6.2). Header names are also tokens.
fn is_token(text: &str) -> bool {
    HeaderName::from_bytes(text.as_bytes()).is_ok()
}

/// Returns the scopes that the challenge of a scheme contains. They are the scopes of all access rules that identify the caller by this
/// scheme.
pub(super) fn challenge_scopes(access: &EffectiveAccess, number: usize, name: &String, is_first: bool) -> Vec<String> {
    let mut scopes = Vec::new();
    for (position, demand) in access.demands().enumerate() {
        let comes_first = || demand.schemes().iter().any(|together| together.first() == Some(name));
        if if position == number { is_first } else { comes_first() } {
            scopes.extend(demand.scopes().into_iter().filter(|scope| !scopes.contains(scope)).collect::<Vec<_>>());
        }
    }
    scopes
}
