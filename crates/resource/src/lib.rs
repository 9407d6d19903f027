//! Stores: where the entities of resources are kept.
//!
//! For authors of stores, and of code that works with one. An [`Entity`] is a value with fields; an [`EntityDefinition`] describes
//! it to a store: its identifier, what is unique, what it refers to, and which fields are its [`Scope`]. A [`Repository`] finds,
//! lists, inserts, updates and deletes entities of one type, each statement in a scope and, if wanted, in a transaction of the
//! [`Store`]. [`MemoryStore`] is a complete store in memory, and the reference for every other.
//!
//! A store of one's own implements [`Store`] and [`Repository`], and passes the suite in `conformance`, behind the feature of this
//! name.
//!
//! There is no SQL and no HTTP here: a store takes the expressions, orders and windows of `restwright-list`, and its errors have no
//! status.

#[cfg(feature = "conformance")]
pub mod conformance;
mod definition;
mod entity;
mod memory;
mod store;

pub use definition::{EntityDefinition, FieldDefinition, IdentifierKind, OnDelete};
pub use entity::{Entity, Version, Versioned};
pub use memory::{MemoryStore, MemoryTransaction};
pub use store::{ListQuery, Repository, Scope, Statement, Store, StoreError};
