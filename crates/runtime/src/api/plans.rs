//! Prepares the routes of an Api while it is built.

use std::collections::{BTreeSet, HashMap};
use std::iter::repeat;
use std::ptr;
use std::sync::Arc;

use http::Method;
use restwright_core::auth::Requirement;
use restwright_core::http::RequestId;
use restwright_core::operation::{HeaderObject, Operation, SchemaUse};
use restwright_core::problem::{ProblemKind, catalogue, define_shape};
use restwright_core::route::{RouteInfo, SameForAllCallers, Template};
use restwright_core::runtime::{BasePath, Build, SharedComponent, SharedMiddleware, Unwatched, check_client_address};
use restwright_core::schema::{Registry, SchemaObject, SchemaSide, SchemaType};
use restwright_core::{BuildContext, BuildError, BuildErrorKind, BuildErrors, Configuration, Route, Stage};

use super::group::DeclaredRoute;
use super::seed::{Seed, Seeds};
use super::{Api, BuiltApi, Readiness, parameter_conflicts};
use crate::confined::{Confined, describe_lifetimes};
use crate::effective_access::EffectiveAccess;
use crate::language::{LocaleIsRead, languages};
use crate::pipeline::{AccessGuard, CallSettings, RouteEntry, Routes, is_challenge, replaces_whole};
use crate::problem_responses::ProblemResponses;
use crate::router::Router;

/// Collects the prepared routes and the build errors while an Api is built.
pub(super) struct Plans {
    configuration: Configuration,
    outer: Vec<SharedMiddleware>,
    inner: Vec<SharedMiddleware>,
    router: Router,
    entries: Vec<RouteEntry>,
    ids: HashMap<String, String>,
    build: Build,
}

impl Plans {
    /// Checks the configuration and prepares the authenticators. The result does not contain routes yet.
    pub(super) fn new(configuration: Configuration, middlewares: Vec<SharedMiddleware>, errors: BuildErrors) -> Self {
        let mut build = Build::default();
        build.errors.take::<()>(Err(errors));
        build.errors.take(configuration.check());
        build.errors.take(check_client_address(&configuration));
        if let Some(Err(mistakes)) = languages(&configuration) {
            mistakes.into_iter().for_each(|mistake| build.errors.push(mistake));
        }
        plan_authenticators(&configuration, &mut build);
        match configuration.configured_error_form() {
            Some(form) => drop(form.define(&mut build.registry)),
            None => drop(define_shape(&mut build.registry)),
        }
        let (outer, inner) = middlewares.into_iter().partition(|one| one.stage() == Stage::BeforeAuthentication);
        Self { configuration, outer, inner, router: Router::default(), entries: Vec::new(), ids: HashMap::new(), build }
    }

    /// Prepares a route, and collects the build errors of its declaration.
    pub(super) fn add(&mut self, declared: DeclaredRoute) {
        let place = place(&declared.route);
        let outcome = self.plan(declared).map_err(|errors| errors.or_kind(BuildErrorKind::Route).at(place));
        self.build.errors.take(outcome);
    }

    fn plan(&mut self, declared: DeclaredRoute) -> Result<(), BuildErrors> {
        let DeclaredRoute { controller, route, group_accesses, own_middlewares } = declared;
        let declaration = route.declaration();
        let template = Template::parse(&declaration.path)?;
        let mut errors = BuildErrors::new();
        errors.take(route.check_limits());
        let access =
            EffectiveAccess::new(group_accesses, &route).map_err(|errors| errors.or_kind(BuildErrorKind::Access));
        let access = errors.take(access);
        let mut operation = self.describe(&route, controller.default_id(), access.as_ref(), &mut errors);
        errors.take(self.router.insert(declaration, &template, self.entries.len(), &operation.id));
        let settings = CallSettings {
            deadline: declaration.deadline.unwrap_or(self.configuration.values().deadline),
            max_violations: self.configuration.values().max_violations,
            strict: false,
        };
        let guard = access.as_ref().map(|access| AccessGuard::new(access, &self.configuration, settings.deadline));
        let guard = guard.and_then(|guard| errors.take(guard.map_err(|errors| errors.or_kind(BuildErrorKind::Access))));
        let guests = access.as_ref().is_some_and(EffectiveAccess::admits_guests);
        let accesses = access.as_ref().map(|access| access.demands().cloned().collect());
        let (before, after) = self.chain(&route);
        let mut context =
            BuildContext::for_operation(&self.configuration, &mut self.build, &route, &template, &mut operation);
        context.set_accesses(accesses);
        let endpoint = errors.take(controller.plan(&mut context, settings));
        if endpoint.is_some() {
            errors.take::<()>(Err(context.unread().or_kind(BuildErrorKind::Request)));
        }
        let strict = self.configuration.values().rejects_undeclared_query(context.operation().is_list);
        describe_framework(context.operation(), access.as_ref(), strict);
        let routed = before.iter().chain(&after);
        for (middleware, sees_unrouted) in self.outer.iter().zip(repeat(true)).chain(routed.zip(repeat(false))) {
            let is_own = own_middlewares.iter().any(|own| ptr::addr_eq(Arc::as_ptr(own), Arc::as_ptr(middleware)));
            context.set_middleware(middleware.stage(), sees_unrouted, is_own);
            errors.take(middleware.plan(&mut context).map_err(|errors| errors.or_kind(BuildErrorKind::Middleware)));
            middleware.describe(context.operation());
        }
        let mut kept = context.into_kept();
        let guarding = guard.as_ref().and_then(Option::as_ref);
        let confined = guarding.filter(|_| route.setting::<SameForAllCallers>().is_none());
        let confined = confined.map(|guard| Confined::new(guard.descriptions()));
        if let Some(confined) = &confined {
            confined.describe(&mut operation);
        }
        if let Some(&unwatched) = route.setting::<Unwatched>() {
            *kept.get_mut() = unwatched;
        }
        if kept.get::<LocaleIsRead>().is_some() {
            operation.add_language_headers();
        }
        declaration.describe.iter().for_each(|describe| describe(&mut operation));
        describe_lifetimes(&mut operation);
        parameter_conflicts::conflicts(&operation, |name| self.configuration.security_scheme(name))
            .for_each(|mistake| errors.push(BuildError::new(BuildErrorKind::Request, mistake)));
        if operation.request_body.is_some() && [Method::GET, Method::HEAD].contains(&operation.method) {
            errors.push(BuildError::new(
                BuildErrorKind::Request,
                "a `GET` has no body (RFC 9110, section 9.3.1); read the values from the query, or use `QUERY` or `POST`",
            ));
        }
        let (endpoint, guard) = errors.finish(endpoint.zip(guard))?;
        let media_types = media_types(&operation);
        let replaces_whole = replaces_whole(&operation);
        let guest = guard.is_none().then(|| self.configuration.guest()).filter(|guest| !guest.scopes().is_empty());
        let keys_in_query = guard.as_ref().map(AccessGuard::keys_in_query).unwrap_or_default();
        self.entries.push(RouteEntry {
            info: Arc::new(RouteInfo::new(template, operation, guests, keys_in_query, kept)),
            before,
            guard,
            confined,
            guest,
            after,
            media_types,
            replaces_whole,
            endpoint,
            body_limit: declaration.body_limit.unwrap_or(self.configuration.values().body_limit),
            hidden: declaration.hidden,
            access: access.as_ref().map(EffectiveAccess::to_string).unwrap_or_default(),
        });
        Ok(())
    }

    /// Creates the OpenAPI operation of a route from its declaration.
    fn describe(
        &mut self,
        route: &Route,
        default_id: String,
        access: Option<&EffectiveAccess>,
        errors: &mut BuildErrors,
    ) -> Operation {
        let place = place(route);
        let route = route.declaration();
        let id = route.id.clone().unwrap_or(default_id);
        if route.needs_id && route.id.is_none() {
            let message = "the handler is a function, so the operation needs an id; add `.id(\"..\")` to the route";
            errors.push(BuildError::new(BuildErrorKind::OperationId, message));
        } else if let Some(other) = self.ids.insert(id.clone(), place) {
            let message =
                format!("the operation id `{id}` is already used by {other}; change one of them with `.id(..)`");
            errors.push(BuildError::new(BuildErrorKind::OperationId, message));
        }
        // OpenAPI has no syntax for tails, so the document shows a plain parameter.
        let mut operation = Operation::new(id, route.method.clone(), route.path.replace("{*", "{"));
        operation.summary = route.summary.clone();
        operation.description = route.description.clone();
        operation.tags = route.tags.clone();
        operation.tags.dedup_by(|one, other| one.name == other.name);
        operation.deprecated = route.deprecated;
        operation.problems = route.problems.clone();
        if let Some(Ok(languages)) = languages(&self.configuration) {
            operation.languages = languages.tags().into_iter().map(str::to_owned).collect();
        }
        operation.error_form = self.configuration.configured_error_form().cloned();
        operation.security = access.map(EffectiveAccess::security).unwrap_or_default();
        operation
    }

    /// Returns the middlewares of a route, split into middlewares before and after authentication. They are ordered by
    /// stage and then by registration.
    fn chain(&self, route: &Route) -> (Vec<SharedMiddleware>, Vec<SharedMiddleware>) {
        let mut chain: Vec<_> = self.inner.iter().chain(route.middlewares()).cloned().collect();
        chain.sort_by_key(|middleware| middleware.stage());
        chain.into_iter().partition(|middleware| middleware.stage() <= Stage::AddressLimit)
    }

    /// Returns the finished Api, or all build errors.
    pub(super) fn finish(self, components: Vec<SharedComponent>, seeds: Vec<Seed>) -> Result<Api, BuildErrors> {
        let Build { mut registry, components: planned, errors, operation_paths, stop_signal, last_checks, .. } =
            self.build;
        let mut errors = errors.or_kind(BuildErrorKind::Configuration);
        last_checks.into_iter().for_each(|check| check(&mut errors));
        let (mut ordered, after): (Vec<_>, Vec<_>) = components.into_iter().partition(|one| one.before_stores());
        ordered.extend(planned);
        let seeds = Seeds { position: ordered.len(), seeds };
        ordered.extend(after);
        let infos = self.entries.iter().map(|entry| &entry.info);
        operation_paths.complete(infos.map(|info| (info.operation().id.as_str(), info.template())));
        let uses = self.entries.iter().flat_map(|entry| entry.info.operation().schemas());
        uses.for_each(|used| registry.note_use(&used.schema, used.side, used.mode));
        for entry in self.entries.iter().filter(|entry| !entry.hidden) {
            publish(entry.info.operation(), &mut registry);
        }
        if let Some(form) = self.configuration.configured_error_form() {
            let schema = form.define(&mut registry);
            registry.json_schema(&schema, SchemaSide::Output, None);
            let of_routes = self.entries.iter().flat_map(|entry| &entry.info.operation().problems);
            form.mistakes(catalogue::ALL.iter().chain(of_routes)).into_iter().for_each(|mistake| errors.push(mistake));
        } else {
            let operations = self.entries.iter().map(|entry| entry.info.operation());
            taken_problem_names(operations, &mut registry).into_iter().for_each(|mistake| errors.push(mistake));
        }
        for message in registry.errors() {
            errors.push(BuildError::new(BuildErrorKind::Schema, message.to_string()));
        }
        let mut names: Vec<_> = self.configuration.authenticators().iter().map(|(name, _)| name.as_str()).collect();
        names.sort_unstable();
        for pair in names.windows(2) {
            if let [first, second] = pair
                && first == second
            {
                let message = format!("two authenticators are registered as `{first}`; give each a different name");
                errors.push(BuildError::new(BuildErrorKind::Authenticator, message));
            }
        }
        errors.finish(Some(Api::new(BuiltApi {
            routes: Routes {
                middlewares: self.outer,
                router: self.router,
                entries: self.entries,
                problems: ProblemResponses::new(&self.configuration),
            },
            base_path: BasePath::new(&self.configuration),
            configuration: self.configuration,
            readiness: Readiness::new(ordered, stop_signal),
            seeds,
            registry,
        })))
    }
}

/// Prepares each authenticator once, even if several routes use the authenticator.
fn plan_authenticators(configuration: &Configuration, build: &mut Build) {
    for (name, authenticator) in configuration.authenticators() {
        let place = format!("authenticator `{name}`");
        let outcome = authenticator.plan(&mut BuildContext::for_api(configuration, build));
        build.errors.take(outcome.map_err(|errors| errors.or_kind(BuildErrorKind::Authenticator).at(place)));
        let challenge = authenticator.challenge();
        if !is_challenge(&challenge) {
            let message = format!(
                "{challenge:?} is not a valid challenge (RFC 9110, section 11.6.1); write the scheme, then a space, then parameters such as `nonce=\"a\"`, separated by commas"
            );
            let error = BuildErrors::one(BuildError::new(BuildErrorKind::Authenticator, message));
            build.errors.take::<()>(Err(error.at(format!("authenticator `{name}`"))));
        }
    }
}

/// Returns the method and path of a route, for error messages.
fn place(route: &Route) -> String {
    let route = route.declaration();
    format!("{} {}", route.method, route.path)
}

/// Adds the problem responses and headers of the request pipeline to an OpenAPI operation.
fn describe_framework(operation: &mut Operation, access: Option<&EffectiveAccess>, strict: bool) {
    let mut problems: Vec<ProblemKind> = vec![catalogue::MALFORMED_REQUEST, catalogue::INTERNAL];
    problems.extend([catalogue::DEADLINE_EXCEEDED, catalogue::OVERLOADED]);
    if strict || !operation.parameters.is_empty() || reads_a_shape(operation) {
        problems.push(catalogue::INVALID_REQUEST);
    }
    if operation.inline_responses().any(|response| !response.content.is_empty()) {
        problems.push(catalogue::NOT_ACCEPTABLE);
    }
    if let Some(access) = access.filter(|access| !access.is_public()) {
        problems.extend([catalogue::UNAUTHENTICATED, catalogue::UNAVAILABLE]);
        for requirement in access.requirements() {
            problems.push(catalogue::FORBIDDEN);
            if let Requirement::Policy(policy) = requirement {
                policy.0.describe(operation);
            }
        }
    }
    problems.into_iter().for_each(|kind| operation.add_problem(kind));
    operation.unlisted_headers.push(RequestId::HEADER);
    let id = SchemaUse::output(SchemaObject::string().min_length(1).max_length(128));
    operation.add_common_header(
        HeaderObject::new("X-Request-Id", id).description("Identifies this request in responses, problems and traces."),
    );
}

/// Adds the schemas of an operation to the schema registry. Building the Api then also fails if a schema is invalid.
fn publish(operation: &Operation, registry: &mut Registry) {
    for used in operation.schemas() {
        registry.json_schema(&used.schema, used.side, used.mode);
    }
}

/// Returns an error for each application schema that has the same name as a problem schema.
fn taken_problem_names<'o>(
    operations: impl Iterator<Item = &'o Operation>,
    registry: &mut Registry,
) -> BTreeSet<String> {
    let names = operations.flat_map(Operation::failures).map(|failure| format!("{}Problem", failure.component_name()));
    let taken = names.filter(|name| registry.type_name(&SchemaType::reference(name.clone())) != "reference");
    taken
        .map(|name| format!("the name of the schema `{name}` is reserved for the schema of a problem; rename it"))
        .collect()
}

fn reads_a_shape(operation: &Operation) -> bool {
    operation.request_body.as_ref().is_some_and(|body| body.content.iter().any(|content| content.schema.is_some()))
}

fn media_types(operation: &Operation) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for content in operation.inline_responses().flat_map(|response| &response.content) {
        if !names.contains(&content.name) {
            names.push(content.name.clone());
        }
    }
    names
}
