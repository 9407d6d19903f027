//! Defines the requirements that a caller must meet, such as scopes and roles.

use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use super::Policy;
use super::policy::ErasedPolicy;
use crate::identity::Identity;

/// A requirement that a caller must meet to use a route. A route may have several requirements. A caller must meet all
/// of them.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Requirement {
    /// The caller must have all of these scopes.
    AllScopes(Vec<String>),
    /// The caller must have at least one of these scopes.
    AnyScope(Vec<String>),
    /// The caller must have all of these permissions.
    AllPermissions(Vec<String>),
    /// The caller must have at least one of these permissions.
    AnyPermission(Vec<String>),
    /// The caller must have at least one of these roles.
    AnyRole {
        /// The [path of the claim](Identity::claim) that contains the caller's roles.
        claim: String,
        /// The accepted roles. The caller needs one of them.
        roles: Vec<String>,
    },
    /// A custom policy must allow the caller.
    Policy(NamedPolicy),
}

/// A shared, type-erased [`Policy`].
#[derive(Clone)]
pub struct NamedPolicy(#[doc(hidden)] pub Arc<dyn ErasedPolicy>);

impl NamedPolicy {
    pub(super) fn new(policy: impl Policy) -> Self {
        Self(Arc::new(policy))
    }

    /// Returns the name of the policy, which appears in messages and traces.
    #[must_use]
    pub fn name(&self) -> String {
        self.0.name()
    }
}

impl fmt::Debug for NamedPolicy {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("NamedPolicy").field(&self.name()).finish()
    }
}

#[doc(hidden)]
#[derive(Debug)]
pub struct Lack<'a> {
    // The member of the problem document that lists the missing names.
    pub member: &'static str,
    beginning: &'static str,
    // The key for translating the sentence.
    pub key: &'static str,
    pub names: Vec<&'a str>,
}

impl Lack<'_> {
    #[must_use]
    pub fn sentence(&self) -> String {
        format!("{}: {}.", self.beginning, self.names.join(", "))
    }
}

/// Contains methods that only the runtime calls.
#[doc(hidden)]
impl Requirement {
    /// Returns the scopes, permissions or roles that the caller lacks, with an error message. Returns `None` if the
    /// requirement holds.
    ///
    /// Always returns `None` for a policy, because the pipeline evaluates policies.
    #[must_use]
    pub fn lacking(&self, identity: &Identity) -> Option<Lack<'_>> {
        let (member, (beginning, key), names) = match self {
            Self::AllScopes(scopes) => (
                "missing_scopes",
                ("The credentials lack these scopes", "forbidden.all_scopes"),
                each(scopes, |scope| identity.has_scope(scope)),
            ),
            Self::AnyScope(scopes) => (
                "missing_scopes",
                ("The credentials need one of these scopes", "forbidden.any_scope"),
                any(scopes, |scope| identity.has_scope(scope)),
            ),
            Self::AllPermissions(permissions) => {
                let missing = each(permissions, |permission| identity.has_permission(permission));
                ("missing_permissions", ("The caller lacks these permissions", "forbidden.all_permissions"), missing)
            }
            Self::AnyPermission(permissions) => {
                let missing = any(permissions, |permission| identity.has_permission(permission));
                (
                    "missing_permissions",
                    ("The caller needs one of these permissions", "forbidden.any_permission"),
                    missing,
                )
            }
            Self::AnyRole { claim, roles } => {
                let held = identity.claim(claim);
                let missing = any(roles, |role| held.is_some_and(|held| holds(held, role)));
                ("missing_roles", ("The caller needs one of these roles", "forbidden.any_role"), missing)
            }
            Self::Policy(_) => return None,
        };
        (!names.is_empty()).then_some(Lack { member, beginning, key, names })
    }

    /// Returns the scopes of the requirement. Returns an empty slice for permissions, roles and policies.
    #[must_use]
    pub fn scopes(&self) -> &[String] {
        match self {
            Self::AllScopes(scopes) | Self::AnyScope(scopes) => scopes,
            _ => &[],
        }
    }

    /// Checks the declaration of the requirement and returns an error message for each error. A list of alternatives
    /// must not be empty. A scope must be valid (RFC 6749, section 3.3).
    #[must_use]
    pub fn mistakes(&self) -> Vec<String> {
        let mut mistakes = Vec::new();
        if let Self::AnyScope(names) | Self::AnyPermission(names) | Self::AnyRole { roles: names, .. } = self
            && names.is_empty()
        {
            mistakes
                .push("the access requires one of an empty list, which no caller can meet; add a name, or remove the requirement".to_owned());
        }
        // Only scopes are sent in challenges, so only scopes need to be valid tokens.
        for scope in self.scopes().iter().filter(|scope| !is_scope_token(scope)) {
            mistakes.push(format!(
                "`{scope}` is not a valid scope (RFC 6749, section 3.3); use visible ASCII characters without `\"` and `\\`"
            ));
        }
        mistakes
    }
}

impl fmt::Display for Requirement {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AllScopes(scopes) => formatter.write_str(&scopes.join(" ")),
            Self::AnyScope(scopes) => write!(formatter, "any of {}", scopes.join(" ")),
            Self::AllPermissions(permissions) => write!(formatter, "permissions {}", permissions.join(" ")),
            Self::AnyPermission(permissions) => write!(formatter, "any permission of {}", permissions.join(" ")),
            Self::AnyRole { claim, roles } => write!(formatter, "any role of {} in {claim}", roles.join(" ")),
            Self::Policy(policy) => write!(formatter, "policy {}", policy.name()),
        }
    }
}

fn each(names: &[String], has: impl Fn(&str) -> bool) -> Vec<&str> {
    names.iter().map(String::as_str).filter(|name| !has(name)).collect()
}

fn any(names: &[String], has: impl Fn(&str) -> bool) -> Vec<&str> {
    if names.iter().any(|name| has(name)) { Vec::new() } else { names.iter().map(String::as_str).collect() }
}

/// Returns `true` if the claim equals `name` or is a list that contains `name`.
fn holds(claim: &Value, name: &str) -> bool {
    match claim {
        Value::String(held) => held == name,
        Value::Array(held) => held.iter().any(|held| held.as_str() == Some(name)),
        _ => false,
    }
}

/// Returns `true` if the name is a valid `scope-token` (RFC 6749, section 3.3). The syntax of a token is `1*( %x21 /
/// %x23-5B / %x5D-7E )`.
fn is_scope_token(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| matches!(byte, 0x21 | 0x23..=0x5B | 0x5D..=0x7E))
}
