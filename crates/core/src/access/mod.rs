//! Defines [`Access`], the access rules of a route, with authentication schemes, requirements and policies.

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

/// The rules that decide who may call a route or a group of routes. Building the Api fails if neither a route nor any
/// of its groups declares an `Access`.
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
/// The requirements of a route are added to the requirements of its groups. A caller must meet all of them.
#[derive(Debug, Clone)]
pub struct Access(Option<SchemeAccess>);

impl Access {
    /// Creates rules that admit everyone and do not read credentials.
    ///
    /// To also authenticate callers who send credentials, use [`optional`](Self::optional).
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

    /// Creates rules that admit guests (callers without credentials) and callers who authenticate by `scheme`. A
    /// request with wrong credentials gets a 401.
    ///
    /// Requirements also apply to guests. Guests have the [scopes from the
    /// configuration](crate::Configuration::guest_scopes). A guest who lacks a required scope gets a 401.
    ///
    /// Authenticated callers have only the scopes of their credentials. A caller who lacks a scope gets a 403, even if
    /// guests have the scope, because a token must not grant more than it was issued for.
    pub fn optional(scheme: impl Into<String>) -> SchemeAccess {
        SchemeAccess::new(scheme.into(), true)
    }

    /// Creates rules that admit only callers who authenticate by `scheme`.
    pub fn authenticated(scheme: impl Into<String>) -> SchemeAccess {
        SchemeAccess::new(scheme.into(), false)
    }

    /// Returns `true` if the route admits everyone and reads no credentials.
    #[must_use]
    pub fn is_public(&self) -> bool {
        self.0.is_none()
    }

    /// Returns the names of the authentication schemes, as a list of alternatives. Each alternative is a list of
    /// schemes that are required together.
    #[must_use]
    pub fn schemes(&self) -> &[Vec<String>] {
        self.0.as_ref().map_or(&[], |access| &access.schemes)
    }

    /// Returns `true` if callers without credentials are admitted.
    #[must_use]
    pub fn admits_guests(&self) -> bool {
        self.0.as_ref().is_none_or(|access| access.guests)
    }

    /// Returns the requirements that a caller must meet in addition to authentication.
    #[must_use]
    pub fn requirements(&self) -> &[Requirement] {
        self.0.as_ref().map_or(&[], |access| &access.requirements)
    }

    /// Converts the access rules into OpenAPI security requirements.
    ///
    /// OpenAPI cannot express "any of these scopes", permissions, roles and policies, so they are omitted.
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

    /// Returns the scopes that every caller needs ([`Requirement::AllScopes`]), without duplicates. The scopes of
    /// [`Requirement::AnyScope`] are omitted, because a caller needs only one of them.
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
