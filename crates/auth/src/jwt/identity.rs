//! Converts the claims of a token to an [`Identity`].

use restwright_core::auth::Identity;
use serde_json::{Map, Value};

use super::claims::words;

/// The names of the claims that contain the caller's subject and permissions.
#[derive(Debug, Clone)]
pub(super) struct ClaimMapping {
    pub(super) subject: String,
    pub(super) permissions: Option<String>,
}

impl ClaimMapping {
    /// Returns the identity of a token. `expires_at` is the Unix time at which the token is no longer accepted.
    pub(super) fn identity(
        &self,
        issuer: &str,
        claims: Map<String, Value>,
        expires_at: i64,
    ) -> Result<Identity, &'static str> {
        let text = |name: &str| claims.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
        let subject = text(&self.subject).ok_or("the subject claim is missing")?;
        let mut scopes = words(claims.get("scope"));
        for scope in words(claims.get("scp")) {
            if !scopes.contains(&scope) {
                scopes.push(scope);
            }
        }
        let mut identity = Identity::builder(subject).issuer(issuer).scopes(scopes).expires_at(expires_at);
        if let Some(username) = text("preferred_username").or_else(|| text("username")) {
            identity = identity.username(username);
        }
        // Some providers send the boolean as a string.
        let unverified = claims.get("email_verified").is_some_and(|verified| *verified != true && *verified != "true");
        if let Some(email) = text("email").filter(|_| !unverified) {
            identity = identity.email(email);
        }
        let identity = identity.claims(claims).build();
        Ok(match &self.permissions {
            Some(path) => {
                let permissions = words(identity.claim(path));
                identity.with_permissions(permissions)
            }
            None => identity,
        })
    }
}
