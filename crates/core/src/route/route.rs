//! The declaration of one endpoint.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use http::Method;
use restwright_schema::{Property, SchemaObject};

use super::Template;
use crate::auth::Access;
use crate::middleware::{Middleware, SharedMiddleware};
use crate::operation::{Attachments, Operation, ParameterLocation};
use crate::problem::{ProblemKind, ProblemSet};

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
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) operation_id: Option<String>,
    pub(crate) summary: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) tags: Vec<String>,
    pub(crate) deprecated: bool,
    pub(crate) hidden: bool,
    pub(crate) access: Option<Access>,
    pub(crate) middlewares: Vec<SharedMiddleware>,
    pub(crate) body_limit: Option<usize>,
    pub(crate) deadline: Option<Duration>,
    pub(crate) problems: Vec<ProblemKind>,
    pub(crate) describe: Vec<Describe>,
    parameters: Vec<(ParameterLocation, Property)>,
    body: Option<SchemaObject>,
    optional_body: bool,
    responses: BTreeMap<u16, Option<SchemaObject>>,
    response_headers: Vec<(u16, Property)>,
    settings: Attachments,
}

type Describe = Arc<dyn Fn(&mut Operation) + Send + Sync>;

impl Route {
    /// An endpoint with any method. The path is a [`Template`].
    #[must_use]
    pub fn new(method: Method, path: impl Into<String>) -> Self {
        Self {
            method,
            path: path.into(),
            operation_id: None,
            summary: None,
            description: None,
            tags: Vec::new(),
            deprecated: false,
            hidden: false,
            access: None,
            middlewares: Vec::new(),
            body_limit: None,
            deadline: None,
            problems: Vec::new(),
            describe: Vec::new(),
            parameters: Vec::new(),
            body: None,
            optional_body: false,
            responses: BTreeMap::new(),
            response_headers: Vec::new(),
            settings: Attachments::default(),
        }
    }

    /// An endpoint that answers `GET`, and `HEAD` with the same head.
    #[must_use]
    pub fn get(path: impl Into<String>) -> Self {
        Self::new(Method::GET, path)
    }

    /// An endpoint that answers `POST`.
    #[must_use]
    pub fn post(path: impl Into<String>) -> Self {
        Self::new(Method::POST, path)
    }

    /// An endpoint that answers `PUT`.
    #[must_use]
    pub fn put(path: impl Into<String>) -> Self {
        Self::new(Method::PUT, path)
    }

    /// An endpoint that answers `PATCH`.
    #[must_use]
    pub fn patch(path: impl Into<String>) -> Self {
        Self::new(Method::PATCH, path)
    }

    /// An endpoint that answers `DELETE`.
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
        self.settings.insert(setting);
        self
    }

    /// A setting that was added with [`with`](Self::with).
    #[must_use]
    pub fn setting<T: Send + Sync + 'static>(&self) -> Option<&T> {
        self.settings.get()
    }

    /// Names the operation; without it the name is the controller's, such as `createPet` of `CreatePet`.
    #[must_use]
    pub fn operation_id(mut self, id: impl Into<String>) -> Self {
        self.operation_id = Some(id.into());
        self
    }

    /// Says in a few words what the endpoint does.
    #[must_use]
    pub fn summary(mut self, summary: impl Into<String>) -> Self {
        self.summary = Some(summary.into());
        self
    }

    /// Says at length what the endpoint does, in CommonMark.
    #[must_use]
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// Adds a group in which documents show the endpoint.
    #[must_use]
    pub fn tag(mut self, tag: impl Into<String>) -> Self {
        self.tags.push(tag.into());
        self
    }

    /// Says that clients should stop using the endpoint.
    #[must_use]
    pub fn deprecated(mut self) -> Self {
        self.deprecated = true;
        self
    }

    /// Leaves the endpoint out of documents.
    #[must_use]
    pub fn hidden(mut self) -> Self {
        self.hidden = true;
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

    /// Declares who may call.
    #[must_use]
    pub fn access(mut self, access: Access) -> Self {
        self.access = Some(access);
        self
    }

    /// Puts a middleware around the endpoint, inside those that are there.
    #[must_use]
    pub fn middleware(mut self, middleware: impl Middleware) -> Self {
        self.middlewares.push(Arc::new(middleware));
        self
    }

    /// Sets the largest body in bytes, in place of the configuration's.
    #[must_use]
    pub fn body_limit(mut self, bytes: usize) -> Self {
        self.body_limit = Some(bytes);
        self
    }

    /// Sets how long the controller may take, and before it authenticators and policies together, in place of the
    /// configuration's; then the answer is 503.
    #[must_use]
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = Some(deadline);
        self
    }

    /// Documents the application's own errors that the controller may answer with.
    #[must_use]
    pub fn problems<P: ProblemSet>(mut self) -> Self {
        self.problems.extend(P::kinds());
        self
    }

    /// Documents one problem that the endpoint may answer with.
    #[must_use]
    pub fn problem(mut self, kind: ProblemKind) -> Self {
        self.problems.push(kind);
        self
    }

    /// Changes the description of the operation last of all: links, examples, extensions.
    #[must_use]
    pub fn describe(mut self, describe: impl Fn(&mut Operation) + Send + Sync + 'static) -> Self {
        self.describe.push(Arc::new(describe));
        self
    }

    /// Declares a parameter of an [`Input`](crate::Input) at run time.
    #[must_use]
    pub fn parameter(mut self, location: ParameterLocation, property: impl Into<Property>) -> Self {
        self.parameters.push((location, property.into()));
        self
    }

    /// Declares the body of an [`Input`](crate::Input) at run time.
    #[must_use]
    pub fn body(mut self, body: impl Into<SchemaObject>) -> Self {
        self.body = Some(body.into());
        self.optional_body = false;
        self
    }

    /// Declares the body of an [`Input`](crate::Input) at run time, which a client may leave out; it is read as null then, so that the schema
    /// has to be nullable.
    #[must_use]
    pub fn optional_body(mut self, body: impl Into<SchemaObject>) -> Self {
        self.body = Some(body.into());
        self.optional_body = true;
        self
    }

    /// Declares an answer of an [`Output`](crate::Output) with a body at run time.
    #[must_use]
    pub fn response(mut self, status: u16, body: impl Into<SchemaObject>) -> Self {
        self.responses.insert(status, Some(body.into()));
        self
    }

    /// Declares an answer of an [`Output`](crate::Output) without a body at run time.
    #[must_use]
    pub fn empty_response(mut self, status: u16) -> Self {
        self.responses.insert(status, None);
        self
    }

    /// Declares a header of one of the answers of an [`Output`](crate::Output) at run time; the property's name is the header's.
    #[must_use]
    pub fn response_header(mut self, status: u16, header: impl Into<Property>) -> Self {
        self.response_headers.push((status, header.into()));
        self
    }

    /// The path as it is declared, without the prefixes of groups.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The parameters of an [`Input`](crate::Input).
    pub fn declared_parameters(&self) -> &[(ParameterLocation, Property)] {
        &self.parameters
    }

    /// The body of an [`Input`](crate::Input).
    #[must_use]
    pub fn declared_body(&self) -> Option<&SchemaObject> {
        self.body.as_ref()
    }

    /// Returns whether a client may leave out the body of an [`Input`](crate::Input).
    #[must_use]
    pub fn is_body_optional(&self) -> bool {
        self.optional_body
    }

    /// The answers of an [`Output`](crate::Output), by status.
    #[must_use]
    pub fn declared_responses(&self) -> &BTreeMap<u16, Option<SchemaObject>> {
        &self.responses
    }

    /// The headers of the answers of an [`Output`](crate::Output), with their status.
    pub fn declared_response_headers(&self) -> &[(u16, Property)] {
        &self.response_headers
    }
}

impl fmt::Debug for Route {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Route")
            .field("method", &self.method)
            .field("path", &self.path)
            .field("access", &self.access)
            .finish_non_exhaustive()
    }
}

/// What a request knows of the route that answers it.
#[derive(Debug, Clone)]
pub struct RouteInfo {
    pub(crate) template: Template,
    pub(crate) operation: Operation,
    pub(crate) guests: bool,
    /// The parameters of the query from which its schemes read keys.
    pub(crate) keys_in_query: Vec<String>,
}

impl RouteInfo {
    /// The path template, such as `/pets/{id}`.
    #[must_use]
    pub fn template(&self) -> &Template {
        &self.template
    }

    /// The description of the operation.
    #[must_use]
    pub fn operation(&self) -> &Operation {
        &self.operation
    }

    /// Whether a caller without credentials may pass: the route is public, or credentials are optional.
    #[must_use]
    pub fn admits_guests(&self) -> bool {
        self.guests
    }
}
