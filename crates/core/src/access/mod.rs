//! The access that a route declares: schemes, requirements and policies.

mod crud;
mod policy;
mod requirement;
mod scheme_access;

pub use crud::CrudAccess;
pub use policy::ErasedPolicy;
pub use policy::{AuthorizationContext, Decision, Policy};
pub use requirement::Lack;
pub use requirement::{NamedPolicy, Requirement};
pub use scheme_access::SchemeAccess;

use std::fmt;

use crate::operation::SecurityRequirement;

/// The callers that a route, or a group of routes, admits. Building the Api fails if a route
/// declares no access, itself or through a group.
///
/// ```
/// use restwright_core::auth::Access;
///
/// // A token with the scope, or a key together with a session; and in each case the permission.
/// let access: Access = Access::authenticated("jwt")
///     .or("key")
///     .and("session")
///     .all_scopes(["pets:read"])
///     .any_permission(["pets", "admin"])
///     .into();
/// assert_eq!(access.to_string(), "jwt | key + session: pets:read, any permission of pets admin");
/// ```
///
/// Demands of a route and of the groups around it add up: each has to hold.
#[derive(Debug, Clone)]
pub struct Access(Option<SchemeAccess>);

impl Access {
    /// Admits anybody; no credentials are read. It has no alternatives and demands nothing; what admits guests beside known
    /// callers is [`optional`](Self::optional).
    ///
    /// ```compile_fail,E0599
    /// # use restwright_core::auth::Access;
    /// Access::public().or("jwt");
    /// ```
    /// ```compile_fail,E0599
    /// # use restwright_core::auth::Access;
    /// Access::public().and("jwt");
    /// ```
    /// ```compile_fail,E0599
    /// # use restwright_core::auth::Access;
    /// Access::public().all_scopes(["pets:read"]);
    /// ```
    #[must_use]
    pub fn public() -> Self {
        Self(None)
    }

    /// Admits guests, and callers who prove by `scheme` who they are; wrong credentials are a 401.
    ///
    /// Requirements hold for guests too, who have the
    /// [scopes that the configuration gives them](crate::Configuration::guest_scopes); a guest who lacks one gets a 401.
    /// Known callers have the scopes of their credentials alone: one who lacks a scope that guests have gets a 403, since a
    /// token must not do in its owner's name what it was not given for.
    pub fn optional(scheme: impl Into<String>) -> SchemeAccess {
        SchemeAccess::new(scheme.into(), true)
    }

    /// Admits only callers who prove by `scheme` who they are.
    pub fn authenticated(scheme: impl Into<String>) -> SchemeAccess {
        SchemeAccess::new(scheme.into(), false)
    }

    /// Returns whether no credentials are read.
    #[must_use]
    pub fn is_public(&self) -> bool {
        self.0.is_none()
    }

    /// Returns the scheme names: alternatives of conjunctions.
    #[must_use]
    pub fn schemes(&self) -> &[Vec<String>] {
        self.0.as_ref().map_or(&[], |access| &access.schemes)
    }

    /// Returns whether a caller without credentials may pass.
    #[must_use]
    pub fn admits_guests(&self) -> bool {
        self.0.as_ref().is_none_or(|access| access.guests)
    }

    /// Returns the requirements that callers have to meet beyond being known.
    #[must_use]
    pub fn requirements(&self) -> &[Requirement] {
        self.0.as_ref().map_or(&[], |access| &access.requirements)
    }

    /// Returns the access in the vocabulary of documents, without what cannot be said there: any of some scopes, permissions,
    /// roles, policies.
    #[must_use]
    pub fn security(&self) -> Vec<SecurityRequirement> {
        let scopes = self.scopes();
        let alternatives = self.schemes().iter().map(|together| SecurityRequirement {
            schemes: (together.iter().enumerate())
                .map(|(position, scheme)| (scheme.clone(), if position == 0 { scopes.clone() } else { Vec::new() }))
                .collect(),
        });
        let guest = (self.admits_guests() && !self.is_public()).then(SecurityRequirement::default);
        alternatives.chain(guest).collect()
    }

    /// Returns the scopes that every caller needs. Alternatives of scopes are left out.
    #[must_use]
    pub fn scopes(&self) -> Vec<String> {
        let all = self.requirements().iter().filter_map(|requirement| match requirement {
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

impl From<SchemeAccess> for Access {
    fn from(access: SchemeAccess) -> Self {
        Self(Some(access))
    }
}

impl fmt::Display for Access {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            None => formatter.write_str("public"),
            Some(access) => access.fmt(formatter),
        }
    }
}
