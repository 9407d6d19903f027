//! Declaring an application.

use std::fmt;
use std::sync::Arc;

use super::api::Api;
use super::plans::Plans;
use crate::client_address;
use crate::component::{Component, ErasedComponent};
use crate::configuration::Configuration;
use crate::controller::Controller;
use crate::middleware::{Middleware, SharedMiddleware};
use crate::module::Module;
use crate::pipeline::is_challenge;
use crate::route::{Declared, Group};
use crate::start::BuildErrors;

/// Gathers controllers, middlewares and components; [`build`](Self::build) makes the [`Api`] of them.
pub struct ApiBuilder {
    configuration: Configuration,
    middlewares: Vec<SharedMiddleware>,
    declared: Vec<Declared>,
    components: Vec<Arc<dyn ErasedComponent>>,
    when_built: Vec<WhenBuilt>,
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
        }
    }

    /// The configuration.
    #[must_use]
    pub fn configuration(&self) -> &Configuration {
        &self.configuration
    }

    /// Adds a controller.
    pub fn controller(&mut self, controller: impl Controller) -> &mut Self {
        self.group(Group::new("").controller(controller))
    }

    /// Adds a group of controllers.
    pub fn group(&mut self, group: Group) -> &mut Self {
        group.flatten(&Default::default(), &mut self.declared);
        self
    }

    /// Puts a middleware around every route, inside those that are there. One of the first stage also sees 404 and 405.
    pub fn middleware(&mut self, middleware: impl Middleware) -> &mut Self {
        self.middlewares.push(Arc::new(middleware));
        self
    }

    /// Adds what needs the outside.
    pub fn component(&mut self, component: impl Component) -> &mut Self {
        self.components.push(Arc::new(component));
        self
    }

    /// Adds everything that a module registers.
    pub fn module(&mut self, module: &impl Module) -> &mut Self {
        module.register(self);
        self
    }

    /// Runs when the Api is built, for what has to see all of it, such as its document.
    pub fn when_built(&mut self, run: impl FnOnce(&Api) + 'static) -> &mut Self {
        self.when_built.push(Box::new(run));
        self
    }

    /// Plans every route and checks the whole; touches nothing outside the process.
    ///
    /// # Errors
    /// Every mistake at once.
    pub fn build(&mut self) -> Result<Api, BuildErrors> {
        let registered = self.register_authenticators();
        let middlewares = std::mem::take(&mut self.middlewares);
        let mut plans = Plans::new(self.configuration.clone(), middlewares, registered);
        std::mem::take(&mut self.declared).into_iter().for_each(|declared| plans.add(declared));
        let api = plans.finish(std::mem::take(&mut self.components))?;
        std::mem::take(&mut self.when_built).into_iter().for_each(|run| run(&api));
        Ok(api)
    }
}

impl ApiBuilder {
    fn register_authenticators(&mut self) -> Result<(), BuildErrors> {
        let mut errors = BuildErrors::new();
        errors.take(client_address::check(&self.configuration));
        for (name, authenticator) in self.configuration.authenticators().to_vec() {
            let outcome = authenticator.register(self).map_err(|errors| errors.at(format!("authenticator `{name}`")));
            errors.take(outcome);
            let challenge = authenticator.challenge();
            if !is_challenge(&challenge) {
                errors.push(format!(
                    "authenticator `{name}`: {challenge:?} is no challenge (RFC 9110, section 11.6.1); write the scheme, and after a space parameters such as `nonce=\"a\"`, separated by commas"
                ));
            }
        }
        errors.finish(Some(()))
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
