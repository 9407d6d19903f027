//! Who calls.

use std::fmt;
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::type_map::TypeMap;

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
    // Beside the rest, so that naming the schemes copies nothing of an identity that an authenticator keeps.
    scheme: Option<Arc<str>>,
    /// Whose the credentials of the other schemes are, when the route demands several together.
    others: Option<Arc<[Identity]>>,
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
    attached: TypeMap,
}

impl Identity {
    /// A caller who proved nothing; the [configuration](crate::Configuration::guest_scopes) may give guests scopes.
    #[must_use]
    pub fn guest() -> Self {
        Self::of(Inner::default())
    }

    fn of(inner: Inner) -> Self {
        Self { inner: Arc::new(inner), scheme: None, others: None }
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

    /// The identifier that the issuer gives the caller; `None` for a guest. It is the issuer's: two issuers may give one to
    /// different callers, so that a caller is known by both, or where only one issuer is taken.
    #[must_use]
    pub fn subject(&self) -> Option<&str> {
        self.inner.subject.as_deref()
    }

    /// The name by which people know the caller; to be shown, since callers may change it, and an old one may become another's.
    #[must_use]
    pub fn username(&self) -> Option<&str> {
        self.inner.username.as_deref()
    }

    /// The caller's mail address; to write to, since it too may become another's. Callers are known by their
    /// [subject](Self::subject).
    #[must_use]
    pub fn email(&self) -> Option<&str> {
        self.inner.email.as_deref()
    }

    /// Who vouches for the caller.
    #[must_use]
    pub fn issuer(&self) -> Option<&str> {
        self.inner.issuer.as_deref()
    }

    /// The name of the scheme by which the caller proved who they are; the first where a route demands
    /// [several together](crate::auth::Access::and).
    #[must_use]
    pub fn scheme(&self) -> Option<&str> {
        self.scheme.as_deref()
    }

    /// The names of the schemes whose credentials let the caller in, in the order in which the route names them. Credentials
    /// that were not needed are not read, and not among them.
    pub fn schemes(&self) -> impl Iterator<Item = &str> {
        let others = self.others.iter().flat_map(|others| others.iter());
        self.scheme().into_iter().chain(others.filter_map(Self::scheme))
    }

    /// Whose the credentials of one scheme are, with the scopes, claims and values that came with them; `None` when it is
    /// not among [those that let the caller in](Self::schemes).
    ///
    /// It may be somebody else than this identity: see [`Access::and`](crate::auth::Access::and).
    #[must_use]
    pub fn of_scheme(&self, scheme: &str) -> Option<&Self> {
        if self.scheme() == Some(scheme) {
            return Some(self);
        }
        self.others.as_ref()?.iter().find(|other| other.scheme() == Some(scheme))
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

    #[doc(hidden)]
    #[must_use]
    pub fn authenticated_by(mut self, scheme: &Arc<str>) -> Self {
        // An authenticator may have kept an identity that other schemes had found.
        self.scheme = Some(scheme.clone());
        self.others = None;
        self
    }

    /// This caller, beside whom other schemes of the same request found these.
    #[doc(hidden)]
    #[must_use]
    pub fn beside(mut self, others: Vec<Self>) -> Self {
        if !others.is_empty() {
            self.others = Some(others.into());
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
            .field("others", &self.others)
            .finish_non_exhaustive()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_identity_that_was_kept_is_of_the_scheme_that_found_it_again() {
        let (jwt, session) = (Arc::from("jwt"), Arc::from("session"));
        let key = Identity::builder("app").build().authenticated_by(&Arc::from("key"));
        let first = Identity::builder("ann").build().authenticated_by(&jwt).beside(vec![key]);
        assert_eq!(first.schemes().collect::<Vec<_>>(), ["jwt", "key"]);
        let kept = first.with_scopes(["a:b"]).authenticated_by(&session);
        assert_eq!(kept.schemes().collect::<Vec<_>>(), ["session"]);
        assert!(kept.of_scheme("jwt").is_none() && kept.of_scheme("key").is_none());
    }
}
