//! Defines resources, and serves them from a store.

#[cfg(feature = "files")]
#[doc(inline)]
pub use restwright_resource::StoredFile;
#[cfg(feature = "testing")]
#[doc(inline)]
pub use restwright_resource::reproducible;
#[doc(inline)]
pub use restwright_resource::{
    CallerScope, CommittedChange, ComputedField, Endpoints, Entity, EntityBag, EntityDefinition, EntityStore, Export,
    FieldAccess, FieldDefinition, HookContext, Hooks, IdentifierKind, InputContext, ListQuery, MemoryStore, NoBody,
    OnDelete, Presenter, Relation, Repository, Resource, ResourceDefinition, ResourcePagination, Resources, Row,
    RowError, RowPolicy, Rows, Scope, Statement, Store, StoreError, Transaction, UniqueConstraint, Version, Versioned,
    codes, exists,
};

/// Stores the response to a `POST` under its `Idempotency-Key`.
#[cfg(feature = "idempotency")]
pub mod idempotency {
    #[doc(inline)]
    pub use restwright_resource::idempotency::{Idempotency, MemoryIdempotencyStore};
}
