//! [`Endpoints`]: the five endpoints of a resource over a store.

mod action;
mod any_entity;
mod any_shapes;
mod batch;
mod body;
mod bounds;
mod call;
mod changed;
mod claim;
mod controllers;
mod created;
mod entities;
mod entity_store;
mod hook_context;
mod hooks;
mod info;
mod kind;
mod names;
mod page;
mod pagination;
mod plain_text;
mod presenter;
mod problem;
mod put;
mod repository;
mod request;
mod resource;
mod routes;
mod scope_rule;
#[cfg(any(feature = "cursor", feature = "idempotency"))]
mod scope_text;
mod unit;
mod view;

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use restwright_core::Result;
use restwright_core::auth::{Access, CrudAccess, Identity};
use restwright_core::body::ReadBody;
use restwright_core::schema::Mode;
use restwright_list::{FilterFields, Limits, SortFields, Value};

pub use self::entity_store::EntityStore;
pub use self::hook_context::HookContext;
pub use self::hooks::{CommittedChange, Hooks};
pub use self::pagination::ResourcePagination;
pub use self::presenter::Presenter;
pub use self::request::NoBody;
pub use self::resource::Resource;

pub(crate) use self::any_entity::{AnyBody, AnyEntity, typed};
pub(crate) use self::any_shapes::AnyShapes;
pub(crate) use self::info::ResourceInfo;
pub(crate) use self::presenter::returned;

use self::action::Action;
use self::hooks::{ErasedHooks, Runs};
use self::kind::Types;
use self::presenter::Presents;
use self::repository::AnyRepository;
use self::scope_rule::{ScopeRule, ScopeSource};
#[cfg(feature = "idempotency")]
use crate::idempotency::Idempotency;

use crate::store::{Repository, Store};

/// The endpoints of a [`Resource`] over a store: create, view, list, update and delete.
///
/// | request | success | failures |
/// |---|---|---|
/// | `POST /animals` | 201 with `Location`, `ETag` and `{"data": ..}` | 409, 422 |
/// | `GET /animals/{id}` | 200 with `ETag` and `{"data": ..}`, or 304 | 404, 412, 422 |
/// | `GET /animals` | 200 with `{"data": [..], "pagination": ..}` | 422 |
/// | `PATCH /animals/{id}` | 200 with `ETag` and `{"data": ..}` | 404, 409, 412, 422 |
/// | `PUT /animals/{id}`, by [`put`](Self::put) | 200 with `{"data": ..}`, or 201 | 404, 409, 412, 422 |
/// | `DELETE /animals/{id}` | 204, or 200 by [`delete_returns_entity`](Self::delete_returns_entity) | 404, 409, 412 |
/// | `POST /animals/batch`, by [`batch`](Self::batch) | 201 with `{"data": [..]}` | 409, 422 |
///
/// Beside these are the failures of access and of bodies that cannot be read; a store that cannot be reached is a 503 with
/// `Retry-After`.
///
/// The tag of an entity is its version in the store. An update has a JSON merge patch (RFC 7396) as its body, of the media type
/// `application/merge-patch+json` or `application/json`. It is made to the state that was read, and nobody's change is lost: with
/// `If-Match`, a state that has changed meanwhile is a 412 (RFC 9110, section 13.1.1); without, the update is made to the new state, in at
/// most 32 attempts, after which the response is 503. From the third attempt on, updates of one entity run one after the other in this process, and
/// lock the entity in a store that locks entities.
///
/// A client may send what it sees and cannot change, such as the identifier, in a patch or a replacement if it is as it is stored; otherwise
/// it is a 422 with the code `read_only`. Building the Api fails if the body of a create or an update has a scope field, a parent, a time or a
/// version, or that of an update the identifier. The own checks of the entity run on the whole after each change. What was wrong before and was not
/// touched refuses nothing, and a violation of what was not sent is at the nearest place that was, with its own place as the parameter
/// `property`.
///
/// A path with the parameters of a [parent](crate::FieldDefinition::parent), such as `/contracts/{contract_id}/invoices`, restricts every
/// statement to the entities of this parent, and is a 404 if the caller's scope does not have it.
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
#[must_use = "endpoints do nothing until an Api has them"]
pub struct Endpoints<R: Resource, S: Store> {
    declared: Declared<S>,
    resource: PhantomData<fn() -> R>,
}

/// The settings of endpoints, without the type of their resource.
struct Declared<S: Store> {
    store: S,
    repository: &'static dyn AnyRepository<S>,
    /// The filters and the order of the list of a resource that is declared at run time.
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
    hooks: Vec<Arc<dyn ErasedHooks<S>>>,
    hook_timeout: Duration,
    actions: Vec<Action<S>>,
    #[cfg(feature = "idempotency")]
    idempotency: Option<Idempotency>,
}

impl<R: Resource, S: Repository<R>> Endpoints<R, S> {
    /// Creates the endpoints of the entities in a store, for these callers: `Access::crud(..)`, or one access for all operations.
    ///
    /// A type that is no [`Resource`], and a store that does not keep it, are errors which say what to implement:
    /// ```compile_fail,E0277
    /// use restwright_core::auth::Access;
    /// use restwright_resource::{Endpoints, MemoryStore};
    ///
    /// struct Pet;
    /// let pets = Endpoints::<Pet, _>::new(MemoryStore::new(), Access::public());
    /// ```
    pub fn new(store: S, access: impl Into<CrudAccess>) -> Self {
        let declared = Declared::new(store, Types::<R>::repository(), access.into(), ResourceInfo::new::<R>());
        R::configure(Self { declared, resource: PhantomData })
    }

    /// Creates the endpoints of a resource that is declared at run time, with the filters and the order of its list.
    pub(crate) fn run_time(store: S, access: CrudAccess, info: ResourceInfo, list: (FilterFields, SortFields)) -> Self {
        let declared = Declared::new(store, Types::<R>::repository(), access, info);
        Self { declared: Declared { run_time_list: Some(list), ..declared }, resource: PhantomData }
    }

    /// Leaves out an operation, so that there is none, or a controller of the application's own at the same path.
    pub fn without(mut self, operation: Mode) -> Self {
        self.declared.without.push(operation);
        self
    }

    /// Sets the tag under which documents show the operations, in place of the name of the definition.
    pub fn tag(mut self, tag: impl Into<String>) -> Self {
        self.declared.tag = Some(tag.into());
        self
    }

    /// Sets the name of all entities together, such as `open tickets`, in place of the name of the definition. The ids of the operations on several
    /// entities are made of it, such as `listOpenTickets`, so two resources over one table need different ones. SQL stores keep two resources in one table, if
    /// both have the same stored fields; `MemoryStore` does not.
    pub fn list_name(mut self, name: impl AsRef<str>) -> Self {
        self.declared.info.names.set_list_name(name.as_ref());
        self
    }

    /// Sets the number of items in a list, in place of the configuration's.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.declared.limits = Some(limits);
        self
    }

    /// Demands a precondition of updates, replacements and deletes; one without `If-Match` or `If-None-Match` is a 428 (RFC 6585,
    /// section 3).
    pub fn require_preconditions(mut self) -> Self {
        self.declared.requires_preconditions = true;
        self
    }

    /// Adds `PUT /animals/{id}`, which replaces an entity, for whoever may update it.
    ///
    /// Where clients give identifiers, it creates an entity that is not there, with 201, and whoever calls needs the access to creates too;
    /// `If-None-Match: *` admits nothing else. Elsewhere there is nothing to replace, with 404. An identifier in the body that differs from
    /// that in the path is a 422.
    pub fn put(mut self) -> Self {
        self.declared.puts = true;
        self
    }

    /// Makes the response to a delete a 200 with the entity as it was.
    pub fn delete_returns_entity(mut self) -> Self {
        self.declared.deletes_with_entity = true;
        self
    }

    /// Admits lists of entities as they were a while ago: a store with a replica reads them from there, unless hooks run in lists.
    pub fn stale_lists(mut self) -> Self {
        self.declared.stale_lists = true;
        self
    }

    /// Adds `POST /animals/batch`, which creates 1 to 100 entities or none, for whoever may create one.
    ///
    /// The body is `{"data": [..]}`, and so is the response, in the same order. The place of a failure begins with that of its entity, such as
    /// `/data/3/name`. The store has to have transactions. Where clients give identifiers, none may be `batch`.
    pub fn batch(mut self) -> Self {
        self.declared.info.batch = Some(Types::<R>::BATCH);
        self
    }

    /// Restricts every statement to a value of the caller in a [scope field](crate::FieldDefinition::scope), such as the tenant, and
    /// sets it in what is created.
    ///
    /// A caller for whom the function returns `None`, null or an empty text is refused with 403. What another scope has is not found,
    /// in every operation.
    pub fn scope(
        self,
        field: impl Into<String>,
        value: impl Fn(&Identity) -> Option<Value<'static>> + Send + Sync + 'static,
    ) -> Self {
        self.with_source(field.into(), ScopeSource::Function(Arc::new(value)))
    }

    /// Restricts every statement to the value of a claim in a scope field; [`scope`](Self::scope) with a function that reads it.
    pub fn scope_claim(self, field: impl Into<String>, claim: impl Into<String>) -> Self {
        self.with_source(field.into(), ScopeSource::Claim(claim.into()))
    }

    /// Lifts the restriction to a scope field in an operation, for callers with a permission.
    ///
    /// Building the Api fails for a create, which always has a scope, and for an operation on one entity if clients give its identifier, which
    /// is the only one within its scope alone. A replacement is an update here.
    pub fn lift_scope(mut self, field: impl Into<String>, operation: Mode, permission: impl Into<String>) -> Self {
        self.declared.set_rule(field.into(), |rule| rule.lifted.push((operation, permission.into())));
        self
    }

    /// Adds [`Hooks`], which run behind those that were added before. The store has to have transactions.
    pub fn hooks(mut self, hooks: impl Hooks<R, S>) -> Self {
        self.declared.hooks.push(Arc::new(Runs::<R, _>::new(hooks)));
        self
    }

    /// Adds a [`Presenter`], which changes the entities of every response. Presenters run in the order in which they were added.
    pub fn presenter(mut self, presenter: impl Presenter<R, S>) -> Self {
        self.declared.hooks.push(Arc::new(Presents::<R, _>::new(presenter)));
        self
    }

    /// Adds an action, `POST /tickets/{id}/close`: a change of one entity by a function of the application.
    ///
    /// The function gets the entity as it is stored and the body, and leaves the entity as it is to be stored. Everything else is that of
    /// `PATCH`: the scope, the preconditions, the hooks of updates, the presenters and the response with the entity and its tag. It runs in a
    /// transaction, in which it works with the store through its [context](HookContext), and again if a concurrent change is in the way, so what
    /// must happen once belongs into a hook [after the commit](Hooks::after_commit). It may take as long as [a hook](Self::hook_timeout).
    /// With [`idempotency`](Self::idempotency) it is carried out once for each key.
    ///
    /// The name is a segment of the path, with lower-case letters, digits and hyphens, and begins the identifier of the operation: `closeTicket`.
    /// The body is any type with a shape that is `Clone`, or [`NoBody`]. A problem of the function refuses the action, and nothing is changed. If
    /// it leaves an invalid entity, or another identifier or scope, the response is a 500.
    ///
    /// ```
    /// use restwright::auth::Access;
    /// use restwright::prelude::*;
    /// use restwright::resource::{Endpoints, HookContext, MemoryStore, NoBody};
    /// use serde::Serialize;
    ///
    /// /// A ticket.
    /// #[derive(Clone, Serialize, Resource)]
    /// #[resource(path = "/tickets")]
    /// struct Ticket {
    ///     #[property(id)]
    ///     id: i64,
    ///     is_closed: bool,
    /// }
    ///
    /// let close = async |ticket: &mut Ticket, _: NoBody, _: &mut HookContext<'_, MemoryStore>| {
    ///     ticket.is_closed = true;
    ///     Ok(())
    /// };
    /// let tickets = Endpoints::<Ticket, _>::new(MemoryStore::new(), Access::public()).action("close", Access::public(), close);
    /// let api = Api::builder(Configuration::new("tickets", "1.0.0")).module(&tickets).build()?;
    /// # Ok::<(), BuildErrors>(())
    /// ```
    pub fn action<B, F>(mut self, name: impl Into<String>, access: impl Into<Access>, run: F) -> Self
    where
        B: ReadBody + Clone + 'static,
        F: AsyncFn(&mut R, B, &mut HookContext<'_, S>) -> Result<()> + Send + Sync + 'static,
    {
        self.declared.actions.push(Action::new::<R, _, _>(name.into(), access.into(), run));
        self
    }

    /// Sets the time that each hook may take, 5 seconds by default. Building the Api fails unless it is below the deadline of the route.
    pub fn hook_timeout(mut self, limit: Duration) -> Self {
        self.declared.hook_timeout = limit;
        self
    }

    /// Carries out a create and a batch once for each `Idempotency-Key` of a caller and a scope.
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

impl<S: Store> Declared<S> {
    fn new(store: S, repository: &'static dyn AnyRepository<S>, access: CrudAccess, info: ResourceInfo) -> Self {
        Self {
            store,
            repository,
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
            hook_timeout: Duration::from_secs(5),
            actions: Vec::new(),
            #[cfg(feature = "idempotency")]
            idempotency: None,
        }
    }

    /// Changes the rule of a field, which is added if there is none.
    fn set_rule(&mut self, field: String, change: impl FnOnce(&mut ScopeRule)) {
        match self.rules.iter_mut().find(|rule| rule.field == field) {
            Some(rule) => change(rule),
            None => {
                let mut rule = ScopeRule { field, source: None, lifted: Vec::new() };
                change(&mut rule);
                self.rules.push(rule);
            }
        }
    }
}

impl<R: Resource, S: Store> fmt::Debug for Endpoints<R, S> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Endpoints")
            .field("path", &self.declared.info.path)
            .field("access", &self.declared.access)
            .field("without", &self.declared.without)
            .finish_non_exhaustive()
    }
}
