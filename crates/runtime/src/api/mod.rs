//! Defines [`Api`], the finished application, which the server, the OpenAPI document and the test client share.

mod builder;
mod component_states;
mod explain;
mod group;
mod lifecycle;
mod module;
mod parameter_conflicts;
mod plans;
mod readiness;
mod seed;
mod unread_head;
mod worker;

pub use builder::ApiBuilder;
pub use component_states::{ComponentState, ComponentStates};
pub use group::Group;
pub use lifecycle::ComponentFailure;
pub use module::Module;
pub use readiness::Readiness;
pub use seed::SeedFunction;
pub use unread_head::HeadError;
pub use worker::Worker;

use std::fmt;
use std::sync::{Arc, Weak};

use http::Method;
use restwright_core::Configuration;
use restwright_core::operation::{Operation, SecurityScheme};
use restwright_core::report::Report;
use restwright_core::route::RouteInfo;
use restwright_core::runtime::{BasePath, MemoryAccount, normalise};
use restwright_core::schema::Registry;

use self::seed::Seeds;
use crate::pipeline::Routes;
use crate::router::Matched;

/// A finished application with its routes, middlewares and components. It is `Send + Sync`, cheap to clone, and
/// independent of the host.
///
/// ```
/// use restwright_core::Configuration;
/// use restwright_runtime::Api;
///
/// let api = Api::builder(Configuration::new("empty", "1.0.0")).build()?;
/// assert_eq!(api.operations().count(), 0);
/// # Ok::<(), restwright_core::BuildErrors>(())
/// ```
#[derive(Clone)]
pub struct Api(Arc<BuiltApi>);

/// A weak handle to an [`Api`], created by [`Api::downgrade`]. It does not keep the Api alive.
///
/// ```
/// use restwright_core::Configuration;
/// use restwright_runtime::Api;
///
/// let api = Api::builder(Configuration::new("empty", "1.0.0")).build()?;
/// let weak = api.downgrade();
/// assert!(weak.upgrade().is_some());
/// drop(api);
/// assert!(weak.upgrade().is_none());
/// # Ok::<(), restwright_core::BuildErrors>(())
/// ```
#[derive(Clone)]
pub struct WeakApi(Weak<BuiltApi>);

impl WeakApi {
    /// Returns a strong handle to the Api, or `None` if all strong handles have been dropped.
    #[must_use]
    pub fn upgrade(&self) -> Option<Api> {
        self.0.upgrade().map(Api)
    }
}

impl fmt::Debug for WeakApi {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("WeakApi")
    }
}

/// The parts of a finished Api, which all of its handles share.
struct BuiltApi {
    configuration: Configuration,
    base_path: Option<BasePath>,
    routes: Routes,
    readiness: Readiness,
    seeds: Seeds,
    registry: Registry,
}

impl Api {
    /// Returns a builder of an Api with this configuration.
    pub fn builder(configuration: Configuration) -> ApiBuilder {
        ApiBuilder::new(configuration)
    }

    fn new(built: BuiltApi) -> Self {
        Self(Arc::new(built))
    }

    /// Returns a weak handle, which does not keep the Api alive.
    ///
    /// A controller that reads its own Api must hold a weak handle. An `Api` inside the controller would never be
    /// freed.
    #[must_use]
    pub fn downgrade(&self) -> WeakApi {
        WeakApi(Arc::downgrade(&self.0))
    }

    /// Returns the configuration of the Api.
    #[must_use]
    pub fn configuration(&self) -> &Configuration {
        &self.0.configuration
    }

    /// Returns the operations of all routes except for hidden routes, in the order of declaration.
    pub fn operations(&self) -> impl Iterator<Item = &Operation> {
        self.0.routes.entries.iter().filter(|entry| !entry.hidden).map(|entry| entry.info.operation())
    }

    /// Returns all routes, including hidden routes, in the order of declaration.
    pub fn routes(&self) -> impl Iterator<Item = &RouteInfo> {
        self.0.routes.entries.iter().map(|entry| &*entry.info)
    }

    /// Finds the route for a method and a path, including hidden routes. `GET` routes also serve `HEAD`.
    #[must_use]
    pub fn route(&self, method: &Method, path: &str) -> Option<&RouteInfo> {
        match self.0.routes.router.find(method, &normalise(path)) {
            Matched::Route(number, _) => self.0.routes.entries.get(number).map(|entry| &*entry.info),
            Matched::MethodNotAllowed(_) | Matched::Options(_) | Matched::Nothing => None,
        }
    }

    /// Returns the registry with the schemas of all operations.
    #[must_use]
    pub fn registry(&self) -> &Registry {
        &self.0.registry
    }

    /// Returns the name and the OpenAPI security scheme of each authenticator.
    #[must_use]
    pub fn security_schemes(&self) -> Vec<(String, SecurityScheme)> {
        let registered = self.configuration().authenticators().iter();
        registered.map(|(name, authenticator)| (name.clone(), authenticator.describe())).collect()
    }

    /// Returns a table of all routes, with their access rules and middlewares. For lists, the table also contains the
    /// filters and sort orders that no declared index supports.
    #[must_use]
    pub fn explain(&self) -> String {
        explain::explain(&self.0.routes.entries, &self.0.routes.middlewares)
    }

    /// Lists the translations that the declared [languages](crate::language::LanguageSettings::language) lack. A test
    /// can assert that the list is empty.
    ///
    /// A missing translation is a string of the framework, or the title of a problem of the application, such as ``de:
    /// title of `sold_out` ``. Responses then use English.
    #[must_use]
    pub fn missing_translations(&self) -> Vec<String> {
        let kinds = self.routes().flat_map(|route| &route.operation().problems);
        self.0.routes.problems.languages().map(|languages| languages.missing(kinds)).unwrap_or_default()
    }

    /// Returns `true` if `title` is the title of the problem `code` in any of the declared languages.
    #[doc(hidden)]
    #[must_use]
    pub fn has_title(&self, code: &str, title: &str) -> bool {
        self.0.routes.problems.languages().is_some_and(|languages| languages.has_title(code, title))
    }

    /// Creates a worker, which handles requests on one thread.
    #[must_use]
    pub fn worker(&self) -> Worker {
        Worker::new(self.clone())
    }

    /// Adds the memory account of a worker to metric reports.
    pub(super) fn add_memory_account(&self, account: &MemoryAccount) {
        self.0.readiness.add_memory_account(account);
    }

    /// Returns the current metrics (gauges and counters) of the server and of all components. See
    /// [`Readiness::report`].
    #[must_use]
    pub fn report(&self) -> Report {
        self.0.readiness.report()
    }

    /// Sets the function that adds the gauges and counters of the host to metric reports. It replaces the previous
    /// function.
    pub fn set_host_report(&self, add: impl Fn(&mut Report) + Send + Sync + 'static) {
        self.0.readiness.set_host_report(Box::new(add));
    }
}

impl fmt::Debug for Api {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Api")
            .field("name", &self.configuration().name())
            .field("routes", &self.0.routes.entries.len())
            .finish_non_exhaustive()
    }
}
