//! Who calls.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::operation::Operation;
use crate::part::{Head, Part, Planner};
use crate::problem::RequestViolations;
use crate::start::StartErrors;

/// Who calls, as an authenticator found out; cheap to clone.
///
/// ```
/// use restwright_core::auth::Identity;
///
/// let identity = Identity::builder("user-7").scopes(["pets:read"]).build();
/// assert!(identity.has_scope("pets:read") && !identity.is_guest());
/// ```
#[derive(Clone)]
pub struct Identity(Arc<Inner>);

#[derive(Clone, Default)]
struct Inner {
    subject: Option<String>,
    username: Option<String>,
    email: Option<String>,
    issuer: Option<String>,
    scheme: Option<String>,
    scopes: Vec<String>,
    permissions: Vec<String>,
    claims: Map<String, Value>,
    attached: HashMap<TypeId, Arc<dyn Any + Send + Sync>>,
}

impl Identity {
    /// A caller who proved nothing.
    #[must_use]
    pub fn guest() -> Self {
        Self(Arc::default())
    }

    /// Begins a known caller, by the identifier that the issuer gives them.
    #[must_use]
    pub fn builder(subject: impl Into<String>) -> IdentityBuilder {
        IdentityBuilder(Inner { subject: Some(subject.into()), ..Inner::default() })
    }

    /// Whether the caller proved nothing.
    #[must_use]
    pub fn is_guest(&self) -> bool {
        self.0.subject.is_none()
    }

    /// The identifier that the issuer gives the caller; `None` for a guest.
    #[must_use]
    pub fn subject(&self) -> Option<&str> {
        self.0.subject.as_deref()
    }

    /// The name by which people know the caller.
    #[must_use]
    pub fn username(&self) -> Option<&str> {
        self.0.username.as_deref()
    }

    /// The caller's mail address.
    #[must_use]
    pub fn email(&self) -> Option<&str> {
        self.0.email.as_deref()
    }

    /// Who vouches for the caller.
    #[must_use]
    pub fn issuer(&self) -> Option<&str> {
        self.0.issuer.as_deref()
    }

    /// The name of the scheme by which the caller proved who they are.
    #[must_use]
    pub fn scheme(&self) -> Option<&str> {
        self.0.scheme.as_deref()
    }

    /// What the credentials allow.
    #[must_use]
    pub fn scopes(&self) -> &[String] {
        &self.0.scopes
    }

    /// What the caller may do.
    #[must_use]
    pub fn permissions(&self) -> &[String] {
        &self.0.permissions
    }

    /// Every claim about the caller.
    #[must_use]
    pub fn claims(&self) -> &Map<String, Value> {
        &self.0.claims
    }

    /// Whether the credentials allow this.
    #[must_use]
    pub fn has_scope(&self, scope: &str) -> bool {
        self.0.scopes.iter().any(|held| held == scope)
    }

    /// A value that an authenticator or a middleware attached.
    #[must_use]
    pub fn get<T: Send + Sync + 'static>(&self) -> Option<&T> {
        self.0.attached.get(&TypeId::of::<T>())?.downcast_ref()
    }

    /// The same caller with a typed value attached, one per type.
    #[must_use]
    pub fn with<T: Send + Sync + 'static>(self, value: T) -> Self {
        let mut inner = Arc::unwrap_or_clone(self.0);
        inner.attached.insert(TypeId::of::<T>(), Arc::new(value));
        Self(Arc::new(inner))
    }

    pub(crate) fn authenticated_by(self, scheme: &str) -> Self {
        let mut inner = Arc::unwrap_or_clone(self.0);
        inner.scheme.get_or_insert_with(|| scheme.to_owned());
        Self(Arc::new(inner))
    }

    /// This caller, with what another scheme of the same request allows in addition.
    pub(crate) fn joined(self, other: &Self) -> Self {
        let mut inner = Arc::unwrap_or_clone(self.0);
        for (own, more) in [(&mut inner.scopes, &other.0.scopes), (&mut inner.permissions, &other.0.permissions)] {
            let new: Vec<_> = more.iter().filter(|entry| !own.contains(entry)).cloned().collect();
            own.extend(new);
        }
        Self(Arc::new(inner))
    }
}

impl fmt::Debug for Identity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Identity")
            .field("subject", &self.0.subject)
            .field("scheme", &self.0.scheme)
            .field("scopes", &self.0.scopes)
            .finish_non_exhaustive()
    }
}

/// Whoever calls is part of the request; a guest on a public route.
impl Part for Identity {
    type Plan = ();

    fn plan(_: &mut Planner<'_>) -> Result<(), StartErrors> {
        Ok(())
    }

    fn describe((): &(), _: &mut Operation) {}

    fn read((): &(), head: &Head<'_>, _: &mut RequestViolations) -> Option<Self> {
        Some(head.request().identity().into_owned())
    }
}

/// Says what is known of a caller.
#[derive(Clone)]
pub struct IdentityBuilder(Inner);

impl IdentityBuilder {
    /// Sets the name by which people know the caller.
    #[must_use]
    pub fn username(mut self, username: impl Into<String>) -> Self {
        self.0.username = Some(username.into());
        self
    }

    /// Sets the caller's mail address.
    #[must_use]
    pub fn email(mut self, email: impl Into<String>) -> Self {
        self.0.email = Some(email.into());
        self
    }

    /// Sets who vouches for the caller.
    #[must_use]
    pub fn issuer(mut self, issuer: impl Into<String>) -> Self {
        self.0.issuer = Some(issuer.into());
        self
    }

    /// Sets what the credentials allow.
    #[must_use]
    pub fn scopes<S: Into<String>>(mut self, scopes: impl IntoIterator<Item = S>) -> Self {
        self.0.scopes = scopes.into_iter().map(Into::into).collect();
        self
    }

    /// Sets what the caller may do.
    #[must_use]
    pub fn permissions<S: Into<String>>(mut self, permissions: impl IntoIterator<Item = S>) -> Self {
        self.0.permissions = permissions.into_iter().map(Into::into).collect();
        self
    }

    /// Sets every claim about the caller.
    #[must_use]
    pub fn claims(mut self, claims: Map<String, Value>) -> Self {
        self.0.claims = claims;
        self
    }

    /// The identity.
    #[must_use]
    pub fn build(self) -> Identity {
        Identity(Arc::new(self.0))
    }
}

impl fmt::Debug for IdentityBuilder {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("IdentityBuilder").field("subject", &self.0.subject).finish_non_exhaustive()
    }
}
