//! What `WWW-Authenticate` says (RFC 9110, section 11.6.1; RFC 6750, section 3).

use crate::auth::Rejection;

/// The challenge of one scheme on one route.
pub(super) struct Challenge {
    /// The scheme with its realm.
    start: String,
    /// The scopes that a token for the route needs, as a parameter.
    scope: String,
}

impl Challenge {
    /// Scopes are named for bearer tokens alone: the parameter is RFC 6750's, and their clients can ask for a token with them.
    pub(super) fn new(scheme: &str, realm: &str, scopes: &[String]) -> Self {
        // A quoted string may have other characters escaped; a realm reads better without them.
        let realm: String =
            realm.chars().filter(|character| (' '..='~').contains(character) && !"\"\\".contains(*character)).collect();
        let scopes = if scheme.eq_ignore_ascii_case("Bearer") { scopes } else { &[] };
        Self { start: format!("{scheme} realm=\"{realm}\""), scope: scope(scopes) }
    }

    /// For a request without credentials of the scheme.
    pub(super) fn plain(&self) -> String {
        format!("{}{}", self.start, self.scope)
    }

    /// For credentials of the scheme that are wrong.
    pub(super) fn rejected(&self, rejection: &Rejection) -> String {
        let error = rejection.error.map(|error| format!(", error=\"{error}\"")).unwrap_or_default();
        let description = rejection.description.map(|text| format!(", error_description=\"{text}\""));
        format!("{}{error}{}{}", self.start, description.unwrap_or_default(), self.scope)
    }

    /// For credentials that lack one of these scopes, or something that has no name in a challenge.
    pub(super) fn insufficient(&self, scopes: &[String]) -> String {
        format!("{}, error=\"insufficient_scope\"{}", self.start, scope(scopes))
    }
}

fn scope(scopes: &[String]) -> String {
    if scopes.is_empty() { String::new() } else { format!(", scope=\"{}\"", scopes.join(" ")) }
}
