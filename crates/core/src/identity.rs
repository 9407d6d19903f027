//! Defines the identity of the caller.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::type_map::TypeMap;

/// The identity of a caller, with its subject, scopes, permissions and claims. An authenticator creates it. It is cheap
/// to clone.
///
/// ```
/// use restwright_core::auth::Identity;
///
/// let identity = Identity::builder("user-7").scopes(["pets:read"]).build();
/// assert!(identity.has_scope("pets:read") && !identity.is_guest());
/// ```
#[derive(Clone)]
pub struct Identity {
    inner: Arc<IdentityData>,
    // Separate from `inner`, so setting the scheme does not copy an identity that an authenticator has cached.
    scheme: Option<Arc<str>>,
    /// The identities from the other schemes, if the route requires several schemes together.
    others: Option<Arc<[Identity]>>,
}

#[derive(Clone, Default)]
struct IdentityData {
    subject: Option<String>,
    username: Option<String>,
    email: Option<String>,
    issuer: Option<String>,
    credential_id: Option<String>,
    expires_at: Option<i64>,
    scopes: Vec<String>,
    permissions: Vec<String>,
    claims: Map<String, Value>,
    attached: TypeMap,
}

impl Identity {
    /// Creates a guest, which is a caller without credentials.
    /// [`Configuration::guest_scopes`](crate::Configuration::guest_scopes) sets the scopes of guests.
    #[must_use]
    pub fn guest() -> Self {
        Self::of(IdentityData::default())
    }

    fn of(inner: IdentityData) -> Self {
        Self { inner: Arc::new(inner), scheme: None, others: None }
    }

    /// Creates a builder for an authenticated caller. `subject` is the identifier that the issuer assigned to the
    /// caller.
    #[must_use]
    pub fn builder(subject: impl Into<String>) -> IdentityBuilder {
        IdentityBuilder(IdentityData { subject: Some(subject.into()), ..IdentityData::default() })
    }

    /// Returns `true` if the caller is not authenticated.
    #[must_use]
    pub fn is_guest(&self) -> bool {
        self.inner.subject.is_none()
    }

    /// Returns the identifier that the issuer assigned to the caller. Returns `None` for a guest. Two issuers may
    /// assign the same identifier to different callers. If you accept several issuers, compare the
    /// [issuer](Self::issuer) too.
    #[must_use]
    pub fn subject(&self) -> Option<&str> {
        self.inner.subject.as_deref()
    }

    /// Returns the caller's user name, for display. Callers may change it, and an old name may be reassigned to another
    /// caller.
    #[must_use]
    pub fn username(&self) -> Option<&str> {
        self.inner.username.as_deref()
    }

    /// Returns the caller's e-mail address. It may be reassigned to another caller. Identify callers by their
    /// [subject](Self::subject).
    #[must_use]
    pub fn email(&self) -> Option<&str> {
        self.inner.email.as_deref()
    }

    /// Returns the issuer of the credentials.
    #[must_use]
    pub fn issuer(&self) -> Option<&str> {
        self.inner.issuer.as_deref()
    }

    /// Returns the identifier of the credentials, such as the id of an API key or the claim `jti` of a token (RFC 7519,
    /// section 4.1.7). It is not a secret, and the log contains it.
    #[must_use]
    pub fn credential_id(&self) -> Option<&str> {
        self.inner.credential_id.as_deref().or_else(|| self.claims().get("jti")?.as_str())
    }

    /// Returns the Unix time in seconds at which the credentials expire, or `None` if they do not expire. If the route
    /// requires several schemes together, returns the earliest time. Event streams and WebSockets of the caller end at this
    /// time.
    #[must_use]
    pub fn expires_at(&self) -> Option<i64> {
        let others = self.others.iter().flat_map(|others| others.iter());
        others.filter_map(Self::expires_at).chain(self.inner.expires_at).min()
    }

    /// Returns the name of the scheme that authenticated the caller.
    ///
    /// If a route requires [several schemes together](crate::auth::SchemeAccess::and), returns the first of them. If
    /// groups around the route also require schemes, returns the scheme of the outermost group.
    #[must_use]
    pub fn scheme(&self) -> Option<&str> {
        self.scheme.as_deref()
    }

    /// Returns the names of the schemes that authenticated the caller, in the order in which the route declares them.
    /// Schemes that were not needed are not included.
    pub fn schemes(&self) -> impl Iterator<Item = &str> {
        let others = self.others.iter().flat_map(|others| others.iter());
        self.scheme().into_iter().chain(others.filter_map(Self::scheme))
    }

    /// Returns the identity of the caller that the scheme `scheme` authenticated. Returns `None` if
    /// [`schemes`](Self::schemes) does not contain the scheme.
    ///
    /// The returned identity may be a different caller. See [`SchemeAccess::and`](crate::auth::SchemeAccess::and).
    #[must_use]
    pub fn of_scheme(&self, scheme: &str) -> Option<&Self> {
        if self.scheme() == Some(scheme) {
            return Some(self);
        }
        self.others.as_ref()?.iter().find(|other| other.scheme() == Some(scheme))
    }

    /// Returns the scopes of the credentials.
    #[must_use]
    pub fn scopes(&self) -> &[String] {
        &self.inner.scopes
    }

    /// Returns the permissions of the caller.
    #[must_use]
    pub fn permissions(&self) -> &[String] {
        &self.inner.permissions
    }

    /// Returns all claims about the caller.
    #[must_use]
    pub fn claims(&self) -> &Map<String, Value> {
        &self.inner.claims
    }

    /// Returns `true` if the credentials include this scope.
    #[must_use]
    pub fn has_scope(&self, scope: &str) -> bool {
        self.inner.scopes.iter().any(|held| held == scope)
    }

    /// Returns `true` if the caller has this permission.
    #[must_use]
    pub fn has_permission(&self, permission: &str) -> bool {
        self.inner.permissions.iter().any(|held| held == permission)
    }

    /// Returns the value of type `T` that an authenticator or a middleware attached to the identity.
    #[must_use]
    pub fn get<T: Send + Sync + 'static>(&self) -> Option<&T> {
        self.inner.attached.get()
    }

    /// Returns a claim by its name or its JSON Pointer (RFC 6901). A path that begins with `/` is a JSON Pointer, such
    /// as `/realm_access/roles`.
    #[must_use]
    pub fn claim(&self, path: &str) -> Option<&Value> {
        let Some(pointer) = path.strip_prefix('/') else { return self.claims().get(path) };
        let (first, rest) = pointer.split_at(pointer.find('/').unwrap_or(pointer.len()));
        self.claims().get(&*first.replace("~1", "/").replace("~0", "~"))?.pointer(rest)
    }

    /// Attaches a typed value to the identity. It replaces a previous value of the same type.
    #[must_use]
    pub fn with<T: Send + Sync + 'static>(mut self, value: T) -> Self {
        Arc::make_mut(&mut self.inner).attached.insert(value);
        self
    }

    /// Replaces the scopes of the identity.
    #[must_use]
    pub fn with_scopes<S: Into<String>>(mut self, scopes: impl IntoIterator<Item = S>) -> Self {
        Arc::make_mut(&mut self.inner).scopes = scopes.into_iter().map(Into::into).collect();
        self
    }

    /// Replaces the permissions of the identity.
    #[must_use]
    pub fn with_permissions<S: Into<String>>(mut self, permissions: impl IntoIterator<Item = S>) -> Self {
        Arc::make_mut(&mut self.inner).permissions = permissions.into_iter().map(Into::into).collect();
        self
    }
}

/// Contains methods that only the runtime calls.
#[doc(hidden)]
impl Identity {
    #[must_use]
    pub fn authenticated_by(mut self, scheme: &Arc<str>) -> Self {
        // The authenticator may have cached an identity with other schemes.
        self.scheme = Some(scheme.clone());
        self.others = None;
        self
    }

    /// Sets the identities from the other authentication schemes that the route requires.
    #[must_use]
    pub fn with_others(mut self, others: Vec<Self>) -> Self {
        if !others.is_empty() {
            self.others = Some(others.into());
        }
        self
    }
}

/// An authenticated caller. It dereferences to its [`Identity`], which is never a guest.
///
/// A request type can have a field of this type. Building the Api fails if the route admits guests.
#[derive(Debug, Clone)]
pub struct Caller(Identity);

impl Caller {
    /// Converts an identity into a caller. Returns `None` for a guest.
    #[must_use]
    pub fn from_identity(identity: Identity) -> Option<Self> {
        if identity.is_guest() { None } else { Some(Self(identity)) }
    }

    /// Returns the identifier that the issuer assigned to the caller. See [`Identity::subject`].
    #[must_use]
    pub fn subject(&self) -> &str {
        // Only identities with a subject become callers, and a caller cannot be changed.
        self.0.subject().unwrap_or_default()
    }

    /// Converts the caller into an identity.
    #[must_use]
    pub fn into_identity(self) -> Identity {
        self.0
    }
}

impl Deref for Caller {
    type Target = Identity;

    fn deref(&self) -> &Identity {
        &self.0
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

/// Builds the [`Identity`] of an authenticated caller.
#[derive(Clone)]
pub struct IdentityBuilder(IdentityData);

impl IdentityBuilder {
    /// Sets the user name for display.
    #[must_use]
    pub fn username(mut self, username: impl Into<String>) -> Self {
        self.0.username = Some(username.into());
        self
    }

    /// Sets the caller's e-mail address.
    #[must_use]
    pub fn email(mut self, email: impl Into<String>) -> Self {
        self.0.email = Some(email.into());
        self
    }

    /// Sets the issuer of the credentials.
    #[must_use]
    pub fn issuer(mut self, issuer: impl Into<String>) -> Self {
        self.0.issuer = Some(issuer.into());
        self
    }

    /// Sets the [identifier of the credentials](Identity::credential_id). It must not be a secret.
    #[must_use]
    pub fn credential_id(mut self, id: impl Into<String>) -> Self {
        self.0.credential_id = Some(id.into());
        self
    }

    /// Sets the Unix time in seconds at which the credentials [expire](Identity::expires_at).
    #[must_use]
    pub fn expires_at(mut self, unix_seconds: i64) -> Self {
        self.0.expires_at = Some(unix_seconds);
        self
    }

    /// Sets the scopes of the credentials.
    #[must_use]
    pub fn scopes<S: Into<String>>(mut self, scopes: impl IntoIterator<Item = S>) -> Self {
        self.0.scopes = scopes.into_iter().map(Into::into).collect();
        self
    }

    /// Sets the permissions of the caller.
    #[must_use]
    pub fn permissions<S: Into<String>>(mut self, permissions: impl IntoIterator<Item = S>) -> Self {
        self.0.permissions = permissions.into_iter().map(Into::into).collect();
        self
    }

    /// Sets all claims about the caller.
    #[must_use]
    pub fn claims(mut self, claims: Map<String, Value>) -> Self {
        self.0.claims = claims;
        self
    }

    /// Builds the identity.
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
    fn the_earliest_credentials_expire_first() {
        let identity =
            |expiry: Option<i64>| expiry.into_iter().fold(Identity::builder("ann"), IdentityBuilder::expires_at);
        for (first, other, expected) in [
            (None, None, None),
            (Some(7), None, Some(7)),
            (None, Some(7), Some(7)),
            (Some(9), Some(7), Some(7)),
            (Some(7), Some(9), Some(7)),
        ] {
            let together = identity(first).build().with_others(vec![identity(other).build()]);
            assert_eq!(together.expires_at(), expected, "{first:?} {other:?}");
        }
    }

    #[test]
    fn assigns_a_cached_identity_to_the_scheme_that_found_it() {
        let (jwt, session) = (Arc::from("jwt"), Arc::from("session"));
        let key = Identity::builder("app").build().authenticated_by(&Arc::from("key"));
        let first = Identity::builder("ann").build().authenticated_by(&jwt).with_others(vec![key]);
        assert_eq!(first.schemes().collect::<Vec<_>>(), ["jwt", "key"]);
        let kept = first.with_scopes(["a:b"]).authenticated_by(&session);
        assert_eq!(kept.schemes().collect::<Vec<_>>(), ["session"]);
        assert!(kept.of_scheme("jwt").is_none() && kept.of_scheme("key").is_none());
    }
}
