//! [`Endpoints`]: the five endpoints of a resource over a store.

mod controllers;
mod created;
mod entities;
mod merge_patch;
mod names;
mod pagination;
mod problem;
mod request;

use std::fmt;
use std::sync::Arc;

use restwright_core::Route;
use restwright_core::auth::CrudAccess;
use restwright_core::conditional::PreconditionRequired;
use restwright_core::schema::Mode;
use restwright_list::Limits;
use restwright_runtime::{ApiBuilder, Group, Module};

pub use self::pagination::ResourcePagination;

use self::entities::Entities;
use self::names::Names;
use crate::resource::Resource;
use crate::store::Repository;

/// The endpoints of a [`Resource`] over a store: create, view, list, update and delete.
///
/// | request | success | failures |
/// |---|---|---|
/// | `POST /animals` | 201 with `Location`, `ETag` and `{"data": ..}` | 409, 422 |
/// | `GET /animals/{id}` | 200 with `ETag` and `{"data": ..}`, or 304 | 404, 412, 422 |
/// | `GET /animals` | 200 with `{"data": [..], "pagination": ..}` | 422 |
/// | `PATCH /animals/{id}` | 200 with `ETag` and `{"data": ..}` | 404, 409, 412, 422 |
/// | `DELETE /animals/{id}` | 204 | 404, 409, 412 |
///
/// Beside these are the failures of access and of bodies that cannot be read; a store that cannot be reached is a 503 with
/// `Retry-After`.
///
/// The tag of an entity is its version in the store. An update has a JSON merge patch (RFC 7396) as its body, of the media type
/// `application/merge-patch+json` or `application/json`. It is made to the state that was read, and nobody's change is lost: with
/// `If-Match`, a state that has changed meanwhile is a 412 (RFC 9110, section 13.1.1); without, the update is made to the new state, in at
/// most 32 attempts, after which the response is 503.
///
/// | error of the store | response |
/// |---|---|
/// | [`NotFound`](crate::StoreError::NotFound) | 404 |
/// | [`Conflict`](crate::StoreError::Conflict) | 409 with the field in `errors` |
/// | [`Referenced`](crate::StoreError::Referenced) | 409 with `referenced_by` |
/// | [`MissingReference`](crate::StoreError::MissingReference), [`InvalidValue`](crate::StoreError::InvalidValue) | 422 at the field |
/// | [`StaleVersion`](crate::StoreError::StaleVersion), [`TransactionConflict`](crate::StoreError::TransactionConflict) | another attempt; 503 after 32 |
/// | [`Unavailable`](crate::StoreError::Unavailable) | 503 |
/// | [`Failed`](crate::StoreError::Failed) | 500 |
///
/// [`Resource`] has an example.
#[must_use = "endpoints do nothing until an Api has them"]
pub struct Endpoints<R, S> {
    entities: Arc<Entities<R, S>>,
    access: CrudAccess,
    without: Vec<Mode>,
    requires_preconditions: bool,
    tag: Option<String>,
    limits: Option<Limits>,
}

impl<R, S> Endpoints<R, S> {
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
    // The bounds are here and not at the block, where rustc would report that there is no such function.
    pub fn new(store: S, access: impl Into<CrudAccess>) -> Self
    where
        R: Resource,
        S: Repository<R>,
    {
        let entities = Arc::new(Entities::new(store));
        let (access, without) = (access.into(), Vec::new());
        R::configure(Self { entities, access, without, requires_preconditions: false, tag: None, limits: None })
    }

    /// Sets the tag under which documents show the operations, in place of the name of the definition.
    pub fn tag(mut self, tag: impl Into<String>) -> Self {
        self.tag = Some(tag.into());
        self
    }

    /// Sets the number of items in a list, in place of the configuration's.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = Some(limits);
        self
    }

    /// Leaves out an operation, so that there is none, or a controller of the application's own at the same path.
    pub fn without(mut self, operation: Mode) -> Self {
        self.without.push(operation);
        self
    }

    /// Demands a precondition of updates and deletes; one without `If-Match` or `If-None-Match` is a 428 (RFC 6585, section 3).
    pub fn require_preconditions(mut self) -> Self {
        self.requires_preconditions = true;
        self
    }

    /// Returns a route with what all have in common, unless its operation is left out.
    fn route(&self, operation: Mode, route: Route, id: String, summary: String) -> Option<Route> {
        let changes = matches!(operation, Mode::Update | Mode::Delete);
        let route = route.id(id).summary(summary).access(self.access.get(operation).clone());
        let route = if changes && self.requires_preconditions { route.with(PreconditionRequired) } else { route };
        (!self.without.contains(&operation)).then_some(route)
    }
}

impl<R: Resource, S: Repository<R>> Module for Endpoints<R, S> {
    fn register(&self, api: ApiBuilder) -> ApiBuilder {
        let names = Names::new::<R>();
        let (one, all) = (&names.singular, &names.plural);
        let mut group = Group::new(R::PATH).tag(self.tag.clone().unwrap_or_else(|| names.tag()));
        let id = |verb: &str| format!("{verb}{}", R::NAME);
        let entities = || Arc::clone(&self.entities);
        let path = "/{id}";

        let summary = format!("Create a new {one}");
        if let Some(route) = self.route(Mode::Create, Route::post(""), id("create"), summary) {
            group = group.controller(controllers::create(route, entities()));
        }
        let list = format!("list{}", names.plural_id);
        if let Some(route) = self.route(Mode::List, Route::get(""), list, format!("List {all}")) {
            let route = self.limits.into_iter().fold(route, Route::with);
            group = group.controller(controllers::list(route, entities()));
        }
        if let Some(route) = self.route(Mode::View, Route::get(path), id("view"), format!("Show one {one}")) {
            group = group.controller(controllers::view(route, entities()));
        }
        if let Some(route) = self.route(Mode::Update, Route::patch(path), id("update"), format!("Change one {one}")) {
            group = group.controller(controllers::update(route, entities()));
        }
        if let Some(route) = self.route(Mode::Delete, Route::delete(path), id("delete"), format!("Delete one {one}")) {
            group = group.controller(controllers::delete(route, entities()));
        }
        api.group(group)
    }
}

impl<R, S> fmt::Debug for Endpoints<R, S> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Endpoints")
            .field("access", &self.access)
            .field("without", &self.without)
            .field("requires_preconditions", &self.requires_preconditions)
            .finish_non_exhaustive()
    }
}
