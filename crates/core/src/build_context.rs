//! The context in which everything that an Api is made of is planned.

use std::any::TypeId;
use std::fmt;
use std::sync::Arc;

use restwright_schema::Registry;

use crate::build_errors::BuildErrors;
use crate::clock::Clock;
use crate::component::{Component, SharedComponent};
use crate::configuration::Configuration;
use crate::declared_route::Route;
use crate::location::OperationPaths;
use crate::operation::Operation;
use crate::stage::Stage;
use crate::state::{Kept, State};
use crate::stop_signal::StopSignal;
use crate::template::Template;

/// The context in which authenticators, middlewares, parts, bodies and responses are planned when an Api is built.
///
/// It gives access to the configuration, to the registry of schemas, to components and errors of the Api, and to state that
/// ends with the build. For everything but an authenticator, which is planned once for all operations, it also has the route
/// and its operation.
#[derive(Debug)]
pub struct BuildContext<'a, S = OperationState<'a>> {
    configuration: &'a Configuration,
    build: &'a mut Build,
    scope: S,
}

/// The scope of a [`BuildContext`] that plans for the Api as a whole.
#[derive(Debug)]
pub struct ApiState(());

/// The scope of a [`BuildContext`] that plans for one operation.
pub struct OperationState<'a> {
    route: &'a Route,
    template: &'a Template,
    operation: &'a mut Operation,
    stage: Stage,
    sees_unrouted: bool,
    is_of_route: bool,
    state: State,
    kept: Kept,
    admits_guests: bool,
    path_parameters: Vec<String>,
    impositions: Vec<Imposition>,
}

/// A value that a part imposes on the response.
struct Imposition {
    id: TypeId,
    response: &'static str,
    is_taken: bool,
}

/// The schemas, components, errors and state of a build.
#[doc(hidden)]
#[derive(Default)]
pub struct Build {
    pub registry: Registry,
    pub components: Vec<SharedComponent>,
    pub errors: BuildErrors,
    pub operation_paths: OperationPaths,
    pub stop_signal: StopSignal,
    pub last_checks: Vec<LastCheck>,
    state: State,
}

/// A check that runs after everything is planned.
type LastCheck = Box<dyn FnOnce(&mut BuildErrors)>;

impl<'a, S> BuildContext<'a, S> {
    /// Returns the configuration.
    #[must_use]
    pub fn configuration(&self) -> &'a Configuration {
        self.configuration
    }

    /// Returns the clock of the Api, for a plan to keep. A component that may have a clock of its own holds a
    /// [`ComponentClock`](crate::ComponentClock).
    #[must_use]
    pub fn clock(&self) -> &'a Clock {
        self.configuration.configured_clock()
    }

    /// Returns the registry in which schemas are defined.
    pub fn registry(&mut self) -> &mut Registry {
        &mut self.build.registry
    }

    /// Registers a [component](Component) that the Api then runs, before those of its builder.
    pub fn component(&mut self, component: impl Component) {
        self.build.components.push(Arc::new(component));
    }

    /// Returns the errors of the Api as a whole, such as those of a setting; each is reported once and without the place of an
    /// operation.
    pub fn api_errors(&mut self) -> &mut BuildErrors {
        &mut self.build.errors
    }

    /// Adds a check that runs after everything is planned, for errors of the Api as a whole that no single operation shows.
    pub fn check_last(&mut self, check: impl FnOnce(&mut BuildErrors) + 'static) {
        self.build.last_checks.push(Box::new(check));
    }

    /// Returns the paths of the Api's operations, for a plan to keep; they can be used when the Api is built.
    #[must_use]
    pub fn operation_paths(&self) -> OperationPaths {
        self.build.operation_paths.clone()
    }

    /// Returns the signal that the server of the Api is stopping, for a plan to keep.
    #[must_use]
    pub fn stop_signal(&self) -> StopSignal {
        self.build.stop_signal.clone()
    }

    /// Returns a value that everything planned in this build shares, one per type; it ends with the build. The first call makes
    /// it.
    pub fn build_state<T: Default + 'static>(&mut self) -> &mut T {
        self.build.state.get()
    }
}

impl<'a> BuildContext<'a> {
    /// Returns the context of the Api as a whole, in which what several operations share is planned.
    pub fn api(&mut self) -> BuildContext<'_, ApiState> {
        BuildContext { configuration: self.configuration, build: self.build, scope: ApiState(()) }
    }

    /// Returns the route as its controller declares it.
    #[must_use]
    pub fn route(&self) -> &'a Route {
        self.scope.route
    }

    /// Returns the path template, with the prefixes of its groups.
    #[must_use]
    pub fn template(&self) -> &'a Template {
        self.scope.template
    }

    /// Returns the operation, as far as it is described.
    pub fn operation(&mut self) -> &mut Operation {
        self.scope.operation
    }

    /// Returns whether callers without credentials reach the route, by its own access and that of its groups.
    #[must_use]
    pub fn admits_guests(&self) -> bool {
        self.scope.admits_guests
    }

    /// Returns the stage at which the middleware that is planned runs: that of the outermost, when others are around it.
    #[must_use]
    pub fn stage(&self) -> Stage {
        self.scope.stage
    }

    /// Returns whether the middleware that is planned also sees requests without a route, such as preflights: it is one of the
    /// Api's, and runs before authentication.
    #[must_use]
    pub fn sees_unrouted(&self) -> bool {
        self.scope.sees_unrouted
    }

    /// Returns `true` if the middleware that is planned is declared on this route itself, and not on a group or the Api.
    #[must_use]
    pub fn is_of_route(&self) -> bool {
        self.scope.is_of_route
    }

    /// Returns a value that everything planned for this operation shares, one per type; it ends with the build. The first call
    /// makes it. Parts are planned in the order of their fields, so that one may see the value before another has filled it.
    pub fn operation_state<T: Default + 'static>(&mut self) -> &mut T {
        self.scope.state.get()
    }

    /// Returns a value that is kept for the requests of this operation, one per type; the first call makes it. A request finds
    /// it with [`RouteInfo::kept`](crate::route::RouteInfo::kept).
    pub fn kept<T: Default + Send + Sync + 'static>(&mut self) -> &mut T {
        self.scope.kept.get_mut()
    }

    /// Imposes a value on the response, which has to take it with [`imposed`](Self::imposed), so that, for example, a
    /// pagination and its envelope stay together. `response` names the type that takes it; building the Api fails with this name
    /// if the controller's response is another.
    pub fn impose<T: 'static>(&mut self, value: T, response: &'static str) {
        *self.operation_state() = Some(value);
        self.scope.impositions.push(Imposition { id: TypeId::of::<T>(), response, is_taken: false });
    }

    /// Returns the value that a part of the request imposed on the response.
    pub fn imposed<T: 'static>(&mut self) -> Option<&T> {
        let taken = self.scope.impositions.iter_mut().filter(|imposition| imposition.id == TypeId::of::<T>());
        taken.for_each(|imposition| imposition.is_taken = true);
        self.operation_state::<Option<T>>().as_ref()
    }

    /// Notes that a path parameter is read.
    pub(crate) fn declare_path(&mut self, name: &str) {
        self.scope.path_parameters.push(name.to_owned());
    }
}

/// For the runtime.
#[doc(hidden)]
impl<'a> BuildContext<'a, ApiState> {
    pub fn for_api(configuration: &'a Configuration, build: &'a mut Build) -> Self {
        Self { configuration, build, scope: ApiState(()) }
    }
}

/// For the runtime.
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
            state: State::default(),
            kept: Kept::default(),
            admits_guests: false,
            path_parameters: Vec::new(),
            impositions: Vec::new(),
        };
        Self { configuration, build, scope }
    }

    pub fn set_admits_guests(&mut self, admits_guests: bool) {
        self.scope.admits_guests = admits_guests;
    }

    pub fn set_middleware(&mut self, stage: Stage, sees_unrouted: bool, is_of_route: bool) {
        self.scope.stage = stage;
        self.scope.sees_unrouted = sees_unrouted;
        self.scope.is_of_route = is_of_route;
    }

    // Mistakes that show when request and response are planned.
    #[must_use]
    pub fn unread(&self) -> BuildErrors {
        let mut errors = BuildErrors::new();
        for name in self.scope.template.parameters() {
            if !self.scope.path_parameters.iter().any(|declared| declared == name) {
                errors.push(format!(
                    "the path has {{{name}}} and the request does not declare it; add a field `#[segment] {name}: ..` to the request"
                ));
            }
        }
        for imposition in self.scope.impositions.iter().filter(|imposition| !imposition.is_taken) {
            errors.push(format!(
                "the request has a part that belongs to the response `{0}`, and the controller's response is another; write `type Response = {0}`",
                imposition.response
            ));
        }
        errors
    }

    #[must_use]
    pub fn into_kept(self) -> Kept {
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
    fn state_ends_with_its_scope() {
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
