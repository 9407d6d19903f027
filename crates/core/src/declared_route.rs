//! Defines [`Route`], the method and path of an endpoint, with its access rules and documentation.

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

/// The method and path of an endpoint, with its access rules, limits and documentation.
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

/// The fields of a [`Route`], which the runtime reads.
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
    /// `true` if the access rules of the route replace the rules of its groups.
    pub overrides_access: bool,
    /// `true` if the route accepts a tail `{*name}` that is not in normal form, such as a tail with empty or `..`
    /// segments.
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
    /// Creates a route from a method and a path. The path is a [template](crate::route::Template), such as
    /// `/pets/{id}`.
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

    /// Creates a `GET` route. It also serves `HEAD`.
    #[must_use]
    pub fn get(path: impl Into<String>) -> Self {
        Self::new(Method::GET, path)
    }

    /// Creates a `POST` route.
    #[must_use]
    pub fn post(path: impl Into<String>) -> Self {
        Self::new(Method::POST, path)
    }

    /// Creates a `PUT` route.
    #[must_use]
    pub fn put(path: impl Into<String>) -> Self {
        Self::new(Method::PUT, path)
    }

    /// Creates a `PATCH` route.
    #[must_use]
    pub fn patch(path: impl Into<String>) -> Self {
        Self::new(Method::PATCH, path)
    }

    /// Creates a `DELETE` route.
    #[must_use]
    pub fn delete(path: impl Into<String>) -> Self {
        Self::new(Method::DELETE, path)
    }

    /// Creates a `QUERY` route (RFC 10008): a safe request with a body. Only OpenAPI 3.2 documents it.
    #[must_use]
    pub fn query(path: impl Into<String>) -> Self {
        Self::new(Method::QUERY, path)
    }

    /// Adds a setting of any type. It replaces a previous setting of the same type. Request parts and middlewares can
    /// read it when the Api is built.
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

    /// Returns the setting of type `T` that was added with [`with`](Self::with).
    #[must_use]
    pub fn setting<T: Send + Sync + 'static>(&self) -> Option<&T> {
        self.declaration.settings.get()
    }

    /// Sets the id of the operation. The default is the controller's name, such as `createPet` for `CreatePet`. A
    /// [`handler`](Self::handler) requires an id.
    #[must_use]
    pub fn id(mut self, id: impl Into<String>) -> Self {
        self.declaration.id = Some(id.into());
        self
    }

    /// Sets the short summary of the endpoint in the OpenAPI document.
    #[must_use]
    pub fn summary(mut self, summary: impl Into<String>) -> Self {
        self.declaration.summary = Some(summary.into());
        self
    }

    /// Sets the description of the endpoint in the OpenAPI document, in CommonMark.
    #[must_use]
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.declaration.description = Some(description.into());
        self
    }

    /// Adds an OpenAPI tag. API documentation groups endpoints by tag.
    #[must_use]
    pub fn tag(mut self, tag: impl Into<TagObject>) -> Self {
        self.declaration.tags.push(tag.into());
        self
    }

    /// Marks the endpoint as deprecated in the OpenAPI document.
    #[must_use]
    pub fn deprecated(mut self) -> Self {
        self.declaration.deprecated = true;
        self
    }

    /// Omits the endpoint from the OpenAPI document.
    #[must_use]
    pub fn hidden(mut self) -> Self {
        self.declaration.hidden = true;
        self
    }

    /// Makes the endpoint public, so anyone can call it.
    #[must_use]
    pub fn public(self) -> Self {
        self.access(Access::public())
    }

    /// Admits callers without credentials, and callers with valid credentials for `scheme`.
    #[must_use]
    pub fn optional(self, scheme: impl Into<String>) -> Self {
        self.access(Access::optional(scheme))
    }

    /// Requires valid credentials for `scheme`, with every scope in `scopes`. If `scopes` is empty, any valid
    /// credentials are enough.
    #[must_use]
    pub fn authorize<S: Into<String>>(self, scheme: impl Into<String>, scopes: impl IntoIterator<Item = S>) -> Self {
        self.access(Access::authenticated(scheme).all_scopes(scopes))
    }

    /// Sets the access rules of the route. A request must also satisfy the rules of the groups around the route.
    ///
    /// In a group that requires credentials, building the Api fails if a route admits guests. See
    /// [`override_access`](Self::override_access).
    #[must_use]
    pub fn access(mut self, access: impl Into<Access>) -> Self {
        self.declaration.access = Some(access.into());
        self.declaration.overrides_access = false;
        self
    }

    /// Sets the access rules of the route, and ignores the rules of the groups around the route.
    ///
    /// ```
    /// use restwright_core::Route;
    /// use restwright_core::auth::Access;
    ///
    /// // In a group that requires a token.
    /// let route = Route::get("/status").override_access(Access::public());
    /// ```
    #[must_use]
    pub fn override_access(mut self, access: impl Into<Access>) -> Self {
        self.declaration.access = Some(access.into());
        self.declaration.overrides_access = true;
        self
    }

    /// Accepts values of the tail `{*name}` that are not in normal form. Such a value contains empty, `.` or `..`
    /// segments, a trailing slash, or encoded slashes or backslashes.
    ///
    /// By default, a request with such a tail gets a 404, because the decoded tail could lead outside its prefix or to
    /// another route.
    ///
    /// The controller must then check the tail itself. `/files/a/../private/b`, `/files//private/b` and
    /// `/files/private%2Fb` match `/files/{*path}` and not `/files/private/{name}`, so the access of that route does
    /// not apply to them.
    ///
    /// Building the Api fails if the path has no tail.
    ///
    /// ```
    /// use restwright_core::Route;
    ///
    /// // An object store accepts any string as a key.
    /// let route = Route::get("/objects/{*key}").any_tail();
    /// ```
    #[must_use]
    pub fn any_tail(mut self) -> Self {
        self.declaration.any_tail = true;
        self
    }

    /// Sets the maximum body size of this route in bytes. It overrides the limit of the configuration.
    #[must_use]
    pub fn body_limit(mut self, bytes: usize) -> Self {
        self.declaration.body_limit = Some(bytes);
        self
    }

    /// Sets the time limit of the controller. It overrides the limit of the configuration. A request that exceeds the
    /// limit gets a 503.
    ///
    /// A second limit of the same length applies to authentication and authorisation, which run before the controller.
    #[must_use]
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.declaration.deadline = Some(deadline);
        self
    }

    /// Documents the problems of the error type `P`, which the controller can return.
    #[must_use]
    pub fn problems<P: ProblemSet>(mut self) -> Self {
        self.declaration.problems.extend(P::kinds());
        self
    }

    /// Documents one problem that the endpoint can return.
    #[must_use]
    pub fn problem(mut self, kind: ProblemKind) -> Self {
        self.declaration.problems.push(kind);
        self
    }

    /// Adds a function that changes the OpenAPI operation, for example to add links, examples or extensions. It runs
    /// after the request, the response and all middlewares have described the operation.
    #[must_use]
    pub fn describe(mut self, describe: impl Fn(&mut Operation) + Send + Sync + 'static) -> Self {
        self.declaration.describe.push(Arc::new(describe));
        self
    }

    /// Returns the declared path, without the prefixes of groups.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.declaration.path
    }
}

/// Contains methods for the runtime, and for extensions that add declarations to a route.
#[doc(hidden)]
impl Route {
    #[must_use]
    pub fn declaration(&self) -> &RouteDeclaration {
        &self.declaration
    }

    /// Checks that the body limit and the deadline are not zero.
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
