//! Defines [`ResourceRoutes`], the values that all routes of a resource share.

use std::sync::{Arc, OnceLock};

use restwright_core::Route;
use restwright_core::conditional::PreconditionRequired;
#[cfg(any(feature = "cursor", feature = "idempotency"))]
use restwright_core::http::HttpRequest;
use restwright_core::http::Method;
use restwright_core::operation::RunTimeShapes;
use restwright_core::schema::Mode;
#[cfg(feature = "cursor")]
use restwright_list::CursorBinding;
use restwright_list::{HiddenFields, LinkHeader, SortBag};
use restwright_runtime::Group;

use super::query::MAX_BODY;
use crate::definition::{EntityDefinition, FieldDefinition};
use crate::endpoints::Declared;
use crate::endpoints::caller::field_rights::Guards;
#[cfg(any(feature = "cursor", feature = "idempotency"))]
use crate::endpoints::caller::scope_text::{scope_text, view_text};
use crate::endpoints::declare::bounds::with_bounds;
use crate::endpoints::declare::info::ResourceInfo;
use crate::endpoints::declare::names::capitalised;
use crate::endpoints::declare::relation::Relation;
use crate::endpoints::declare::scope_rule::ScopeRule;
#[cfg(any(feature = "cursor", feature = "idempotency"))]
use crate::endpoints::declare::scope_rule::scope_of;
use crate::endpoints::declare::settings::OperationSettings;
use crate::endpoints::includes::{IncludeSettings, RelatedFields, Source, Sources};
use crate::endpoints::operate::entities::Entities;
#[cfg(feature = "cursor")]
use crate::endpoints::read::search;
use crate::endpoints::respond::{computed_values, shown};
use crate::store::Queues;

/// The path of the operations that create or change several entities, relative to the path of the list.
pub(super) const BATCH: &str = "/batch";

/// The path of the operation that deletes several entities, relative to the path of the list. A request with the method `DELETE` must not
/// depend on a body (RFC 9110, section 9.3.5).
pub(super) const BATCH_DELETE: &str = "/batch/delete";

/// The values that all routes of a resource share.
pub(in crate::endpoints) struct ResourceRoutes<'e> {
    pub(in crate::endpoints) endpoints: &'e Declared,
    pub(in crate::endpoints) entities: Arc<Entities>,
    pub(in crate::endpoints) info: Arc<ResourceInfo>,
    rules: Arc<[ScopeRule]>,
    /// The fields that only some callers may read or write.
    guards: Option<Arc<Guards>>,
    source: Arc<Source>,
    sources: Sources,
    /// The fields of related entities that lists can be filtered and sorted by.
    pub(super) related: Arc<RelatedFields>,
}

impl<'e> ResourceRoutes<'e> {
    pub(super) fn new(endpoints: &'e Declared, sources: Sources) -> Self {
        // The store and all statements share one definition. Comparing it is then cheap.
        let mut info = endpoints.info.clone();
        info.definition = with_bounds(&info);
        let info = Arc::new(info);
        let guards = Guards::of(&info.definition);
        let parents = info.definition.fields().filter_map(FieldDefinition::parent_definition);
        let has_guarded_parents = parents.filter(|parent| parent.has_policy()).count() > 0;
        #[cfg_attr(not(feature = "files"), expect(unused_mut, reason = "only files have hooks of the framework"))]
        let mut hooks = endpoints.hooks.clone();
        #[cfg(feature = "files")]
        hooks.extend(endpoints.files.cleanup(&info.definition).map(|cleanup| Arc::new(cleanup) as Arc<_>));
        let entities = Entities {
            has_guarded_parents,
            store: endpoints.store.clone(),
            info: Arc::clone(&info),
            hooks: hooks.into(),
            steps: endpoints.steps.clone(),
            hook_timeout: endpoints.hook_timeout,
            queues: Queues::new(),
            stale_lists: endpoints.stale_lists,
            schema: Arc::new(OnceLock::new()),
        };
        let rules: Arc<[ScopeRule]> = endpoints.rules.clone().into();
        let order = match &endpoints.run_time_list {
            Some((_, fields)) => SortBag::among(fields, []),
            None => info.kind.sort_fields(&Route::get("/")).ok().and_then(|fields| SortBag::among(&fields, [])),
        };
        let modes = [Mode::View, Mode::List].into_iter().filter(|mode| !endpoints.without.contains(mode)).collect();
        let source = Source::new(&entities, Arc::clone(&rules), guards.clone(), modes, order.as_ref());
        let source = Arc::new(source);
        sources.add(Arc::clone(&source), &info.relations);
        let related = Arc::default();
        Self { endpoints, entities: Arc::new(entities), info, rules, guards, source, sources, related }
    }

    /// Adds the common settings of all operations to a route.
    pub(in crate::endpoints) fn route(&self, mode: Mode, route: Route, id: String, summary: String) -> Route {
        let is_put = route.declaration().method == Method::PUT;
        let modes = if is_put { vec![mode, Mode::Create] } else { vec![mode] };
        let is_below = route.declaration().path.starts_with("/{id}/");
        let (is_action, is_download) = (is_below && mode == Mode::Update, is_below && mode == Mode::View);
        let is_hooked =
            is_action || self.entities.hooks.iter().any(|hooks| modes.iter().any(|mode| hooks.run_in(*mode)));
        let runs_steps = !is_below && self.entities.steps.run_in(mode, is_put);
        let declared = self.endpoints.problems.iter().filter(|_| is_hooked || runs_steps);
        let route = declared.cloned().fold(route, Route::problem);
        let (resource, rules) = (Arc::clone(&self.info), Arc::clone(&self.rules));
        let schema = Arc::clone(&self.entities.schema);
        let description = self.description(mode, &route);
        let route =
            route.id(id).summary(summary).description(description).access(self.endpoints.access.get(mode).clone());
        let route = self.info.shapes.iter().fold(route, |route, shapes| {
            let entity = shapes.stored();
            route.describe(move |operation| operation.run_time.entity = Some(entity.clone()))
        });
        let route = match self.guards {
            Some(_) => route.describe(|operation| shown::describe_private(operation, false)),
            None if computed_values::are_guarded(&self.info) => {
                route.describe(|operation| shown::describe_private(operation, false))
            }
            None if matches!(mode, Mode::View | Mode::List) && !is_download && !self.info.relations.is_empty() => {
                let (info, sources) = (Arc::clone(&self.info), self.sources.clone());
                route.describe(move |operation| {
                    let mut relations = info.relations.iter();
                    if relations.any(|relation| sources.are_guarded(&info.definition, relation)) {
                        // Only responses that embed these entities contain it.
                        shown::describe_private(operation, true);
                    }
                })
            }
            None => route,
        };
        let is_batch = route.declaration().path.starts_with(BATCH);
        let lacks_transactions = (is_hooked || is_batch) && !self.entities.store.has_transactions();
        let hook_timeout = (is_hooked || runs_steps).then_some(self.entities.hook_timeout);
        let route = route.with(OperationSettings {
            resource,
            store: Arc::clone(&self.entities.store),
            relations: self.sources.relations().clone(),
            rules,
            mode,
            is_download,
            runs_hooks: is_hooked,
            runs_steps,
            hook_timeout,
            lacks_transactions,
            schema,
        });
        let route = route.with(IncludeSettings {
            source: Arc::clone(&self.source),
            sources: self.sources.clone(),
            related: Arc::clone(&self.related),
        });
        let changes = matches!(mode, Mode::Update | Mode::Delete);
        if changes && self.endpoints.requires_preconditions { route.with(PreconditionRequired) } else { route }
    }

    /// Returns a route with the settings that all operations on a list share.
    pub(super) fn list_route(&self, route: Route, id: String, summary: String) -> Route {
        let route = self.route(Mode::List, route, id, summary);
        let route = self.endpoints.limits.into_iter().fold(route, Route::with);
        let run_time = self.endpoints.run_time_list.iter();
        let route = run_time.fold(route, |route, (filters, sort)| route.with(filters.clone()).with(sort.clone()));
        let (guards, related) = (self.guards.clone(), Arc::clone(&self.related));
        let route = match guards.is_some() || self.info.relations.iter().any(Relation::has_fields) {
            true => route.with(HiddenFields::new(move |request| {
                let caller = request.identity();
                let rights = guards.as_ref().map(|guards| guards.rights(&caller)).unwrap_or_default();
                let mut hidden = related.hidden(&rights, &caller);
                hidden.extend_from_slice(rights.unreadable());
                hidden
            })),
            false => route,
        };
        #[cfg(feature = "cursor")]
        let route = self.with_cursor_scope(route);
        route
    }

    /// Returns a route of a list whose parameters are in the body. A link cannot repeat the body, so responses have no `Link` header.
    pub(super) fn query_route(&self, route: Route, id: String) -> Route {
        let route = self.list_route(route, id, format!("Query {}", self.info.names.plural));
        // The types of a resource that is declared at run time are the types of its `GET`.
        let route = route.describe(|operation| operation.run_time = RunTimeShapes::default());
        route.with(LinkHeader::Off).body_limit(MAX_BODY)
    }

    /// Returns the description of an operation for the OpenAPI document. It ends with the description of the entity.
    fn description(&self, mode: Mode, route: &Route) -> String {
        let ResourceInfo { names, description, definition, .. } = &*self.info;
        let (one, all) = (&names.singular, &names.plural);
        let declaration = route.declaration();
        let sentence = match (mode, &declaration.method, declaration.path.as_str()) {
            (Mode::Create, _, BATCH) => format!("Creates several {all} and returns them."),
            (Mode::Update, _, BATCH) => format!("Changes several {all}, or none, and returns them."),
            (Mode::Delete, _, BATCH_DELETE) => format!("Deletes several {all}, or none."),
            (Mode::Create, ..) => format!("Creates one {one} and returns it, with its path in `Location`."),
            (Mode::List, &Method::GET, _) => format!(
                "Returns a part of the list of {all}. `QUERY` at this path (RFC 10008) reads the parameters from a JSON body, with filters that contain `all`, `any` and `not`."
            ),
            (Mode::List, ..) => {
                format!("Returns a part of the list of {all}, with the filter and the order in the body.")
            }
            (Mode::View, ..) => format!("Returns the {one} with this identifier."),
            (Mode::Update, &Method::PUT, _) => format!("Replaces the {one} with this identifier and returns it."),
            (Mode::Update, &Method::PATCH, _) => format!("Changes the properties in the body and returns the {one}."),
            (Mode::Delete, ..) => format!("Deletes the {one} with this identifier."),
            _ => format!("Carries out an action on the {one} with this identifier."),
        };
        let hidden = hidden_words(definition, all);
        let words = [sentence.as_str(), &hidden, description].into_iter().filter(|words| !words.is_empty());
        words.collect::<Vec<_>>().join(" ")
    }

    /// Returns a group that contains the idempotency middleware, if the endpoints accept idempotency keys.
    pub(super) fn once(&self, mode: Mode) -> Group {
        self.once_by(mode, false)
    }

    /// Returns a group like [`once`](Self::once), for an operation that changes one entity.
    pub(super) fn once_for_one(&self, mode: Mode) -> Group {
        let runs_hooks = self.entities.hooks.iter().any(|hooks| hooks.run_in(mode));
        self.once_by(mode, !runs_hooks && !self.entities.steps.run_in(mode, false))
    }

    #[cfg_attr(not(feature = "idempotency"), expect(unused_variables, reason = "only idempotency keys need the scope"))]
    fn once_by(&self, mode: Mode, is_for_change: bool) -> Group {
        let group = Group::new("");
        #[cfg(feature = "idempotency")]
        if let Some(idempotency) = &self.endpoints.idempotency {
            let scope = self.scope_text(mode);
            let keys = idempotency.clone().for_change(is_for_change);
            let keys = keys.partition(move |request| Some(scope(request)));
            if !self.is_per_caller() && !computed_values::are_guarded(&self.info) {
                return group.middleware(keys);
            }
            let (view, info) = (self.view_text(), Arc::clone(&self.info));
            return group.middleware(keys.rights(move |request| {
                let computed = computed_values::rights_text(&info, &request.identity());
                view(request).into_iter().chain(computed).reduce(|view, computed| format!("{view} {computed}"))
            }));
        }
        group
    }

    /// Binds the cursors of a list to the caller's scope and rights, and to the search string of the request.
    #[cfg(feature = "cursor")]
    fn with_cursor_scope(&self, route: Route) -> Route {
        let is_searched = self.info.definition.search_fields().next().is_some();
        if self.rules.is_empty() && !self.is_per_caller() && !is_searched {
            return route;
        }
        let (scope, view) = (self.scope_text(Mode::List), self.view_text());
        route.with(CursorBinding::new(move |request| {
            let scope = scope(request);
            let bound = view(request).map_or_else(|| scope.clone(), |view| format!("{scope} {view}"));
            match search::folded(request).filter(|_| is_searched) {
                Some(text) => format!("{bound} search {text}"),
                None => bound,
            }
        }))
    }

    /// Returns `true` if different callers may see different rows or fields.
    #[cfg(any(feature = "cursor", feature = "idempotency"))]
    fn is_per_caller(&self) -> bool {
        self.info.definition.has_policy() || self.guards.is_some()
    }

    /// Returns a function that formats the rights of a caller as a string. The rights are the rows and the fields that the caller may read
    /// and write. The function returns `None` if the resource has no policy, and every caller may read and write all fields.
    #[cfg(any(feature = "cursor", feature = "idempotency"))]
    fn view_text(&self) -> impl Fn(&HttpRequest) -> Option<String> + Send + Sync + use<> {
        let (info, guards) = (Arc::clone(&self.info), self.guards.clone());
        move |request| {
            let caller = request.identity();
            let rows = info.definition.row_policy().map(|policy| view_text(policy, &caller));
            let fields = guards.as_ref().and_then(|guards| guards.rights(&caller).text());
            rows.into_iter().chain(fields).reduce(|rows, fields| format!("{rows} {fields}"))
        }
    }

    /// Returns a function that formats the scope of a caller as a string. Idempotency keys and cursors differ between scopes.
    #[cfg(any(feature = "cursor", feature = "idempotency"))]
    fn scope_text(&self, mode: Mode) -> impl Fn(&HttpRequest) -> String + Send + Sync + use<> {
        let (rules, info) = (Arc::clone(&self.rules), Arc::clone(&self.info));
        move |request| scope_text(&scope_of(&rules, &info.definition, Some(mode), &request.identity()))
    }
}

/// Returns the sentences of the OpenAPI description that state which entities a policy hides. Returns an empty string without a policy.
pub(in crate::endpoints) fn hidden_words(definition: &EntityDefinition, all: &str) -> String {
    if !definition.has_policy() {
        return String::new();
    }
    let mut words = format!("{} that the caller may not see do not exist for this operation.", capitalised(all));
    if !definition.revealed().is_empty() {
        let revealed = definition.revealed().join("`, `");
        words.push_str(&format!(" These can reveal that a hidden one exists: `{revealed}`."));
    }
    words
}
