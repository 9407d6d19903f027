//! Access by schemes, with what is required of callers.

use std::fmt;

use super::Policy;
use super::requirement::{NamedPolicy, Requirement};

/// An [`Access`](super::Access) by schemes, with what is required of callers; it converts into one.
#[derive(Debug, Clone)]
#[must_use = "access that no route or group declares has no effect"]
pub struct SchemeAccess {
    pub(super) schemes: Vec<Vec<String>>,
    pub(super) guests: bool,
    pub(super) requirements: Vec<Requirement>,
}

impl SchemeAccess {
    pub(super) fn new(scheme: String, guests: bool) -> Self {
        Self { schemes: vec![vec![scheme]], guests, requirements: Vec::new() }
    }

    /// Adds an alternative scheme. Alternatives are tried in their order until credentials let the caller in or are wrong.
    pub fn or(mut self, scheme: impl Into<String>) -> Self {
        self.schemes.push(vec![scheme.into()]);
        self
    }

    /// Demands another scheme together with the last one, such as the key of an application beside the token of its user.
    ///
    /// Who calls is whom the first scheme finds, and requirements are about them alone: another's scopes, permissions and
    /// claims do not count, and are found with [`Identity::of_scheme`](crate::auth::Identity::of_scheme). Credentials of some of
    /// the schemes alone are a 401, on a route for guests too. An Api that demands a scheme together with itself does not start.
    ///
    /// Whether the schemes find one and the same subject is **not** compared; a policy does that where it has to be so:
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

    /// Demands each of these scopes.
    pub fn all_scopes<S: Into<String>>(self, scopes: impl IntoIterator<Item = S>) -> Self {
        self.require(Requirement::AllScopes(names(scopes)))
    }

    /// Demands at least one of these scopes.
    pub fn any_scope<S: Into<String>>(self, scopes: impl IntoIterator<Item = S>) -> Self {
        self.require(Requirement::AnyScope(names(scopes)))
    }

    /// Demands each of these permissions.
    pub fn all_permissions<S: Into<String>>(self, permissions: impl IntoIterator<Item = S>) -> Self {
        self.require(Requirement::AllPermissions(names(permissions)))
    }

    /// Demands at least one of these permissions.
    pub fn any_permission<S: Into<String>>(self, permissions: impl IntoIterator<Item = S>) -> Self {
        self.require(Requirement::AnyPermission(names(permissions)))
    }

    /// Demands at least one of these roles, which the caller has in a [claim](crate::auth::Identity::claim), such as `roles` or
    /// `/realm_access/roles`.
    pub fn any_role<S: Into<String>>(self, claim: impl Into<String>, roles: impl IntoIterator<Item = S>) -> Self {
        self.require(Requirement::AnyRole { claim: claim.into(), roles: names(roles) })
    }

    /// Demands what a policy of the application's own decides; it is asked when everything before it holds.
    pub fn policy(self, policy: impl Policy) -> Self {
        self.require(Requirement::Policy(NamedPolicy::new(policy)))
    }

    /// Demands something beside what is demanded already; each has to hold, in this order.
    pub fn require(mut self, requirement: Requirement) -> Self {
        // `authorize(scheme, [])` asks for nothing more than a known caller.
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
