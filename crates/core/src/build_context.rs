//! Defines [`BuildContext`], the context of `plan` methods, which run when an Api is built.

use std::any::TypeId;
use std::fmt;
use std::sync::Arc;

use restwright_schema::Registry;

use crate::access::Access;
use crate::build_errors::BuildErrors;
use crate::clock::Clock;
use crate::component::{Component, SharedComponent};
use crate::configuration::Configuration;
use crate::declared_route::Route;
use crate::location::OperationPaths;
use crate::operation::Operation;
use crate::stage::Stage;
use crate::state::{BuildState, KeptValues};
use crate::stop_signal::StopSignal;
use crate::template::Template;

/// The context that `plan` methods receive when an Api is built. Authenticators, middlewares, parts, bodies and
/// responses have a `plan` method.
///
/// It provides the configuration, the schema registry, the components and errors of the Api, and state that is dropped
/// after the build. It also provides the route and its operation, except with [`ApiState`]. Authenticators and rate
/// limit stores are planned once for all operations.
#[derive(Debug)]
pub struct BuildContext<'a, S = OperationState<'a>> {
    configuration: &'a Configuration,
    build: &'a mut Build,
    scope: S,
}

/// The state of a [`BuildContext`] for the whole Api. Such a context has no route and no operation.
#[derive(Debug)]
pub struct ApiState(());

/// The state of a [`BuildContext`] for one operation, with its route, path template and OpenAPI operation.
pub struct OperationState<'a> {
    route: &'a Route,
    template: &'a Template,
    operation: &'a mut Operation,
    stage: Stage,
    sees_unrouted: bool,
    is_of_route: bool,
    state: BuildState,
    kept: KeptValues,
    /// The access rules of the route and its groups, or `None` if the rules have errors.
    accesses: Option<Vec<Access>>,
    path_parameters: Vec<String>,
    impositions: Vec<Imposition>,
}

/// A value that the `plan` method of a request part passes to the `plan` method of the response.
struct Imposition {
    id: TypeId,
    response: &'static str,
    is_taken: bool,
}

/// The state that all `plan` methods of a build share, such as schemas, components and errors.
#[doc(hidden)]
#[derive(Default)]
pub struct Build {
    pub registry: Registry,
    pub components: Vec<SharedComponent>,
    pub errors: BuildErrors,
    pub operation_paths: OperationPaths,
    pub stop_signal: StopSignal,
    pub last_checks: Vec<LastCheck>,
    state: BuildState,
}

/// A check that runs after all `plan` methods have run.
type LastCheck = Box<dyn FnOnce(&mut BuildErrors)>;

impl<'a, S> BuildContext<'a, S> {
    /// Returns the configuration.
    #[must_use]
    pub fn configuration(&self) -> &'a Configuration {
        self.configuration
    }

    /// Returns the clock of the Api. Clone it to read the time during requests.
    ///
    /// A component that lets the application set another clock uses [`ComponentClock`](crate::ComponentClock).
    #[must_use]
    pub fn clock(&self) -> &'a Clock {
        self.configuration.configured_clock()
    }

    /// Returns the schema registry.
    pub fn registry(&mut self) -> &mut Registry {
        &mut self.build.registry
    }

    /// Registers a [component](Component). It starts before the components that the application registers.
    pub fn component(&mut self, component: impl Component) {
        self.build.components.push(Arc::new(component));
    }

    /// Returns the list of errors that concern the whole Api. Add an error here if it does not belong to one operation,
    /// such as an invalid setting. It is then reported only once.
    pub fn api_errors(&mut self) -> &mut BuildErrors {
        &mut self.build.errors
    }

    /// Adds a check that runs after all `plan` methods have run. Use it for errors that involve several operations.
    pub fn check_last(&mut self, check: impl FnOnce(&mut BuildErrors) + 'static) {
        self.build.last_checks.push(Box::new(check));
    }

    /// Returns the paths of all operations. They are available only after the Api is built, so store the returned value
    /// and read it during requests.
    #[must_use]
    pub fn operation_paths(&self) -> OperationPaths {
        self.build.operation_paths.clone()
    }

    /// Returns the stop signal of the server. Store it to detect a stop during requests.
    #[must_use]
    pub fn stop_signal(&self) -> StopSignal {
        self.build.stop_signal.clone()
    }

    /// Returns the value of type `T` that all `plan` methods of this build share. The first call creates it with
    /// `Default`. The value is dropped after the build.
    pub fn build_state<T: Default + 'static>(&mut self) -> &mut T {
        self.build.state.get()
    }
}

impl<'a> BuildContext<'a> {
    /// Returns a context for the whole Api instead of one operation. Pass it to the `plan` method of an object that
    /// several operations share.
    pub fn api(&mut self) -> BuildContext<'_, ApiState> {
        BuildContext { configuration: self.configuration, build: self.build, scope: ApiState(()) }
    }

    /// Returns the route that the controller declares, without the prefixes of its groups.
    #[must_use]
    pub fn route(&self) -> &'a Route {
        self.scope.route
    }

    /// Returns the path template of the route, including the prefixes of its groups.
    #[must_use]
    pub fn template(&self) -> &'a Template {
        self.scope.template
    }

    /// Returns the OpenAPI operation of the route. It contains only the descriptions that were added before this call.
    pub fn operation(&mut self) -> &mut Operation {
        self.scope.operation
    }

    /// Returns `true` if the access rules of the route and its groups admit callers without credentials.
    #[must_use]
    pub fn admits_guests(&self) -> bool {
        self.scope.accesses.as_ref().is_some_and(|accesses| accesses.iter().all(Access::admits_guests))
    }

    /// Returns the access rules of the route and its groups, starting with the outermost group. A caller must meet all
    /// of them. The list is empty for a public route.
    #[must_use]
    pub fn accesses(&self) -> &[Access] {
        self.scope.accesses.as_deref().unwrap_or_default()
    }

    /// Returns the stage of the middleware whose `plan` method is running. If other middlewares wrap it, returns the
    /// stage of the outermost middleware.
    #[must_use]
    pub fn stage(&self) -> Stage {
        self.scope.stage
    }

    /// Returns `true` if the middleware also receives requests without a route, such as CORS preflights. This holds for
    /// middlewares of the Api that run before authentication.
    #[must_use]
    pub fn sees_unrouted(&self) -> bool {
        self.scope.sees_unrouted
    }

    /// Returns `true` if the middleware is declared on this route, rather than on a group or the Api.
    #[must_use]
    pub fn is_of_route(&self) -> bool {
        self.scope.is_of_route
    }

    /// Returns the value of type `T` that all `plan` methods of this operation share. The first call creates it with
    /// `Default`. The value is dropped after the last of these methods.
    ///
    /// Parts are planned in the order of their fields, so a part may read the value before another part sets it.
    pub fn operation_state<T: Default + 'static>(&mut self) -> &mut T {
        self.scope.state.get()
    }

    /// Returns the value of type `T` that `plan` methods store for the requests of this operation. Requests read the
    /// value with [`RouteInfo::kept`](crate::route::RouteInfo::kept). The first call creates the value with `Default`.
    pub fn kept<T: Default + Send + Sync + 'static>(&mut self) -> &mut T {
        self.scope.kept.get_mut()
    }

    /// Passes a value from the `plan` method of a request part to the `plan` method of the response. Pagination uses
    /// this to require its envelope.
    ///
    /// `response` names the response type that reads the value with [`imposed`](Self::imposed). Building the Api fails
    /// with this name if the response of the controller does not read the value.
    pub fn impose<T: 'static>(&mut self, value: T, response: &'static str) {
        *self.operation_state() = Some(value);
        self.scope.impositions.push(Imposition { id: TypeId::of::<T>(), response, is_taken: false });
    }

    /// Returns the value that the `plan` method of a request part passed with [`impose`](Self::impose).
    pub fn imposed<T: 'static>(&mut self) -> Option<&T> {
        let taken = self.scope.impositions.iter_mut().filter(|imposition| imposition.id == TypeId::of::<T>());
        taken.for_each(|imposition| imposition.is_taken = true);
        self.operation_state::<Option<T>>().as_ref()
    }

    /// Records that the request type declares the path parameter `name`.
    pub(crate) fn declare_path(&mut self, name: &str) {
        self.scope.path_parameters.push(name.to_owned());
    }
}

/// Contains methods that only the runtime calls.
#[doc(hidden)]
impl<'a> BuildContext<'a, ApiState> {
    pub fn for_api(configuration: &'a Configuration, build: &'a mut Build) -> Self {
        Self { configuration, build, scope: ApiState(()) }
    }
}

/// Contains methods that only the runtime calls.
#[doc(hidden)]
impl<'a> BuildContext<'a> {
    pub fn for_operation(
        configuration: &'a Configuration,
        build: &'a mut Build,
        route: &'a Route,
        template: &'a Template,
        operation: &'a mut Operation,
    ) -> Self {
        let scope = OperationState {
            route,
            template,
            operation,
            stage: Stage::default(),
            sees_unrouted: false,
            is_of_route: false,
            state: BuildState::default(),
            kept: KeptValues::default(),
            accesses: None,
            path_parameters: Vec::new(),
            impositions: Vec::new(),
        };
        Self { configuration, build, scope }
    }

    pub fn set_accesses(&mut self, accesses: Option<Vec<Access>>) {
        self.scope.accesses = accesses;
    }

    pub fn set_middleware(&mut self, stage: Stage, sees_unrouted: bool, is_of_route: bool) {
        self.scope.stage = stage;
        self.scope.sees_unrouted = sees_unrouted;
        self.scope.is_of_route = is_of_route;
    }

    // Returns errors for path parameters that the request does not declare, and for imposed values that the response
    // does not read.
    #[must_use]
    pub fn unread(&self) -> BuildErrors {
        let mut errors = BuildErrors::new();
        for name in self.scope.template.parameters() {
            if !self.scope.path_parameters.iter().any(|declared| declared == name) {
                errors.push(format!(
                    "the path contains {{{name}}}, but the request does not declare it; add a field `#[segment] {name}: ..` to the request"
                ));
            }
        }
        for imposition in self.scope.impositions.iter().filter(|imposition| !imposition.is_taken) {
            errors.push(format!(
                "the request has a part that requires the response `{0}`, but the controller has another response; write `type Response = {0}`",
                imposition.response
            ));
        }
        errors
    }

    #[must_use]
    pub fn into_kept(self) -> KeptValues {
        self.scope.kept
    }
}

impl fmt::Debug for Build {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Build").field("errors", &self.errors).finish_non_exhaustive()
    }
}

impl fmt::Debug for OperationState<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("OperationState").field("operation", &self.operation.id).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use http::Method;

    use super::*;

    #[test]
    fn drops_state_with_its_operation_or_api() {
        let (route, configuration) = (Route::get("/pets"), Configuration::new("test", "1.0.0"));
        let template = Template::parse(route.path()).unwrap();
        let mut build = Build::default();
        let mut seen = Vec::new();
        for id in ["listPets", "createPet"] {
            let mut operation = Operation::new(id, Method::GET, "/pets");
            let mut context =
                BuildContext::for_operation(&configuration, &mut build, &route, &template, &mut operation);
            *context.build_state::<u8>() += 1;
            *context.operation_state::<u8>() += 1;
            *context.kept::<u16>() += 1;
            seen.push((
                *context.build_state::<u8>(),
                *context.operation_state::<u8>(),
                context.into_kept().get().copied(),
            ));
        }
        assert_eq!(seen, [(1, 1, Some(1_u16)), (2, 1, Some(1))]);
    }
}
