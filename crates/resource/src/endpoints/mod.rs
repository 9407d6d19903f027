//! Defines [`Endpoints`], which serve the entities of a resource from a store.

mod accessor;
mod caller;
mod declare;
mod erased;
mod export;
#[cfg(feature = "files")]
mod files;
mod includes;
mod operate;
mod pagination;
mod read;
mod resource;
mod respond;
mod serve;

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use restwright_core::auth::{Access, CrudAccess, Identity};
use restwright_core::body::ReadBody;
use restwright_core::problem::ProblemKind;
use restwright_core::schema::Mode;
use restwright_core::{ProblemSet, Result};
use restwright_list::{FilterFields, Limits, SortFields, Value};

pub use self::accessor::entity_store::EntityStore;
pub use self::accessor::exists::exists;
pub use self::caller::caller_scope::CallerScope;
pub use self::declare::computed::ComputedField;
pub use self::declare::export_settings::Export;
pub use self::declare::relation::Relation;
#[cfg(feature = "files")]
pub use self::files::StoredFile;
pub use self::operate::hook_context::HookContext;
pub use self::operate::hooks::{CommittedChange, Hooks};
pub use self::operate::presenter::Presenter;
pub use self::operate::steps::InputContext;
pub use self::pagination::ResourcePagination;
pub use self::resource::Resource;
pub use self::serve::request::NoBody;

pub(crate) use self::declare::any_shapes::AnyShapes;
pub(crate) use self::declare::info::ResourceInfo;
pub(crate) use self::erased::any_entity::{AnyBody, AnyEntity, typed, typed_mut};

use self::declare::scope_rule::{ScopeRule, ScopeSource};
use self::operate::hooks::{ErasedHooks, Runs};
use self::operate::presenter::Presents;
use self::operate::steps::Steps;
use self::serve::action::Action;
#[cfg(feature = "idempotency")]
use crate::idempotency::Idempotency;
use crate::store::Store;

/// The endpoints that create, view, list, update and delete the entities of a [`Resource`] in a store.
///
/// | request | success | failures |
/// |---|---|---|
/// | `POST /animals` | 201 with `Location`, `ETag` and `{"data": ..}` | 409, 422 |
/// | `GET /animals/{id}` | 200 with `ETag` and `{"data": ..}`, or 304 | 404, 412, 422 |
/// | `GET /animals` | 200 with `{"data": [..], "pagination": ..}` | 422 |
/// | `QUERY /animals`, and `POST /animals/query` with [`query_by_post`](Self::query_by_post) | 200 with `{"data": [..], "pagination": ..}` | 422 |
/// | `PATCH /animals/{id}` | 200 with `ETag` and `{"data": ..}` | 404, 409, 412, 422 |
/// | `PUT /animals/{id}`, with [`put`](Self::put) | 200 with `{"data": ..}`, or 201 | 404, 409, 412, 422 |
/// | `DELETE /animals/{id}` | 204, or 200 with [`delete_returns_entity`](Self::delete_returns_entity) | 404, 409, 412 |
/// | `POST /animals/batch`, with [`batch`](Self::batch) | 201 with `{"data": [..]}` | 409, 422 |
/// | `PATCH /animals/batch`, with [`batch`](Self::batch) | 200 with `{"data": [..]}` | 409, 412, 422 |
/// | `POST /animals/batch/delete`, with [`batch`](Self::batch) | 204 | 409, 412, 422 |
/// | `GET /animals/{id}/photo`, with [`files`](Self::files) | 200, 206 or 304 with the file | 404, 412, 416 |
/// | `PUT /animals/{id}/photo`, with [`files`](Self::files) | 201 or 200 with `ETag` and `{"data": ..}` | 404, 412, 413, 415 |
/// | `DELETE /animals/{id}/photo`, with [`files`](Self::files) | 204 | 404, 412 |
///
/// Requests without access and malformed bodies fail as on other routes. If the store is not reachable, the response is a 503 with `Retry-After`.
///
/// The `ETag` of an entity is its version in the store. The body of an update is a JSON merge patch (RFC 7396) of the media type
/// `application/merge-patch+json` or `application/json`. A concurrent change is never overwritten. With `If-Match`, the update fails with 412 if the
/// entity has changed (RFC 9110, section 13.1.1). Without it, the update is applied to the new state, in at most 32 attempts, followed by a 503. From
/// the third attempt on, updates of one entity run one after another in this process, and lock the entity in a store with locks.
///
/// A patch or a replacement may contain read-only values, such as the identifier, if they equal the values that the client sees. Otherwise the
/// response is a 422 with the code `read_only`. The body of a create or an update must not declare a scope field, a parent, a managed time or a
/// version. The body of an update must not declare the identifier. Otherwise building the Api fails.
///
/// The custom checks run on the whole entity after each change. Violations that existed before in values that the client did not send are ignored. A
/// new violation of a value that the client did not send moves to the nearest value that the client sent. Its parameter `property` contains the
/// original JSON Pointer.
///
/// A path may contain the parameter of a [parent](crate::FieldDefinition::parent), such as `/contracts/{contract_id}/invoices`. Every statement is
/// then restricted to the entities of this parent. If the caller's scope does not contain the parent, the response is a 404.
///
/// | error of the store | response |
/// |---|---|
/// | [`NotFound`](crate::StoreError::NotFound) | 404 |
/// | [`Conflict`](crate::StoreError::Conflict) | 409 with the field in `errors` |
/// | [`Referenced`](crate::StoreError::Referenced) | 409 with `referenced_by` |
/// | [`MissingReference`](crate::StoreError::MissingReference), [`InvalidValue`](crate::StoreError::InvalidValue) | 422 at the field |
/// | [`Rejected`](crate::StoreError::Rejected) | 422 at the field, or at the whole entity if the field is not known; 409 for a delete |
/// | [`StaleVersion`](crate::StoreError::StaleVersion), [`TransactionConflict`](crate::StoreError::TransactionConflict) | another attempt; 503 after 32 |
/// | [`Unavailable`](crate::StoreError::Unavailable) | 503 |
/// | [`Failed`](crate::StoreError::Failed) | 500 |
///
/// [`Resource`] has an example.
#[must_use = "endpoints do nothing until they are added to an Api"]
pub struct Endpoints<R: Resource> {
    declared: Declared,
    resource: PhantomData<fn() -> R>,
}

/// The settings of [`Endpoints`], in a struct that is not generic over the resource.
struct Declared {
    store: Arc<dyn Store>,
    /// The filters and sort orders of the list, if the resource is declared at run time.
    run_time_list: Option<(FilterFields, SortFields)>,
    info: ResourceInfo,
    access: CrudAccess,
    without: Vec<Mode>,
    requires_preconditions: bool,
    tag: Option<String>,
    limits: Option<Limits>,
    rules: Vec<ScopeRule>,
    puts: bool,
    deletes_with_entity: bool,
    stale_lists: bool,
    hooks: Vec<Arc<dyn ErasedHooks>>,
    steps: Steps,
    hook_timeout: Duration,
    actions: Vec<Action>,
    /// The problems that hooks, steps and actions return.
    problems: Vec<ProblemKind>,
    #[cfg(feature = "idempotency")]
    idempotency: Option<Idempotency>,
    #[cfg(feature = "files")]
    files: files::DeclaredFiles,
}

impl<R: Resource> Endpoints<R> {
    /// Creates the endpoints of a resource on a store. `access` is `Access::crud(..)`, or a single access for all operations.
    ///
    /// The type must be a [`Resource`]. Otherwise the compiler reports which trait to implement:
    /// ```compile_fail,E0277
    /// use restwright_core::auth::Access;
    /// use restwright_resource::{Endpoints, MemoryStore};
    ///
    /// struct Pet;
    /// let pets = Endpoints::<Pet>::new(MemoryStore::new(), Access::public());
    /// ```
    pub fn new(store: impl Store, access: impl Into<CrudAccess>) -> Self {
        let declared = Declared::new(Arc::new(store), access.into(), ResourceInfo::new::<R>());
        R::configure(Self { declared, resource: PhantomData })
    }

    /// Creates the endpoints of a resource that is declared at run time. `list` contains the filters and sort orders of its list.
    pub(crate) fn run_time(
        store: impl Store,
        access: CrudAccess,
        info: ResourceInfo,
        list: (FilterFields, SortFields),
    ) -> Self {
        let declared = Declared::new(Arc::new(store), access, info);
        Self { declared: Declared { run_time_list: Some(list), ..declared }, resource: PhantomData }
    }

    /// Removes an operation. The application can then add a custom controller at the path of the operation.
    pub fn without(mut self, operation: Mode) -> Self {
        self.declared.without.push(operation);
        self
    }

    /// Sets the default page size, the maximum page size and the maximum offset. These limits replace the limits in the configuration.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.declared.limits = Some(limits);
        self
    }

    /// Requires a precondition for updates, replacements and deletes. Requests without `If-Match` or `If-None-Match` return 428 (RFC 6585,
    /// section 3).
    pub fn require_preconditions(mut self) -> Self {
        self.declared.requires_preconditions = true;
        self
    }

    /// Adds `PUT /animals/{id}`, which replaces an entity. The operation has the same access requirements as an update.
    ///
    /// If clients give identifiers, `PUT` creates a missing entity with 201, which also requires the access for creates. With
    /// `If-None-Match: *`, `PUT` only creates. If clients do not give identifiers, a missing entity is a 404. If the identifier in the body
    /// differs from the identifier in the path, the response is a 422.
    pub fn put(mut self) -> Self {
        self.declared.puts = true;
        self
    }

    /// Makes deletes return 200 with the deleted entity instead of 204.
    pub fn delete_returns_entity(mut self) -> Self {
        self.declared.deletes_with_entity = true;
        self
    }

    /// Allows lists to return stale entities. A store with replicas then reads from a replica, unless hooks run in lists.
    pub fn stale_lists(mut self) -> Self {
        self.declared.stale_lists = true;
        self
    }

    /// Restricts all operations to entities whose [scope field](crate::FieldDefinition::scope) has the caller's value, such as the caller's
    /// tenant. New entities get this value.
    ///
    /// If the function returns `None`, null or an empty string, the response is a 403. No operation finds entities of another scope.
    pub fn scope(
        self,
        field: impl Into<String>,
        value: impl Fn(&Identity) -> Option<Value<'static>> + Send + Sync + 'static,
    ) -> Self {
        self.with_source(field.into(), ScopeSource::Function(Arc::new(value)))
    }

    /// Restricts all operations to entities whose scope field equals a claim of the caller. Like [`scope`](Self::scope) with a function
    /// that reads the claim.
    pub fn scope_claim(self, field: impl Into<String>, claim: impl Into<String>) -> Self {
        self.with_source(field.into(), ScopeSource::Claim(claim.into()))
    }

    /// Removes the restriction of a scope field in one operation, for callers with the given permission. A replacement counts as an update.
    ///
    /// Building the Api fails for a create, which always needs a scope. It also fails for an operation on one entity if clients give its identifier,
    /// because the identifier is unique only within its scope.
    pub fn lift_scope(mut self, field: impl Into<String>, operation: Mode, permission: impl Into<String>) -> Self {
        self.declared.set_rule(field.into(), |rule| rule.lifted.push((operation, permission.into())));
        self
    }

    /// Adds [`Hooks`] to the resource. They run after the hooks that were added earlier. The store must support transactions.
    pub fn hooks(mut self, hooks: impl Hooks<R>) -> Self {
        self.declared.hooks.push(Arc::new(Runs::<R, _>::new(hooks)));
        self
    }

    /// Adds a [`Presenter`], which changes the entities in every response. Presenters run in the order in which they were added.
    pub fn presenter(mut self, presenter: impl Presenter<R>) -> Self {
        self.declared.hooks.push(Arc::new(Presents::<R, _>::new(presenter)));
        self
    }

    /// Adds a custom operation on one entity, such as `POST /tickets/{id}/close`. The function `run` changes the entity.
    ///
    /// The function receives the stored entity and the body, and changes the entity, which is then stored. All other behaviour equals `PATCH`: the
    /// scope, the preconditions, the hooks of updates, the presenters, and the response with the entity and its `ETag`. The function runs in a
    /// transaction and works with the store through its [context](HookContext). It has the time limit of [a hook](Self::hook_timeout). Slow work belongs
    /// in a [step before the transaction](Self::prepared_action).
    ///
    /// After a conflict with a concurrent change, the function runs again. An effect that must happen only once belongs in a hook [after the
    /// commit](Hooks::after_commit). With [`idempotency`](Self::idempotency), the action runs once per key.
    ///
    /// The name is a path segment of lower-case letters, digits and hyphens, and the start of the operation id, such as `closeTicket`. The body is
    /// any type with a shape that is `Clone`, or [`NoBody`]. A problem of the function rejects the action, and nothing changes. If the function
    /// leaves the entity invalid, or with another identifier or scope, the response is a 500.
    ///
    #[cfg_attr(not(doctest), doc = include_str!("../doc_examples/endpoints_action.md"))]
    pub fn action<B, F>(self, name: impl Into<String>, access: impl Into<Access>, run: F) -> Self
    where
        B: ReadBody + Clone + 'static,
        F: AsyncFn(&mut R, B, &mut HookContext<'_>) -> Result<()> + Send + Sync + 'static,
    {
        self.prepared_action(name, access, async |body: B, _: &InputContext<'_>| Ok(body), run)
    }

    /// Documents the problems of the error type `P`, which hooks, steps and actions return. They are documented for each operation that runs hooks or
    /// [steps](Self::prepare_new), and for each action.
    pub fn problems<P: ProblemSet>(mut self) -> Self {
        self.declared.problems.extend(P::kinds());
        self
    }

    /// Documents one problem that hooks, steps and actions return; see [`problems`](Self::problems).
    pub fn problem(mut self, kind: ProblemKind) -> Self {
        self.declared.problems.push(kind);
        self
    }

    /// Sets the time limit of each hook and of each [step](Self::prepare_new) before the transaction. The default is 5 seconds. The limit must be
    /// shorter than the deadline of the route. Otherwise building the Api fails.
    pub fn hook_timeout(mut self, limit: Duration) -> Self {
        self.declared.hook_timeout = limit;
        self
    }

    /// Accepts the header `Idempotency-Key` in creates, changes by `PATCH`, batches and actions. A key applies to one caller and one scope. Repeated
    /// `PUT` and `DELETE` have the same effect without a key.
    #[cfg(feature = "idempotency")]
    pub fn idempotency(mut self, idempotency: Idempotency) -> Self {
        self.declared.idempotency = Some(idempotency);
        self
    }

    fn with_source(mut self, field: String, source: ScopeSource) -> Self {
        self.declared.set_rule(field, |rule| rule.source = Some(source));
        self
    }
}

impl Declared {
    fn new(store: Arc<dyn Store>, access: CrudAccess, info: ResourceInfo) -> Self {
        Self {
            store,
            run_time_list: None,
            info,
            access,
            without: Vec::new(),
            requires_preconditions: false,
            tag: None,
            limits: None,
            rules: Vec::new(),
            puts: false,
            deletes_with_entity: false,
            stale_lists: false,
            hooks: Vec::new(),
            steps: Steps::default(),
            hook_timeout: Duration::from_secs(5),
            actions: Vec::new(),
            problems: Vec::new(),
            #[cfg(feature = "idempotency")]
            idempotency: None,
            #[cfg(feature = "files")]
            files: files::DeclaredFiles::default(),
        }
    }
}

impl<R: Resource> fmt::Debug for Endpoints<R> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Endpoints")
            .field("path", &self.declared.info.path)
            .field("access", &self.declared.access)
            .field("without", &self.declared.without)
            .finish_non_exhaustive()
    }
}
