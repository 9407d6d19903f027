//! Defines [`RowPolicy`], which controls the access of callers to the entities of a resource.

use std::any::type_name;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use restwright_core::auth::Identity;
use restwright_list::{Expression, Record};

use crate::definition::EntityDefinition;

/// Decides which entities of a resource a caller can see, and which of them the caller may change (row-level access control).
///
/// Declare the policy with `#[resource(policy = TicketPolicy)]`, or with [`EntityDefinition::policy`](crate::EntityDefinition::policy).
/// It applies in every operation of [`Endpoints`](crate::Endpoints), in hooks and in actions. In a handler, call
/// [`EntityStore::for_caller`](crate::EntityStore::for_caller).
///
/// | entity | response |
/// |---|---|
/// | not visible | 404, as for an identifier that does not exist; 422 if the body refers to it |
/// | visible, but not writable | 403 for a change or a delete, before hooks run |
/// | result not permitted | 403, after the hooks that run before the change; nothing is stored |
///
/// The methods run in each request and must not block. They return conditions on the fields of the definition. A
/// condition on any other field is a 500.
///
#[cfg_attr(not(doctest), doc = include_str!("doc_examples/row_policy.md"))]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a policy of the resource `{R}`",
    label = "not a policy of `{R}`",
    note = "implement `RowPolicy<{R}>` for `{Self}`; a policy of several resources is generic, such as `impl<R> RowPolicy<R> for {Self}`"
)]
pub trait RowPolicy<R>: Send + Sync + 'static {
    /// Returns the entities that a caller can see.
    fn visible(&self, caller: &Identity) -> Rows;

    /// Returns the entities that a caller may change or delete. The caller can change such an entity only if it is also visible. By
    /// default, returns all entities.
    fn writable(&self, caller: &Identity) -> Rows {
        let _ = caller;
        Rows::all()
    }

    /// Returns the entities that a caller may store in a create or an update. By default, these entities must be visible and writable.
    ///
    /// If the result is permitted but not visible, it is stored and the response contains it. The caller's next request gets 404.
    /// For example, a caller can then assign a ticket to another user.
    fn result(&self, caller: &Identity) -> Rows {
        self.visible(caller).and(self.writable(caller))
    }

    /// Returns the definitions of the related entities that the policy reads with [`exists`](crate::exists). By default, the list is empty.
    ///
    /// Building the Api fails if the store has no definition of one of these entities. If the policy reads any other entities, the response
    /// is a 500.
    fn related(&self) -> Vec<EntityDefinition> {
        Vec::new()
    }
}

/// The set of entities of a resource that match a condition.
///
#[cfg_attr(not(doctest), doc = include_str!("doc_examples/rows.md"))]
#[derive(Clone, Debug, PartialEq)]
#[must_use = "rows restrict nothing until a policy returns them"]
pub struct Rows(Expression);

impl Rows {
    /// Creates a set that contains all entities.
    pub const fn all() -> Self {
        Self(Expression::TRUE)
    }

    /// Creates a set that contains no entities.
    pub const fn none() -> Self {
        Self(Expression::Any(Vec::new()))
    }

    /// Creates a set that contains the entities that match a condition.
    pub fn matching(condition: impl Into<Expression>) -> Self {
        Self(condition.into())
    }

    /// Returns the entities that are in both sets.
    pub fn and(self, other: Self) -> Self {
        match (self.is_all(), other.is_all()) {
            (_, true) => self,
            (true, _) => other,
            _ => Self(self.0.and(other.0)),
        }
    }

    /// Returns the entities that are in at least one of the sets.
    pub fn or(self, other: Self) -> Self {
        if self.is_all() || other.is_all() { Self::all() } else { Self(self.0.or(other.0)) }
    }

    pub(crate) fn is_all(&self) -> bool {
        self.0 == Expression::TRUE
    }

    pub(crate) fn condition(&self) -> &Expression {
        &self.0
    }

    /// Returns `true` if the set contains an entity, for example in a live feed. A set whose condition reads related entities
    /// with [`exists`](crate::exists) contains no entity here, because only a store can read them.
    #[must_use]
    pub fn contains(&self, entity: &(impl Record + ?Sized)) -> bool {
        self.0.first_exists().is_none() && self.0.holds(entity)
    }
}

/// The row policy of a definition. Two policies are equal if they have the same type.
#[derive(Clone)]
pub(crate) struct DeclaredPolicy(Arc<dyn AnyPolicy>);

trait AnyPolicy: Send + Sync {
    fn visible(&self, caller: &Identity) -> Rows;
    fn writable(&self, caller: &Identity) -> Rows;
    fn result(&self, caller: &Identity) -> Rows;
    fn related(&self) -> Vec<EntityDefinition>;
    fn name(&self) -> &'static str;
}

struct PolicyOf<R, P>(P, PhantomData<fn() -> R>);

impl<R: 'static, P: RowPolicy<R>> AnyPolicy for PolicyOf<R, P> {
    fn visible(&self, caller: &Identity) -> Rows {
        self.0.visible(caller)
    }

    fn writable(&self, caller: &Identity) -> Rows {
        self.0.writable(caller)
    }

    fn result(&self, caller: &Identity) -> Rows {
        self.0.result(caller)
    }

    fn related(&self) -> Vec<EntityDefinition> {
        self.0.related()
    }

    fn name(&self) -> &'static str {
        type_name::<P>()
    }
}

impl DeclaredPolicy {
    pub(crate) fn new<R: 'static>(policy: impl RowPolicy<R>) -> Self {
        Self(Arc::new(PolicyOf::<R, _>(policy, PhantomData)))
    }

    pub(crate) fn visible(&self, caller: &Identity) -> Rows {
        self.0.visible(caller)
    }

    pub(crate) fn writable(&self, caller: &Identity) -> Rows {
        self.0.writable(caller)
    }

    pub(crate) fn result(&self, caller: &Identity) -> Rows {
        self.0.result(caller)
    }

    pub(crate) fn related(&self) -> Vec<EntityDefinition> {
        self.0.related()
    }
}

impl PartialEq for DeclaredPolicy {
    fn eq(&self, other: &Self) -> bool {
        self.0.name() == other.0.name()
    }
}

impl Eq for DeclaredPolicy {}

impl fmt::Debug for DeclaredPolicy {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.0.name())
    }
}
