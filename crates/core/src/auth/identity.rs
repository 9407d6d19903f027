//! Who calls.

use std::fmt;
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::operation::{Attachments, Operation};
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
pub struct Identity {
    inner: Arc<Inner>,
    // Beside the rest, so that naming the scheme copies nothing of an identity that an authenticator keeps.
    scheme: Option<Arc<str>>,
}

#[derive(Clone, Default)]
struct Inner {
    subject: Option<String>,
    username: Option<String>,
    email: Option<String>,
    issuer: Option<String>,
    scopes: Vec<String>,
    permissions: Vec<String>,
    claims: Map<String, Value>,
    attached: Attachments,
}

impl Identity {
    /// A caller who proved nothing; the [configuration](crate::Configuration::guest_scopes) may give guests scopes.
    #[must_use]
    pub fn guest() -> Self {
        Self::of(Inner::default())
    }

    fn of(inner: Inner) -> Self {
        Self { inner: Arc::new(inner), scheme: None }
    }

    /// Begins a known caller, by the identifier that the issuer gives them.
    #[must_use]
    pub fn builder(subject: impl Into<String>) -> IdentityBuilder {
        IdentityBuilder(Inner { subject: Some(subject.into()), ..Inner::default() })
    }

    /// Whether the caller proved nothing.
    #[must_use]
    pub fn is_guest(&self) -> bool {
        self.inner.subject.is_none()
    }

    /// The identifier that the issuer gives the caller; `None` for a guest.
    #[must_use]
    pub fn subject(&self) -> Option<&str> {
        self.inner.subject.as_deref()
    }

    /// The name by which people know the caller.
    #[must_use]
    pub fn username(&self) -> Option<&str> {
        self.inner.username.as_deref()
    }

    /// The caller's mail address.
    #[must_use]
    pub fn email(&self) -> Option<&str> {
        self.inner.email.as_deref()
    }

    /// Who vouches for the caller.
    #[must_use]
    pub fn issuer(&self) -> Option<&str> {
        self.inner.issuer.as_deref()
    }

    /// The name of the scheme by which the caller proved who they are.
    #[must_use]
    pub fn scheme(&self) -> Option<&str> {
        self.scheme.as_deref()
    }

    /// What the credentials allow.
    #[must_use]
    pub fn scopes(&self) -> &[String] {
        &self.inner.scopes
    }

    /// What the caller may do.
    #[must_use]
    pub fn permissions(&self) -> &[String] {
        &self.inner.permissions
    }

    /// Every claim about the caller.
    #[must_use]
    pub fn claims(&self) -> &Map<String, Value> {
        &self.inner.claims
    }

    /// Whether the credentials allow this.
    #[must_use]
    pub fn has_scope(&self, scope: &str) -> bool {
        self.inner.scopes.iter().any(|held| held == scope)
    }

    /// Whether the caller may do this.
    #[must_use]
    pub fn has_permission(&self, permission: &str) -> bool {
        self.inner.permissions.iter().any(|held| held == permission)
    }

    /// A value that an authenticator or a middleware attached.
    #[must_use]
    pub fn get<T: Send + Sync + 'static>(&self) -> Option<&T> {
        self.inner.attached.get()
    }

    /// A claim by its name, or by a JSON Pointer (RFC 6901) when it begins with `/`, such as `/realm_access/roles`.
    #[must_use]
    pub fn claim(&self, path: &str) -> Option<&Value> {
        let Some(pointer) = path.strip_prefix('/') else { return self.claims().get(path) };
        let (first, rest) = pointer.split_at(pointer.find('/').unwrap_or(pointer.len()));
        self.claims().get(&*first.replace("~1", "/").replace("~0", "~"))?.pointer(rest)
    }

    /// The same caller with a typed value attached, one per type.
    #[must_use]
    pub fn with<T: Send + Sync + 'static>(mut self, value: T) -> Self {
        Arc::make_mut(&mut self.inner).attached.insert(value);
        self
    }

    /// The same caller with other scopes.
    #[must_use]
    pub fn with_scopes<S: Into<String>>(mut self, scopes: impl IntoIterator<Item = S>) -> Self {
        Arc::make_mut(&mut self.inner).scopes = scopes.into_iter().map(Into::into).collect();
        self
    }

    /// The same caller with other permissions.
    #[must_use]
    pub fn with_permissions<S: Into<String>>(mut self, permissions: impl IntoIterator<Item = S>) -> Self {
        Arc::make_mut(&mut self.inner).permissions = permissions.into_iter().map(Into::into).collect();
        self
    }

    pub(crate) fn authenticated_by(mut self, scheme: &Arc<str>) -> Self {
        self.scheme.get_or_insert_with(|| scheme.clone());
        self
    }

    /// This caller, with what another scheme of the same request allows in addition.
    pub(crate) fn joined(mut self, other: &Self) -> Self {
        let inner = Arc::make_mut(&mut self.inner);
        for (own, more) in [(&mut inner.scopes, other.scopes()), (&mut inner.permissions, other.permissions())] {
            let new: Vec<_> = more.iter().filter(|entry| !own.contains(entry)).cloned().collect();
            own.extend(new);
        }
        self
    }
}

impl fmt::Debug for Identity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Identity")
            .field("subject", &self.inner.subject)
            .field("scheme", &self.scheme)
            .field("scopes", &self.inner.scopes)
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
        Identity::of(self.0)
    }
}

impl fmt::Debug for IdentityBuilder {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("IdentityBuilder").field("subject", &self.0.subject).finish_non_exhaustive()
    }
}
