//! The routes while they are planned.

use std::collections::HashMap;
use std::sync::Arc;

use restwright_schema::{Registry, SchemaObject};

use super::api::{Api, Inner};
use super::entry::Entry;
use super::parameter_conflicts;
use crate::auth::{Access, Requirement};
use crate::component::ErasedComponent;
use crate::configuration::Configuration;
use crate::endpoint::Settings;
use crate::middleware::{SharedMiddleware, Stage};
use crate::operation::{HeaderObject, Operation, SchemaUse};
use crate::part::BuildContext;
use crate::pipeline::Guard;
use crate::problem::{ProblemKind, catalogue, define_shape};
use crate::route::{Declared, Route, RouteInfo, Router, Template};
use crate::start::BuildErrors;

/// The routes while they are planned.
pub(super) struct Plans {
    configuration: Configuration,
    outer: Vec<SharedMiddleware>,
    inner: Vec<SharedMiddleware>,
    router: Router,
    entries: Vec<Entry>,
    registry: Registry,
    ids: HashMap<String, String>,
    errors: BuildErrors,
}

impl Plans {
    /// No routes yet; `registered` is what came of registering the authenticators.
    pub(super) fn new(
        configuration: Configuration,
        middlewares: Vec<SharedMiddleware>,
        registered: Result<(), BuildErrors>,
    ) -> Self {
        let mut errors = BuildErrors::new();
        errors.take(registered);
        let mut registry = Registry::new();
        define_shape(&mut registry);
        let (outer, inner) = middlewares.into_iter().partition(|one| one.stage() == Stage::BeforeAuthentication);
        Self {
            configuration,
            outer,
            inner,
            router: Router::default(),
            entries: Vec::new(),
            registry,
            ids: HashMap::new(),
            errors,
        }
    }

    /// Plans a route.
    pub(super) fn add(&mut self, declared: Declared) {
        let place = format!("{} {}", declared.route.method, declared.route.path);
        let outcome = self.plan(declared).map_err(|errors| errors.at(place));
        self.errors.take(outcome);
    }

    fn plan(&mut self, declared: Declared) -> Result<(), BuildErrors> {
        let Declared { declaration, route } = declared;
        let template = Template::parse(&route.path)?;
        let mut errors = BuildErrors::new();
        let mut operation = self.describe(&route, declaration.default_id(), &mut errors);
        errors.take(self.router.insert(&route.method, &template, self.entries.len()));
        let settings = Settings {
            deadline: route.deadline.unwrap_or(self.configuration.default_deadline()),
            max_violations: self.configuration.violation_limit(),
            strict: self.configuration.is_strict(),
        };
        let guard = match &route.access {
            Some(access) => errors.take(Guard::new(access, &self.configuration, settings.deadline)),
            None => {
                errors.push(
                    "the route declares no access; add `.public()`, `.optional(scheme)` or `.authorize(scheme, scopes)` to it or to its group",
                );
                None
            }
        };
        let mut planner = BuildContext::new(&route, &template, &self.configuration, &mut self.registry);
        let planned = errors.take(declaration.plan(&mut planner, &mut operation, settings));
        if planned.is_some() {
            errors.take::<()>(Err(planner.finish()));
        }
        let (before, after) = self.chain(&route);
        describe_framework(&mut operation, route.access.as_ref(), settings.strict);
        for middleware in self.outer.iter().chain(&before).chain(&after) {
            operation.attachments.insert(middleware.stage());
            errors.take(middleware.plan(&mut operation, &mut self.configuration));
            middleware.describe(&mut operation);
        }
        route.describe.iter().for_each(|describe| describe(&mut operation));
        parameter_conflicts::clashes(&operation, |name| self.configuration.security_scheme(name))
            .for_each(|mistake| errors.push(mistake));
        let (endpoint, guard) = errors.finish(planned.zip(guard))?;
        self.entries.push(Entry {
            media_types: media_types(&operation),
            guest: guard.is_none().then(|| self.configuration.guest()).filter(|guest| !guest.scopes().is_empty()),
            info: Arc::new(RouteInfo {
                template,
                operation,
                guests: route.access.as_ref().is_some_and(Access::admits_guests),
                keys_in_query: guard.as_ref().map(Guard::keys_in_query).unwrap_or_default(),
            }),
            before,
            guard,
            after,
            endpoint,
            body_limit: route.body_limit.unwrap_or(self.configuration.default_body_limit()),
            hidden: route.hidden,
            access: route.access.as_ref().map(Access::to_string).unwrap_or_default(),
        });
        Ok(())
    }

    /// The operation as far as the route says it.
    fn describe(&mut self, route: &Route, default_id: String, errors: &mut BuildErrors) -> Operation {
        let id = route.operation_id.clone().unwrap_or(default_id);
        let place = format!("{} {}", route.method, route.path);
        if let Some(other) = self.ids.insert(id.clone(), place) {
            errors.push(format!(
                "the operation id `{id}` is that of {other} already; give one of them another with `.operation_id(..)`"
            ));
        }
        // OpenAPI writes a tail like any other parameter.
        let mut operation = Operation::new(id, route.method.clone(), route.path.replace("{*", "{"));
        operation.summary = route.summary.clone();
        operation.description = route.description.clone();
        operation.tags = route.tags.clone();
        operation.tags.dedup();
        operation.deprecated = route.deprecated;
        operation.problems = route.problems.clone();
        operation.security = route.access.as_ref().map(Access::security).unwrap_or_default();
        operation
    }

    /// The middlewares of a route before and after its guard, by stage and then in the order of registration.
    fn chain(&self, route: &Route) -> (Vec<SharedMiddleware>, Vec<SharedMiddleware>) {
        let mut chain: Vec<_> = self.inner.iter().chain(&route.middlewares).cloned().collect();
        chain.sort_by_key(|middleware| middleware.stage());
        chain.into_iter().partition(|middleware| middleware.stage() <= Stage::AddressLimit)
    }

    /// The Api of these routes, or every mistake at once.
    pub(super) fn finish(mut self, mut components: Vec<Arc<dyn ErasedComponent>>) -> Result<Api, BuildErrors> {
        components.append(&mut self.configuration.take_components());
        for entry in self.entries.iter().filter(|entry| !entry.hidden) {
            publish(&entry.info.operation, &mut self.registry);
        }
        for message in self.registry.errors() {
            self.errors.push(message.to_string());
        }
        let mut names: Vec<_> = self.configuration.authenticators().iter().map(|(name, _)| name).collect();
        names.sort_unstable();
        for pair in names.windows(2) {
            if let [first, second] = pair
                && first == second
            {
                self.errors
                    .push(format!("two authenticators are registered as `{first}`; give each a name of its own"));
            }
        }
        self.errors.finish(Some(Api::new(Inner {
            configuration: self.configuration,
            middlewares: self.outer,
            router: self.router,
            entries: self.entries,
            components,
            registry: self.registry,
        })))
    }
}

/// What the pipeline itself adds to every operation.
fn describe_framework(operation: &mut Operation, access: Option<&Access>, strict: bool) {
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
    let id = SchemaUse::output(SchemaObject::string().min_length(1).max_length(128));
    operation.add_common_header(
        HeaderObject::new("X-Request-Id", id).description("Identifies this request in answers, problems and traces."),
    );
}

/// Makes the schemas of an operation, so that what stands against them is a start error too.
fn publish(operation: &Operation, registry: &mut Registry) {
    for used in operation.schemas() {
        registry.json_schema(&used.schema, used.side, used.mode);
    }
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
