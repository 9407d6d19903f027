//! Resources: entities in stores, and their endpoints.
//!
//! For authors of resources, of stores, and of code that works with one. An [`Entity`] is a value with fields; an
//! [`EntityDefinition`] describes it to a store: its identifier, what is unique, what it refers to, and which fields are its [`Scope`].
//! A [`Repository`] finds, lists, inserts, updates and deletes entities of one type, each statement in a scope and, if wanted, in a
//! transaction of the [`Store`]. [`MemoryStore`] is a complete store in memory, and the reference for every other.
//!
//! A [`Resource`] is an entity with the shapes in which clients see it; its [`Endpoints`] create, view, list, update and delete it in a
//! store.
//!
//! `idempotency`, behind the feature of this name, keeps the response to a `POST` for its `Idempotency-Key`, of a resource or of a
//! controller by hand.
//!
//! A store of one's own implements [`Store`] and [`Repository`], and passes the suite in `conformance`, behind the feature of this
//! name. Stores know neither SQL nor HTTP: they take the expressions, orders and windows of `restwright-list`, and their errors have
//! no status, which the endpoints give them.

mod api_builder;
mod assign;
pub mod codes;
#[cfg(feature = "conformance")]
pub mod conformance;
mod definition;
mod endpoints;
mod entity;
#[cfg(feature = "idempotency")]
pub mod idempotency;
mod memory;
mod run_time;
mod store;

pub use api_builder::Resources;
pub use assign::{MaybeRounded, NotRounded, assign};
pub use definition::{EntityDefinition, FieldDefinition, IdentifierKind, Managed, OnDelete, ValueBounds};
pub use endpoints::{
    CommittedChange, Endpoints, EntityStore, HookContext, Hooks, NoBody, Presenter, Resource, ResourcePagination,
};
pub use entity::{Entity, Version, Versioned};
pub use memory::{MemoryStore, MemoryTransaction};
pub use run_time::{EntityBag, ResourceDefinition};
pub use store::{ListQuery, Repository, Scope, Statement, Store, StoreError};
