//! What `WWW-Authenticate` says (RFC 9110, section 11.6.1; RFC 6750, section 3).

use super::guard::Scheme;
use crate::auth::Rejection;

/// Writes the challenges of an application.
pub(super) struct Challenges {
    realm: String,
}

impl Challenges {
    pub(super) fn new(realm: &str) -> Self {
        // A quoted string may have other characters escaped; a realm reads better without them.
        Self {
            realm: realm
                .chars()
                .filter(|character| (' '..='~').contains(character) && !"\"\\".contains(*character))
                .collect(),
        }
    }

    /// One challenge for each scheme, for a request without credentials.
    pub(super) fn plain<'a>(&self, schemes: impl Iterator<Item = &'a Scheme>) -> Vec<String> {
        distinct(schemes.map(|scheme| self.challenge(scheme, "")))
    }

    /// One challenge for each scheme, and what was wrong at the one that refused.
    pub(super) fn rejected<'a>(
        &self,
        schemes: impl Iterator<Item = &'a Scheme>,
        refused: &Scheme,
        rejection: &Rejection,
    ) -> Vec<String> {
        let error = rejection.error.map(|error| format!(", error=\"{error}\"")).unwrap_or_default();
        let description = rejection.description.map(|text| format!(", error_description=\"{text}\""));
        let parameters = error + &description.unwrap_or_default();
        distinct(schemes.map(|scheme| {
            let own = scheme.name == refused.name;
            self.challenge(scheme, if own { &parameters } else { "" })
        }))
    }

    /// What would do in place of credentials that do not suffice.
    pub(super) fn insufficient(&self, schemes: &[Scheme], scopes: &[String]) -> Vec<String> {
        let mut parameters = ", error=\"insufficient_scope\"".to_owned();
        if !scopes.is_empty() {
            parameters += &format!(", scope=\"{}\"", scopes.join(" "));
        }
        distinct(schemes.iter().map(|scheme| self.challenge(scheme, &parameters)))
    }

    fn challenge(&self, scheme: &Scheme, parameters: &str) -> String {
        format!("{} realm=\"{}\"{parameters}", scheme.authenticator.challenge(), self.realm)
    }
}

fn distinct(challenges: impl Iterator<Item = String>) -> Vec<String> {
    let mut distinct: Vec<String> = Vec::new();
    for challenge in challenges {
        if !distinct.contains(&challenge) {
            distinct.push(challenge);
        }
    }
    distinct
}
