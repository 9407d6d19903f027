//! Defines [`SchemeAccess`], the access rules that authenticate the caller.

use std::fmt;

use super::Policy;
use super::requirement::{NamedPolicy, Requirement};

/// Access rules that authenticate the caller by one or more schemes and check requirements. They convert into an
/// [`Access`](super::Access).
#[derive(Debug, Clone)]
#[must_use = "access has no effect until a route or group declares it"]
pub struct SchemeAccess {
    pub(super) schemes: Vec<Vec<String>>,
    pub(super) guests: bool,
    pub(super) requirements: Vec<Requirement>,
}

impl SchemeAccess {
    pub(super) fn new(scheme: String, guests: bool) -> Self {
        Self { schemes: vec![vec![scheme]], guests, requirements: Vec::new() }
    }

    /// Adds an alternative authentication scheme. Alternatives are tried in order until one accepts or rejects the
    /// credentials.
    pub fn or(mut self, scheme: impl Into<String>) -> Self {
        self.schemes.push(vec![scheme.into()]);
        self
    }

    /// Requires another authentication scheme in addition to the previous scheme. For example, a request must contain
    /// an API key of the application and a token of its user.
    ///
    /// The first scheme identifies the caller. Requirements check only the scopes, permissions and claims of this
    /// identity. [`Identity::of_scheme`](crate::auth::Identity::of_scheme) returns the identities of the other schemes.
    ///
    /// A request with credentials for only some of the schemes gets a 401, even if the route admits guests. Building
    /// the Api fails if a scheme is required together with itself.
    ///
    /// The subjects of the schemes are **not** compared. Use a policy if they must be the same:
    /// ```
    /// use restwright_core::Result;
    /// use restwright_core::auth::{Access, Decision, Policy, AuthorizationContext};
    ///
    /// /// The token and the session are one user's, whom this issuer knows.
    /// struct OneUser;
    ///
    /// impl Policy for OneUser {
    ///     async fn decide(&self, authorization: &AuthorizationContext<'_>) -> Result<Decision> {
    ///         let token = authorization.identity();
    ///         let session = token.of_scheme("session");
    ///         let one = token.issuer() == Some("https://login.example.com")
    ///             && session.is_some_and(|session| session.subject() == token.subject());
    ///         Ok(if one { Decision::Allow } else { Decision::deny("the session is another user's") })
    ///     }
    /// }
    ///
    /// let access = Access::authenticated("jwt").and("session").policy(OneUser).all_scopes(["pets:read"]);
    /// ```
    pub fn and(mut self, scheme: impl Into<String>) -> Self {
        match self.schemes.last_mut() {
            Some(together) => together.push(scheme.into()),
            None => self.schemes.push(vec![scheme.into()]),
        }
        self
    }

    /// Requires all of these scopes.
    pub fn all_scopes<S: Into<String>>(self, scopes: impl IntoIterator<Item = S>) -> Self {
        self.require(Requirement::AllScopes(names(scopes)))
    }

    /// Requires at least one of these scopes.
    pub fn any_scope<S: Into<String>>(self, scopes: impl IntoIterator<Item = S>) -> Self {
        self.require(Requirement::AnyScope(names(scopes)))
    }

    /// Requires all of these permissions.
    pub fn all_permissions<S: Into<String>>(self, permissions: impl IntoIterator<Item = S>) -> Self {
        self.require(Requirement::AllPermissions(names(permissions)))
    }

    /// Requires at least one of these permissions.
    pub fn any_permission<S: Into<String>>(self, permissions: impl IntoIterator<Item = S>) -> Self {
        self.require(Requirement::AnyPermission(names(permissions)))
    }

    /// Requires at least one of these roles. They are read from a [claim](crate::auth::Identity::claim) such as `roles`
    /// or `/realm_access/roles`.
    pub fn any_role<S: Into<String>>(self, claim: impl Into<String>, roles: impl IntoIterator<Item = S>) -> Self {
        self.require(Requirement::AnyRole { claim: claim.into(), roles: names(roles) })
    }

    /// Requires that a custom policy allows the caller. The policy runs only if all previous requirements hold.
    pub fn policy(self, policy: impl Policy) -> Self {
        self.require(Requirement::Policy(NamedPolicy::new(policy)))
    }

    /// Adds a requirement. A caller must meet all requirements. They are checked in order.
    pub fn require(mut self, requirement: Requirement) -> Self {
        // `authorize(scheme, [])` requires only an authenticated caller.
        if !matches!(&requirement, Requirement::AllScopes(none) | Requirement::AllPermissions(none) if none.is_empty())
        {
            self.requirements.push(requirement);
        }
        self
    }
}

impl fmt::Display for SchemeAccess {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let schemes: Vec<_> = self.schemes.iter().map(|together| together.join(" + ")).collect();
        write!(formatter, "{}{}", if self.guests { "optional " } else { "" }, schemes.join(" | "))?;
        for (position, requirement) in self.requirements.iter().enumerate() {
            write!(formatter, "{} {requirement}", if position == 0 { ":" } else { "," })?;
        }
        Ok(())
    }
}

fn names<S: Into<String>>(names: impl IntoIterator<Item = S>) -> Vec<String> {
    names.into_iter().map(Into::into).collect()
}
