//! What a plan is made from.

use std::any::{Any, TypeId};
use std::sync::Arc;

use restwright_schema::{Property, Registry};

use super::{ParameterPlan, ParameterValue};
use crate::configuration::Configuration;
use crate::operation::ParameterLocation;
use crate::route::{Route, Template};
use crate::start::BuildErrors;

/// Everything that a part, a body or a response may look at while it is planned: the route's declaration, the
/// configuration and the registry of shapes.
#[derive(Debug)]
pub struct BuildContext<'a> {
    route: &'a Route,
    template: &'a Template,
    configuration: &'a Configuration,
    registry: &'a mut Registry,
    declared_path: Vec<String>,
    impositions: Vec<Imposition>,
    shared: Vec<Arc<dyn Any + Send + Sync>>,
}

struct Imposition {
    id: TypeId,
    response: &'static str,
    value: Box<dyn Any>,
    taken: bool,
}

impl<'a> BuildContext<'a> {
    pub(crate) fn new(
        route: &'a Route,
        template: &'a Template,
        configuration: &'a Configuration,
        registry: &'a mut Registry,
    ) -> Self {
        Self {
            route,
            template,
            configuration,
            registry,
            declared_path: Vec::new(),
            impositions: Vec::new(),
            shared: Vec::new(),
        }
    }

    /// The route as its controller declares it.
    #[must_use]
    pub fn route(&self) -> &'a Route {
        self.route
    }

    /// The path template, with the prefixes of its groups.
    #[must_use]
    pub fn template(&self) -> &'a Template {
        self.template
    }

    /// The configuration.
    #[must_use]
    pub fn configuration(&self) -> &'a Configuration {
        self.configuration
    }

    /// The registry in which shapes are defined.
    pub fn registry(&mut self) -> &mut Registry {
        self.registry
    }

    /// Plans a single value in the path, the query string, a header or a cookie.
    ///
    /// # Errors
    /// A path parameter that the template does not have.
    pub fn parameter<T: ParameterValue>(
        &mut self,
        location: ParameterLocation,
        property: impl Into<Property>,
    ) -> Result<ParameterPlan<T>, BuildErrors> {
        ParameterPlan::new(location, property.into(), self)
    }

    /// Imposes a value on the response, which has to take it with [`imposed`](Self::imposed): so that, for example, a
    /// pagination and its envelope always come together. `response` names the type that takes it; building the Api fails
    /// with this name if the controller's response is another.
    pub fn impose<T: 'static>(&mut self, value: T, response: &'static str) {
        self.impositions.push(Imposition { id: TypeId::of::<T>(), response, value: Box::new(value), taken: false });
    }

    /// What a part of the request imposed on the response.
    pub fn imposed<T: 'static>(&mut self) -> Option<&T> {
        let imposition = self.impositions.iter_mut().find(|imposition| imposition.id == TypeId::of::<T>())?;
        imposition.taken = true;
        imposition.value.downcast_ref()
    }

    /// A value that the parts of one request share, one per type; the first that asks makes it. Parts are planned in the
    /// order of their fields, so that one may find the value before another has filled it.
    pub fn shared<T: Default + Send + Sync + 'static>(&mut self) -> Arc<T> {
        let known = self.shared.iter().find_map(|value| Arc::clone(value).downcast::<T>().ok());
        known.unwrap_or_else(|| {
            let value = Arc::new(T::default());
            self.shared.push(Arc::<T>::clone(&value));
            value
        })
    }

    /// Notes that a path parameter is read.
    pub(crate) fn declare_path(&mut self, name: &str) {
        self.declared_path.push(name.to_owned());
    }

    /// Mistakes that show when request and response are planned.
    pub(crate) fn finish(self) -> BuildErrors {
        let mut errors = BuildErrors::new();
        for name in self.template.parameters() {
            if !self.declared_path.iter().any(|declared| declared == name) {
                errors.push(format!(
                    "the path has {{{name}}} and the request does not declare it; add a field `#[segment] {name}: ..` to the request"
                ));
            }
        }
        for imposition in self.impositions.iter().filter(|imposition| !imposition.taken) {
            errors.push(format!(
                "the request has a part that belongs to the response `{0}`, and the controller's response is another; write `type Response = {0}`",
                imposition.response
            ));
        }
        errors
    }
}

impl std::fmt::Debug for Imposition {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.response)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::OnceLock;

    use super::*;

    #[test]
    fn parts_of_one_request_share_a_value_per_type() {
        let route = Route::get("/pets");
        let template = Template::parse(route.path()).unwrap();
        let configuration = Configuration::new("test", "1.0.0");
        let mut registry = Registry::new();
        let mut planner = BuildContext::new(&route, &template, &configuration, &mut registry);
        planner.shared::<OnceLock<u8>>().set(7).unwrap();
        assert_eq!(planner.shared::<OnceLock<u8>>().get(), Some(&7));
        assert_eq!(planner.shared::<OnceLock<u16>>().get(), None);
    }
}
