//! Defines resources, the stores of their entities, and the endpoints that serve them.
//!
//! This crate is for authors of resources and of stores. An [`Entity`] is a value with fields. An [`EntityDefinition`] describes the entity to a
//! store: its identifier, unique values, references, and the fields of its [`Scope`]. A [`Store`] reads and writes [rows](Row), which are the values
//! of entities. [`Repository`] offers its statements with the type of the entities. Each statement runs in a scope and optionally in a transaction.
//! [`MemoryStore`] is a complete store in memory. All other stores must behave in the same way.
//!
//! A [`Resource`] is an entity with the shapes that clients see. Its [`Endpoints`] create, view, list, update and delete entities in a store.
//!
//! The module `idempotency` stores the response to a `POST` under its `Idempotency-Key`, for resources and for custom controllers. Enable it with the
//! feature `idempotency`.
//!
//! A custom store implements [`Store`], and passes the test suite of the crate `restwright-conformance`. Stores receive the expressions, orders and
//! windows of `restwright-list`, and depend on neither SQL nor HTTP. The endpoints map their errors to HTTP statuses.

mod api_builder;
mod assign;
pub mod codes;
mod definition;
mod endpoints;
mod entity;
mod generated;
#[cfg(feature = "idempotency")]
pub mod idempotency;
mod memory;
mod policy;
mod row;
mod row_field;
mod run_time;
mod store;

pub use api_builder::Resources;
pub use assign::assign;
pub use definition::{
    EntityDefinition, FieldAccess, FieldDefinition, IdentifierKind, Managed, OnDelete, UniqueConstraint, ValueBounds,
};
#[cfg(feature = "files")]
pub use endpoints::StoredFile;
pub use endpoints::{
    CallerScope, CommittedChange, ComputedField, Endpoints, EntityStore, Export, HookContext, Hooks, InputContext,
    NoBody, Presenter, Relation, Resource, ResourcePagination, exists,
};
pub use entity::{Entity, Version, Versioned};
#[cfg(feature = "testing")]
pub use generated::reproducible::reproducible;
pub use memory::MemoryStore;
pub use policy::{RowPolicy, Rows};
pub use row::{Row, RowError};
pub use row_field::{JsonField, RowField};
pub use run_time::{EntityBag, ResourceDefinition};
pub use store::{
    Change, ListQuery, Read, ReadResult, RelatedValue, Repository, Scope, Statement, Store, StoreError, StoreFuture,
    Transaction,
};
