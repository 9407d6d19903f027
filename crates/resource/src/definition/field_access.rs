//! Defines [`FieldAccess`], the permission, scope or role that a caller needs to read or write a field.

use std::fmt;

use restwright_core::auth::{Access, Identity, Requirement};

/// The permission, scope or role that a caller needs to read or write a field.
///
/// A string converts to the permission of this name.
///
/// ```
/// use restwright_resource::FieldAccess;
///
/// assert_eq!(FieldAccess::from("hr").to_string(), "the permission `hr`");
/// assert_eq!(FieldAccess::scope("staff:read").to_string(), "the scope `staff:read`");
/// assert_eq!(FieldAccess::role("/realm_access/roles", "hr").to_string(), "the role `hr`");
/// ```
#[derive(Clone, Debug)]
#[must_use = "an access restricts nothing until a field has it"]
pub struct FieldAccess(Requirement);

impl FieldAccess {
    /// Requires the caller to have a permission.
    pub fn permission(permission: impl Into<String>) -> Self {
        Self(Requirement::AllPermissions(vec![permission.into()]))
    }

    /// Requires the caller's credentials to include an OAuth scope.
    pub fn scope(scope: impl Into<String>) -> Self {
        Self(Requirement::AllScopes(vec![scope.into()]))
    }

    /// Requires the caller to have a role. `claim` is the [claim](Identity::claim) that contains the roles, such as `roles` or
    /// `/realm_access/roles`.
    pub fn role(claim: impl Into<String>, role: impl Into<String>) -> Self {
        Self(Requirement::AnyRole { claim: claim.into(), roles: vec![role.into()] })
    }

    /// Returns `true` if a caller has the required permission, scope or role.
    pub(crate) fn admits(&self, caller: &Identity) -> bool {
        self.0.lacking(caller).is_none()
    }

    /// Returns `true` if `access` admits only callers who also meet this requirement.
    pub(crate) fn is_implied_by(&self, access: &Access) -> bool {
        access.requirements().iter().any(|required| match (&self.0, required) {
            (Requirement::AllPermissions(own), Requirement::AllPermissions(all))
            | (Requirement::AllScopes(own), Requirement::AllScopes(all)) => own.iter().all(|one| all.contains(one)),
            (own, required) => own.to_string() == required.to_string(),
        })
    }

    /// Returns an error message if the declaration is invalid, otherwise `None`.
    pub(crate) fn mistake(&self) -> Option<String> {
        if self.name().is_empty() {
            return Some("requires an empty name, which no caller has; write the name of a permission".to_owned());
        }
        self.0.mistakes().into_iter().next().map(|mistake| format!("requires a scope, and {mistake}"))
    }

    fn name(&self) -> &str {
        let (Requirement::AllPermissions(names)
        | Requirement::AllScopes(names)
        | Requirement::AnyRole { roles: names, .. }) = &self.0
        else {
            return "";
        };
        names.first().map_or("", String::as_str)
    }
}

impl From<&str> for FieldAccess {
    fn from(permission: &str) -> Self {
        Self::permission(permission)
    }
}

impl From<String> for FieldAccess {
    fn from(permission: String) -> Self {
        Self::permission(permission)
    }
}

impl PartialEq for FieldAccess {
    fn eq(&self, other: &Self) -> bool {
        self.0.to_string() == other.0.to_string()
    }
}

impl Eq for FieldAccess {}

impl fmt::Display for FieldAccess {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match &self.0 {
            Requirement::AllScopes(_) => "scope",
            Requirement::AnyRole { .. } => "role",
            _ => "permission",
        };
        write!(formatter, "the {kind} `{}`", self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_access_implies_what_all_its_callers_have() {
        let access = || Access::authenticated("key");
        for (own, access, expected) in [
            (FieldAccess::from("hr"), Access::public(), false),
            (FieldAccess::from("hr"), access().into(), false),
            (FieldAccess::from("hr"), access().all_permissions(["a", "hr"]).into(), true),
            (FieldAccess::from("hr"), access().any_permission(["a", "hr"]).into(), false),
            (FieldAccess::from("hr"), access().all_scopes(["hr"]).into(), false),
            (FieldAccess::scope("hr"), access().all_scopes(["hr"]).into(), true),
            (FieldAccess::role("roles", "hr"), access().any_role("roles", ["hr"]).into(), true),
            (FieldAccess::role("roles", "hr"), access().any_role("groups", ["hr"]).into(), false),
            (FieldAccess::role("roles", "hr"), access().any_role("roles", ["hr", "a"]).into(), false),
        ] {
            assert_eq!(own.is_implied_by(&access), expected, "{own} {access}");
        }
        let kinds = [FieldAccess::permission("hr"), FieldAccess::scope("hr"), FieldAccess::role("a", "hr")];
        for (index, one) in kinds.iter().enumerate() {
            assert_eq!(kinds.iter().filter(|other| *other == one).count(), 1, "{index}");
        }
    }
}
