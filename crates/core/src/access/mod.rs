//! The access that a route declares: schemes, requirements and policies.

mod policy;
mod requirement;

pub use policy::ErasedPolicy;
pub use policy::{AuthorizationContext, Decision, Policy};
pub use requirement::Lack;
pub use requirement::{NamedPolicy, Requirement};

use std::fmt;

use crate::operation::SecurityRequirement;

/// Who may call a route; one that declares none does not start.
///
/// ```
/// use restwright_core::auth::Access;
///
/// // A token with the scope, or a key together with a session; and in each case the permission.
/// let access = Access::authenticated("jwt")
///     .or("key")
///     .and("session")
///     .all_scopes(["pets:read"])
///     .any_permission(["pets", "admin"]);
/// assert_eq!(access.to_string(), "jwt | key + session: pets:read, any permission of pets admin");
/// ```
#[derive(Debug, Clone)]
pub struct Access {
    schemes: Vec<Vec<String>>,
    public: bool,
    guests: bool,
    requirements: Vec<Requirement>,
}

impl Access {
    /// Anybody; no credentials are read. An Api in which it has alternatives does not start: that is [`optional`](Self::optional).
    #[must_use]
    pub fn public() -> Self {
        Self { schemes: Vec::new(), public: true, guests: true, requirements: Vec::new() }
    }

    /// A guest, or a caller who proves by `scheme` who they are; wrong credentials are a 401.
    ///
    /// Requirements hold for guests too, who have the
    /// [scopes that the configuration gives them](crate::Configuration::guest_scopes); a guest who lacks one gets a 401.
    /// Known callers have the scopes of their credentials alone: one who lacks a scope that guests have gets a 403, since a
    /// token must not do in its owner's name what it was not given for.
    #[must_use]
    pub fn optional(scheme: impl Into<String>) -> Self {
        Self { schemes: vec![vec![scheme.into()]], public: false, guests: true, requirements: Vec::new() }
    }

    /// Only a caller who proves by `scheme` who they are.
    #[must_use]
    pub fn authenticated(scheme: impl Into<String>) -> Self {
        Self { schemes: vec![vec![scheme.into()]], public: false, guests: false, requirements: Vec::new() }
    }

    /// Adds an alternative scheme. Alternatives are tried in their order until credentials let the caller in or are wrong.
    #[must_use]
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
    ///     async fn decide(&self, question: &AuthorizationContext<'_>) -> Result<Decision> {
    ///         let token = question.identity();
    ///         let session = token.of_scheme("session");
    ///         let one = token.issuer() == Some("https://login.example.com")
    ///             && session.is_some_and(|session| session.subject() == token.subject());
    ///         Ok(if one { Decision::Allow } else { Decision::deny("the session is another user's") })
    ///     }
    /// }
    ///
    /// let access = Access::authenticated("jwt").and("session").policy(OneUser).all_scopes(["pets:read"]);
    /// ```
    #[must_use]
    pub fn and(mut self, scheme: impl Into<String>) -> Self {
        match self.schemes.last_mut() {
            Some(together) => together.push(scheme.into()),
            None => self.schemes.push(vec![scheme.into()]),
        }
        self
    }

    /// Demands each of these scopes.
    #[must_use]
    pub fn all_scopes<S: Into<String>>(self, scopes: impl IntoIterator<Item = S>) -> Self {
        self.require(Requirement::AllScopes(names(scopes)))
    }

    /// Demands at least one of these scopes.
    #[must_use]
    pub fn any_scope<S: Into<String>>(self, scopes: impl IntoIterator<Item = S>) -> Self {
        self.require(Requirement::AnyScope(names(scopes)))
    }

    /// Demands each of these permissions.
    #[must_use]
    pub fn all_permissions<S: Into<String>>(self, permissions: impl IntoIterator<Item = S>) -> Self {
        self.require(Requirement::AllPermissions(names(permissions)))
    }

    /// Demands at least one of these permissions.
    #[must_use]
    pub fn any_permission<S: Into<String>>(self, permissions: impl IntoIterator<Item = S>) -> Self {
        self.require(Requirement::AnyPermission(names(permissions)))
    }

    /// Demands at least one of these roles, which the caller has in a [claim](crate::auth::Identity::claim), such as `roles` or
    /// `/realm_access/roles`.
    #[must_use]
    pub fn any_role<S: Into<String>>(self, claim: impl Into<String>, roles: impl IntoIterator<Item = S>) -> Self {
        self.require(Requirement::AnyRole { claim: claim.into(), roles: names(roles) })
    }

    /// Demands what a policy of the application's own decides; it is asked when everything before it holds.
    #[must_use]
    pub fn policy(self, policy: impl Policy) -> Self {
        self.require(Requirement::Policy(NamedPolicy::new(policy)))
    }

    /// Demands something beside what is demanded already; each has to hold, in this order.
    #[must_use]
    pub fn require(mut self, requirement: Requirement) -> Self {
        // `authorize(scheme, [])` asks for nothing more than a known caller.
        if !matches!(&requirement, Requirement::AllScopes(none) | Requirement::AllPermissions(none) if none.is_empty())
        {
            self.requirements.push(requirement);
        }
        self
    }

    /// Whether no credentials are read.
    #[must_use]
    pub fn is_public(&self) -> bool {
        self.public
    }

    /// The scheme names: alternatives of conjunctions.
    #[must_use]
    pub fn schemes(&self) -> &[Vec<String>] {
        &self.schemes
    }

    /// Whether a caller without credentials may pass.
    #[must_use]
    pub fn admits_guests(&self) -> bool {
        self.guests
    }

    /// What a caller needs beyond being known.
    #[must_use]
    pub fn requirements(&self) -> &[Requirement] {
        &self.requirements
    }

    /// The same, in the vocabulary of documents; what it cannot say there (any of some scopes, permissions, roles, policies)
    /// is left out.
    #[must_use]
    pub fn security(&self) -> Vec<SecurityRequirement> {
        let scopes = self.scopes();
        let alternatives = self.schemes.iter().map(|together| SecurityRequirement {
            schemes: (together.iter().enumerate())
                .map(|(position, scheme)| (scheme.clone(), if position == 0 { scopes.clone() } else { Vec::new() }))
                .collect(),
        });
        let guest = (self.guests && !self.is_public()).then(SecurityRequirement::default);
        alternatives.chain(guest).collect()
    }

    // The scopes without which nobody passes. Any of some is left out: a list of scopes means that each is needed.
    #[doc(hidden)]
    #[must_use]
    pub fn scopes(&self) -> Vec<String> {
        let all = self.requirements.iter().filter_map(|requirement| match requirement {
            Requirement::AllScopes(scopes) => Some(scopes),
            _ => None,
        });
        let mut distinct: Vec<String> = Vec::new();
        for scope in all.flatten() {
            if !distinct.contains(scope) {
                distinct.push(scope.clone());
            }
        }
        distinct
    }
}

impl fmt::Display for Access {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_public() {
            return formatter.write_str("public");
        }
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
