//! The declaration of an endpoint: where it is, and what guards and documents it.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use http::Method;
use restwright_schema::{Property, SchemaObject};

use crate::access::Access;
use crate::build_errors::BuildErrors;
use crate::configuration::check_limits;
use crate::operation::{Operation, ParameterLocation, TagObject};
use crate::problem::{ProblemKind, ProblemSet};
use crate::type_map::TypeMap;

/// Method and path of an endpoint, and everything that documents and guards it.
///
/// ```
/// use std::time::Duration;
///
/// use restwright_core::Route;
///
/// let route = Route::get("/reports/{year}")
///     .summary("A year's report")
///     .tag("Reports")
///     .authorize("bearer", ["reports:read"])
///     .deadline(Duration::from_secs(60));
/// assert_eq!(route.path(), "/reports/{year}");
/// ```
#[derive(Clone)]
pub struct Route {
    pub(crate) declaration: RouteDeclaration,
}

/// Everything that a [`Route`] declares, for the runtime.
#[doc(hidden)]
#[derive(Clone)]
pub struct RouteDeclaration {
    pub method: Method,
    pub path: String,
    pub id: Option<String>,
    // True if the controller is a function, which has no type name.
    pub needs_id: bool,
    pub summary: Option<String>,
    pub description: Option<String>,
    pub tags: Vec<TagObject>,
    pub deprecated: bool,
    pub hidden: bool,
    pub access: Option<Access>,
    /// The access of the route replaces the access of its groups.
    pub overrides_access: bool,
    /// The tail of the path need not be in normal form.
    pub any_tail: bool,
    pub body_limit: Option<usize>,
    pub deadline: Option<Duration>,
    pub problems: Vec<ProblemKind>,
    pub describe: Vec<Describe>,
    pub(crate) parameters: Vec<(ParameterLocation, Property)>,
    pub(crate) body: Option<SchemaObject>,
    pub(crate) optional_body: bool,
    pub(crate) responses: BTreeMap<u16, Option<SchemaObject>>,
    pub(crate) response_headers: Vec<(u16, Property)>,
    pub(crate) settings: TypeMap,
}

type Describe = Arc<dyn Fn(&mut Operation) + Send + Sync>;

impl Route {
    /// An endpoint with any method. The path is a [`Template`](crate::route::Template).
    #[must_use]
    pub fn new(method: Method, path: impl Into<String>) -> Self {
        let declaration = RouteDeclaration {
            method,
            path: path.into(),
            id: None,
            needs_id: false,
            summary: None,
            description: None,
            tags: Vec::new(),
            deprecated: false,
            hidden: false,
            access: None,
            overrides_access: false,
            any_tail: false,
            body_limit: None,
            deadline: None,
            problems: Vec::new(),
            describe: Vec::new(),
            parameters: Vec::new(),
            body: None,
            optional_body: false,
            responses: BTreeMap::new(),
            response_headers: Vec::new(),
            settings: TypeMap::default(),
        };
        Self { declaration }
    }

    /// An endpoint with the method `GET`; `HEAD` has the same head.
    #[must_use]
    pub fn get(path: impl Into<String>) -> Self {
        Self::new(Method::GET, path)
    }

    /// An endpoint with the method `POST`.
    #[must_use]
    pub fn post(path: impl Into<String>) -> Self {
        Self::new(Method::POST, path)
    }

    /// An endpoint with the method `PUT`.
    #[must_use]
    pub fn put(path: impl Into<String>) -> Self {
        Self::new(Method::PUT, path)
    }

    /// An endpoint with the method `PATCH`.
    #[must_use]
    pub fn patch(path: impl Into<String>) -> Self {
        Self::new(Method::PATCH, path)
    }

    /// An endpoint with the method `DELETE`.
    #[must_use]
    pub fn delete(path: impl Into<String>) -> Self {
        Self::new(Method::DELETE, path)
    }

    /// Adds a setting for the parts of the request, one per type; they find it while they are planned.
    ///
    /// ```
    /// use restwright_core::Route;
    ///
    /// struct Currency(&'static str);
    ///
    /// let route = Route::get("/prices").with(Currency("EUR"));
    /// assert_eq!(route.setting::<Currency>().map(|currency| currency.0), Some("EUR"));
    /// ```
    #[must_use]
    pub fn with<T: Send + Sync + 'static>(mut self, setting: T) -> Self {
        self.declaration.settings.insert(setting);
        self
    }

    /// A setting that was added with [`with`](Self::with).
    #[must_use]
    pub fn setting<T: Send + Sync + 'static>(&self) -> Option<&T> {
        self.declaration.settings.get()
    }

    /// Sets the id of the operation; without it the id is the controller's name, such as `createPet` of `CreatePet`. A
    /// [`handler`](Self::handler) needs one.
    #[must_use]
    pub fn id(mut self, id: impl Into<String>) -> Self {
        self.declaration.id = Some(id.into());
        self
    }

    /// Says in a few words what the endpoint does.
    #[must_use]
    pub fn summary(mut self, summary: impl Into<String>) -> Self {
        self.declaration.summary = Some(summary.into());
        self
    }

    /// Says at length what the endpoint does, in CommonMark.
    #[must_use]
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.declaration.description = Some(description.into());
        self
    }

    /// Adds a group in which documents show the endpoint.
    #[must_use]
    pub fn tag(mut self, tag: impl Into<TagObject>) -> Self {
        self.declaration.tags.push(tag.into());
        self
    }

    /// Says that clients should stop using the endpoint.
    #[must_use]
    pub fn deprecated(mut self) -> Self {
        self.declaration.deprecated = true;
        self
    }

    /// Leaves the endpoint out of documents.
    #[must_use]
    pub fn hidden(mut self) -> Self {
        self.declaration.hidden = true;
        self
    }

    /// Lets anybody call.
    #[must_use]
    pub fn public(self) -> Self {
        self.access(Access::public())
    }

    /// Lets guests call, and callers who prove by `scheme` who they are.
    #[must_use]
    pub fn optional(self, scheme: impl Into<String>) -> Self {
        self.access(Access::optional(scheme))
    }

    /// Lets callers in who prove by `scheme` who they are and hold each of `scopes`; none for any such caller.
    #[must_use]
    pub fn authorize<S: Into<String>>(self, scheme: impl Into<String>, scopes: impl IntoIterator<Item = S>) -> Self {
        self.access(Access::authenticated(scheme).all_scopes(scopes))
    }

    /// Declares who may call, beyond the demands of the groups around the route: each of them has to hold as well.
    ///
    /// Under a group that demands credentials, a route that admits guests is an error when the Api is built. See
    /// [`override_access`](Self::override_access).
    #[must_use]
    pub fn access(mut self, access: impl Into<Access>) -> Self {
        self.declaration.access = Some(access.into());
        self.declaration.overrides_access = false;
        self
    }

    /// Declares who may call, in place of the demands of the groups around the route, which then do not hold.
    ///
    /// ```
    /// use restwright_core::Route;
    /// use restwright_core::auth::Access;
    ///
    /// // In a group that demands a token.
    /// let route = Route::get("/status").override_access(Access::public());
    /// ```
    #[must_use]
    pub fn override_access(mut self, access: impl Into<Access>) -> Self {
        self.declaration.access = Some(access.into());
        self.declaration.overrides_access = true;
        self
    }

    /// Takes a tail `{*name}` as it comes: with segments that are empty, `.` or `..`, a slash at its end, and encoded slashes and
    /// backslashes. Without this, such a path is a 404, since the decoded tail could lead elsewhere than it seems to.
    ///
    /// The controller then decides what such a tail means. `/files/a/../private/b`, `/files//private/b` and `/files/private%2Fb`
    /// reach `/files/{*path}` and not `/files/private/{name}`, so what that route demands of its callers does not hold for them.
    ///
    /// Building the Api fails if the path has no tail.
    ///
    /// ```
    /// use restwright_core::Route;
    ///
    /// // The keys of a store of objects are any text.
    /// let route = Route::get("/objects/{*key}").any_tail();
    /// ```
    #[must_use]
    pub fn any_tail(mut self) -> Self {
        self.declaration.any_tail = true;
        self
    }

    /// Sets the largest body in bytes, in place of the configuration's.
    #[must_use]
    pub fn body_limit(mut self, bytes: usize) -> Self {
        self.declaration.body_limit = Some(bytes);
        self
    }

    /// Sets how long the controller may take, and before it authenticators and policies together, in place of the
    /// configuration's; then the response is 503.
    #[must_use]
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.declaration.deadline = Some(deadline);
        self
    }

    /// Documents the application's own errors that the controller may respond with.
    #[must_use]
    pub fn problems<P: ProblemSet>(mut self) -> Self {
        self.declaration.problems.extend(P::kinds());
        self
    }

    /// Documents one problem that the endpoint may respond with.
    #[must_use]
    pub fn problem(mut self, kind: ProblemKind) -> Self {
        self.declaration.problems.push(kind);
        self
    }

    /// Changes the description of the operation last of all: links, examples, extensions.
    #[must_use]
    pub fn describe(mut self, describe: impl Fn(&mut Operation) + Send + Sync + 'static) -> Self {
        self.declaration.describe.push(Arc::new(describe));
        self
    }

    /// The path as it is declared, without the prefixes of groups.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.declaration.path
    }
}

/// For the runtime, and for what adds its own kind of declaration.
#[doc(hidden)]
impl Route {
    #[must_use]
    pub fn declaration(&self) -> &RouteDeclaration {
        &self.declaration
    }

    /// Checks the limits that the route sets.
    pub fn check_limits(&self) -> Result<(), BuildErrors> {
        check_limits(self.declaration.body_limit, self.declaration.deadline)
    }

    #[must_use]
    pub fn declaration_mut(&mut self) -> &mut RouteDeclaration {
        &mut self.declaration
    }
}

impl fmt::Debug for RouteDeclaration {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("RouteDeclaration")
            .field("method", &self.method)
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Route {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Route")
            .field("method", &self.declaration.method)
            .field("path", &self.declaration.path)
            .field("access", &self.declaration.access)
            .finish_non_exhaustive()
    }
}
