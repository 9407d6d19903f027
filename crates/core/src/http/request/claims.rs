//! Defines the query parameters that authenticators and middlewares claim.

use super::HttpRequest;

/// A query parameter that a middleware or an authenticator reads.
pub(super) struct ClaimedParameter {
    pub(super) name: String,
    pub(super) is_credential: bool,
}

impl HttpRequest {
    /// Marks a query parameter as known, so it is not rejected as undeclared. Use it in a middleware or an
    /// authenticator that reads the parameter. A parameter that an authenticator claims is treated as a credential.
    ///
    /// The query parameter of an API key scheme needs no claim.
    pub fn claim_query(&mut self, name: impl Into<String>) {
        self.0.claimed_query.push(ClaimedParameter { name: name.into(), is_credential: false });
    }

    /// Returns `true` if the query parameter with this decoded name contains a credential. Credentials are the API key
    /// of the route and parameters that an authenticator [claims](Self::claim_query). Omit them from links that repeat
    /// the query.
    #[must_use]
    pub fn is_credential_in_query(&self, name: &str) -> bool {
        self.0.route.as_ref().is_some_and(|route| route.reads_key_from(name))
            || self.0.claimed_query.iter().any(|claim| claim.is_credential && claim.name == name)
    }
}
