//! Defines [`ApiBuilder`], the builder of an Api.

use std::fmt;
use std::sync::Arc;

use restwright_core::runtime::{KeptValues, SharedComponent, SharedMiddleware, log};
use restwright_core::{BuildError, BuildErrors, Component, Configuration, Controller, Middleware, Stage};

use super::group::{DeclaredRoute, Group, Inherited};
use super::plans::Plans;
use super::seed::{Seed, SeedFunction};
use super::{Api, Module};

/// A builder that creates an [`Api`] from controllers, middlewares and components.
#[must_use = "without `build` there is no Api"]
pub struct ApiBuilder {
    configuration: Configuration,
    middlewares: Vec<SharedMiddleware>,
    declared: Vec<DeclaredRoute>,
    components: Vec<SharedComponent>,
    when_built: Vec<WhenBuilt>,
    seeds: Vec<Seed>,
    errors: BuildErrors,
    warnings: Vec<String>,
    state: KeptValues,
    /// The settings that the enclosing groups pass to the module that is being registered.
    outer: Inherited,
}

type WhenBuilt = Box<dyn FnOnce(&Api)>;

impl ApiBuilder {
    pub(super) fn new(configuration: Configuration) -> Self {
        Self {
            configuration,
            middlewares: Vec::new(),
            declared: Vec::new(),
            components: Vec::new(),
            when_built: Vec::new(),
            seeds: Vec::new(),
            errors: BuildErrors::new(),
            warnings: Vec::new(),
            state: KeptValues::default(),
            outer: Inherited::default(),
        }
    }

    /// Returns the configuration of the Api.
    #[must_use]
    pub fn configuration(&self) -> &Configuration {
        &self.configuration
    }

    /// Adds a setting to the configuration, unless the configuration already contains a setting of this type. Modules
    /// use it for defaults that the application can override.
    pub fn default_setting<T: Send + Sync + 'static>(mut self, setting: T) -> Self {
        if self.configuration.get::<T>().is_none() {
            self.configuration = self.configuration.with(setting);
        }
        self
    }

    /// Returns the path prefix of the groups that contain the module that is being registered. It is empty outside a group.
    #[must_use]
    pub fn prefix(&self) -> &str {
        self.outer.prefix()
    }

    /// Adds a controller to the Api.
    pub fn controller(self, controller: impl Controller) -> Self {
        self.group(Group::new("").controller(controller))
    }

    /// Adds a group of controllers to the Api.
    pub fn group(self, group: Group) -> Self {
        let outer = self.outer.clone();
        group.flatten(&outer, self)
    }

    pub(crate) fn declare(&mut self, declared: DeclaredRoute) {
        self.declared.push(declared);
    }

    /// Registers a module that was added to a group. The routes of the module inherit the settings of its enclosing
    /// groups, which the argument `outer` contains.
    pub(crate) fn module_within(mut self, outer: Inherited, module: &dyn Module) -> Self {
        let before = std::mem::replace(&mut self.outer, outer);
        let mut registered = module.register(self);
        registered.outer = before;
        registered
    }

    /// Adds a middleware to every route of the Api. It runs inside the middlewares that were added earlier. A
    /// middleware of the first stage also receives requests that get a 404 or 405.
    pub fn middleware(mut self, middleware: impl Middleware) -> Self {
        self.middlewares.push(Arc::new(middleware));
        self
    }

    /// Adds a component, which starts and stops with the Api. It starts after the stores unless
    /// [`before_stores`](Component::before_stores) returns `true`.
    pub fn component(mut self, component: impl Component) -> Self {
        self.components.push(Arc::new(component));
        self
    }

    /// Adds a seed, which is a function that fills the stores when the Api starts. Seeds run one after another, in the
    /// order in which they were added.
    ///
    /// A seed runs after the stores have created their tables. The other components start after the seeds, before the
    /// first request is served.
    ///
    /// A seed runs at each start and in each process, so it must be idempotent. Give each entity a fixed identifier, and insert
    /// the entity only if `EntityStore::find` returns `None`. If two processes start together, both may find nothing. One of the
    /// inserts then fails with a conflict (409), which the seed ignores.
    ///
    /// If a seed fails, the components that have started are stopped, and [`Api::start`] returns the error.
    ///
    /// ```
    /// use restwright_core::{ComponentError, Configuration};
    /// use restwright_runtime::Api;
    ///
    /// let api = Api::builder(Configuration::new("shop", "1.0.0")).seed(|| async { Ok::<(), ComponentError>(()) }).build()?;
    /// # Ok::<(), restwright_core::BuildErrors>(())
    /// ```
    pub fn seed(mut self, seed: impl SeedFunction) -> Self {
        self.seeds.push(Box::new(seed));
        self
    }

    /// Adds a module, which registers its controllers, middlewares and components.
    pub fn module(self, module: &impl Module) -> Self {
        module.register(self)
    }

    /// Adds a function that [`build`](Self::build) calls with the finished Api, for example to write the OpenAPI
    /// document.
    pub fn when_built(mut self, run: impl FnOnce(&Api) + 'static) -> Self {
        self.when_built.push(Box::new(run));
        self
    }

    /// Adds a build error, so [`build`](Self::build) fails. Use it in a module that cannot register itself.
    pub fn error(mut self, error: impl Into<BuildError>) -> Self {
        self.errors.push(error);
        self
    }

    /// Adds a warning, which [`build`](Self::build) logs. Use it in a module that works, but probably not as the application expects.
    ///
    /// ```
    /// use restwright_runtime::{ApiBuilder, Module};
    ///
    /// struct Audit;
    ///
    /// impl Module for Audit {
    ///     fn register(&self, api: ApiBuilder) -> ApiBuilder {
    ///         match api.middleware_names().first().cloned() {
    ///             Some(name) => api.warning(format!(
    ///                 "the module `Audit` does not see the responses of `{name}`; call `.module(&audit)` before `.middleware(..)`"
    ///             )),
    ///             None => api,
    ///         }
    ///     }
    /// }
    /// ```
    pub fn warning(mut self, message: impl Into<String>) -> Self {
        self.warnings.push(message.into());
        self
    }

    /// Returns the names of the middlewares of the first stage that were added to the Api, outermost first. A middleware
    /// that is added now runs inside them. The middlewares of groups and routes are not included.
    #[must_use]
    pub fn middleware_names(&self) -> Vec<String> {
        let first = self.middlewares.iter().filter(|middleware| middleware.stage() == Stage::BeforeAuthentication);
        first.map(|middleware| middleware.name()).collect()
    }

    /// Returns a value of type `T` that all modules of this builder share. The first call creates the value with
    /// `T::default()`.
    pub fn module_state<T: Default + Send + Sync + 'static>(&mut self) -> &mut T {
        self.state.get_mut()
    }

    /// Builds the Api, and checks and prepares all of its routes. Building does not access anything outside the
    /// process, such as files or databases. It logs the [warnings](Self::warning) of modules.
    ///
    /// # Errors
    /// Returns all errors in the declaration together.
    pub fn build(self) -> Result<Api, BuildErrors> {
        let mut plans = Plans::new(self.configuration, self.middlewares, self.errors);
        self.declared.into_iter().for_each(|declared| plans.add(declared));
        let api = plans.finish(self.components, self.seeds)?;
        for warning in self.warnings {
            log(|| tracing::warn!("{warning}"));
        }
        self.when_built.into_iter().for_each(|run| run(&api));
        Ok(api)
    }
}

impl fmt::Debug for ApiBuilder {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("ApiBuilder")
            .field("configuration", &self.configuration)
            .field("routes", &self.declared.len())
            .finish_non_exhaustive()
    }
}
