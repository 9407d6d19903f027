//! Defines [`Hooks`], which run custom code before and after the operations of a resource.

use std::future::{Future, ready};
use std::marker::PhantomData;

use restwright_core::Result;
use restwright_core::runtime::{BoxFuture, LocalBoxFuture};
use restwright_core::schema::Mode;

use super::hook_context::HookContext;
use crate::endpoints::Resource;
use crate::endpoints::erased::any_entity::{AnyEntity, AnyIdentifier, typed_mut, typed_ref};
use crate::store::{ListQuery, Store};

/// Runs custom code before and after the operations of a resource, in the same transaction.
///
/// A hook may change the entity before it is stored. It may reject the operation with a [`Problem`](restwright_core::Problem) or with
/// [`Violations`](restwright_core::schema::Violations). It works with the store through its [context](HookContext), and its writes are committed
/// together with the entity. A changed entity is checked again. If it is invalid, or has another scope or identifier, the response is a 500 and the
/// log names the hook.
///
/// After a conflict with a concurrent change, the whole operation runs again from the request, including the hooks. An effect that must happen only
/// once belongs in the store or in [`after_commit`](Self::after_commit). Each hook has a time limit,
/// [`Endpoints::hook_timeout`](crate::Endpoints::hook_timeout). After the limit, the response is a 503 and nothing changes.
///
/// A transaction of SQLite is the only writer, so slow work in a hook delays all other writes. Slow work belongs in a
/// [step](crate::Endpoints::prepare_new) before the transaction.
///
/// Hooks run in the order in which they were added. [`check`](Self::check) says with which stores they work.
///
#[cfg_attr(not(doctest), doc = include_str!("../../doc_examples/hooks.md"))]
pub trait Hooks<R: Resource>: Send + Sync + 'static {
    /// The operations in which the hooks run. By default, they run in creates, updates and deletes.
    ///
    /// Views and lists run in a transaction only if they have hooks. A batch counts as a create of each entity. A replacement counts as an
    /// update or a create.
    const MODES: &'static [Mode] = &[Mode::Create, Mode::Update, Mode::Delete];

    /// Checks while an Api is built that the hooks can work with a store. Building the Api fails with the message.
    ///
    /// By default they can work with every store. Hooks in the SQL of one database write `SqlStore::check(store, Database::Postgres)`.
    ///
    /// # Errors
    /// The hooks cannot work with the store. The message says why.
    fn check(&self, store: &dyn Store) -> Result<(), String> {
        let _ = store;
        Ok(())
    }

    /// Runs before an entity is inserted.
    ///
    /// # Errors
    /// A problem rejects the operation, also in all other hooks.
    fn before_create(&self, context: &mut HookContext<'_>, entity: &mut R) -> impl Future<Output = Result<()>> {
        let _ = (context, entity);
        async { Ok(()) }
    }

    /// Runs after an entity was inserted. The entity already has its identifier.
    fn after_create(&self, context: &mut HookContext<'_>, entity: &R) -> impl Future<Output = Result<()>> {
        let _ = (context, entity);
        async { Ok(()) }
    }

    /// Runs before the view operation reads an entity.
    fn before_view(&self, context: &mut HookContext<'_>, id: &R::Id) -> impl Future<Output = Result<()>> {
        let _ = (context, id);
        async { Ok(()) }
    }

    /// Runs before the list operation reads entities. The hook may change the filter of the query, but not the order, because cursors
    /// depend on it.
    fn before_list(
        &self,
        context: &mut HookContext<'_>,
        query: &mut ListQuery<'_>,
    ) -> impl Future<Output = Result<()>> {
        let _ = (context, query);
        async { Ok(()) }
    }

    /// Runs before an entity is changed or replaced.
    fn before_update(
        &self,
        context: &mut HookContext<'_>,
        before: &R,
        entity: &mut R,
    ) -> impl Future<Output = Result<()>> {
        let _ = (context, before, entity);
        async { Ok(()) }
    }

    /// Runs after an entity was changed or replaced.
    fn after_update(&self, context: &mut HookContext<'_>, before: &R, entity: &R) -> impl Future<Output = Result<()>> {
        let _ = (context, before, entity);
        async { Ok(()) }
    }

    /// Runs before an entity is deleted.
    ///
    /// It does not run for entities that [`OnDelete::Cascade`](crate::OnDelete::Cascade) deletes. They still exist in the store when the hook of the
    /// entity that they refer to runs.
    fn before_delete(&self, context: &mut HookContext<'_>, entity: &R) -> impl Future<Output = Result<()>> {
        let _ = (context, entity);
        async { Ok(()) }
    }

    /// Runs after an entity was deleted. It does not run for entities that [`OnDelete::Cascade`](crate::OnDelete::Cascade) deletes.
    fn after_delete(&self, context: &mut HookContext<'_>, entity: &R) -> impl Future<Output = Result<()>> {
        let _ = (context, entity);
        async { Ok(()) }
    }

    /// Runs once for each committed change made by an operation in [`MODES`](Self::MODES). It does not run for deletes by
    /// [`OnDelete::Cascade`](crate::OnDelete::Cascade).
    ///
    /// The response waits for these hooks for at most one [`Endpoints::hook_timeout`](crate::Endpoints::hook_timeout). The hooks then continue after
    /// the response. Deadlines and disconnected clients do not stop them. If one panics, the panic is logged and the others run. The hooks end with
    /// the process. Work that must not be lost needs a hook inside the transaction that writes it to the store.
    fn after_commit(&self, change: &CommittedChange<R>) -> impl Future<Output = ()> + Send {
        let _ = change;
        async {}
    }
}

/// A committed change of an entity. The hook `after_commit` receives the change.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum CommittedChange<R> {
    /// The entity was created.
    Created(R),
    /// The entity was changed or replaced.
    Updated {
        /// The entity before the change.
        before: R,
        /// The entity after the change.
        after: R,
    },
    /// The entity was deleted.
    Deleted(R),
}

impl ErasedChange {
    /// Downcasts the change to the entity type `R`.
    fn typed<R: Clone + 'static>(&self) -> Result<CommittedChange<R>> {
        Ok(match self {
            Self::Created(created) => CommittedChange::Created(typed_ref::<R>(&**created)?.clone()),
            Self::Updated { before, after } => CommittedChange::Updated {
                before: typed_ref::<R>(&**before)?.clone(),
                after: typed_ref::<R>(&**after)?.clone(),
            },
            Self::Deleted(deleted) => CommittedChange::Deleted(typed_ref::<R>(&**deleted)?.clone()),
        })
    }
}

impl<R> CommittedChange<R> {
    /// Returns the operation that made the change.
    pub(super) fn mode(&self) -> Mode {
        match self {
            Self::Created(_) => Mode::Create,
            Self::Updated { .. } => Mode::Update,
            Self::Deleted(_) => Mode::Delete,
        }
    }
}

/// A committed change of an entity whose type is erased.
pub(in crate::endpoints) type ErasedChange = CommittedChange<Box<dyn AnyEntity>>;

/// A point in an operation at which hooks run, with the arguments of the hooks.
pub(in crate::endpoints) enum Moment<'m, 'q> {
    BeforeCreate(&'m mut (dyn AnyEntity + 'static)),
    AfterCreate(&'m (dyn AnyEntity + 'static)),
    BeforeView(&'m (dyn AnyIdentifier + 'static)),
    BeforeList(&'m mut ListQuery<'q>),
    /// The point before the response is written. Only presenters run at this point. The value contains the entities of the response.
    Present(&'m mut Vec<Box<dyn AnyEntity>>),
    BeforeUpdate(&'m (dyn AnyEntity + 'static), &'m mut (dyn AnyEntity + 'static)),
    AfterUpdate(&'m (dyn AnyEntity + 'static), &'m (dyn AnyEntity + 'static)),
    BeforeDelete(&'m (dyn AnyEntity + 'static)),
    AfterDelete(&'m (dyn AnyEntity + 'static)),
}

impl<'q> Moment<'_, 'q> {
    pub(super) fn reborrow(&mut self) -> Moment<'_, 'q> {
        match self {
            Self::BeforeCreate(entity) => Moment::BeforeCreate(*entity),
            Self::AfterCreate(entity) => Moment::AfterCreate(*entity),
            Self::BeforeView(id) => Moment::BeforeView(*id),
            Self::BeforeList(query) => Moment::BeforeList(query),
            Self::Present(entities) => Moment::Present(entities),
            Self::BeforeUpdate(before, entity) => Moment::BeforeUpdate(*before, *entity),
            Self::AfterUpdate(before, entity) => Moment::AfterUpdate(*before, *entity),
            Self::BeforeDelete(entity) => Moment::BeforeDelete(*entity),
            Self::AfterDelete(entity) => Moment::AfterDelete(*entity),
        }
    }

    /// Returns the operation in which the hooks run.
    pub(super) fn mode(&self) -> Mode {
        match self {
            Self::BeforeCreate(_) | Self::AfterCreate(_) => Mode::Create,
            Self::BeforeView(_) | Self::Present(_) => Mode::View,
            Self::BeforeList(_) => Mode::List,
            Self::BeforeUpdate(..) | Self::AfterUpdate(..) => Mode::Update,
            Self::BeforeDelete(_) | Self::AfterDelete(_) => Mode::Delete,
        }
    }

    /// Returns the entity that hooks may change before the entity is stored, or `None` if hooks cannot change an entity at this point.
    pub(super) fn changeable(&self) -> Option<&dyn AnyEntity> {
        match self {
            Self::BeforeCreate(entity) | Self::BeforeUpdate(_, entity) => Some(*entity),
            _ => None,
        }
    }
}

/// The [`Hooks`] of any resource, as a trait object.
pub(in crate::endpoints) trait ErasedHooks: Send + Sync {
    fn name(&self) -> &'static str;
    fn run_in(&self, mode: Mode) -> bool;
    fn check(&self, store: &dyn Store) -> Result<(), String> {
        let _ = store;
        Ok(())
    }

    /// Runs the hooks for a point in an operation, such as before an update.
    ///
    /// # Errors
    /// Fails if the entities have another type.
    fn run<'a, 'q: 'a>(
        &'a self,
        context: &'a mut HookContext<'_>,
        moment: Moment<'a, 'q>,
    ) -> Result<LocalBoxFuture<'a, Result<()>>>;

    /// Runs the hook `after_commit` for a committed change.
    ///
    /// # Errors
    /// Fails if the entities have another type.
    fn after_commit<'a>(&'a self, change: &ErasedChange) -> Result<BoxFuture<'a, ()>>;
}

/// Adapts hooks of the resource `R` to [`ErasedHooks`]. Presenters have their own adapter.
pub(in crate::endpoints) struct Runs<R, H>(H, PhantomData<fn() -> R>);

impl<R, H> Runs<R, H> {
    pub(in crate::endpoints) fn new(hooks: H) -> Self {
        Self(hooks, PhantomData)
    }
}

impl<R: Resource, H: Hooks<R>> ErasedHooks for Runs<R, H> {
    fn name(&self) -> &'static str {
        std::any::type_name::<H>()
    }

    fn run_in(&self, mode: Mode) -> bool {
        H::MODES.contains(&mode)
    }

    fn check(&self, store: &dyn Store) -> Result<(), String> {
        self.0.check(store)
    }

    fn run<'a, 'q: 'a>(
        &'a self,
        context: &'a mut HookContext<'_>,
        moment: Moment<'a, 'q>,
    ) -> Result<LocalBoxFuture<'a, Result<()>>> {
        Ok(match moment {
            Moment::BeforeCreate(entity) => Box::pin(self.0.before_create(context, typed_mut(entity)?)),
            Moment::AfterCreate(entity) => Box::pin(self.0.after_create(context, typed_ref(entity)?)),
            Moment::BeforeView(id) => Box::pin(self.0.before_view(context, typed_ref(id)?)),
            Moment::BeforeList(query) => Box::pin(self.0.before_list(context, query)),
            Moment::Present(_) => Box::pin(ready(Ok(()))),
            Moment::BeforeUpdate(before, entity) => {
                Box::pin(self.0.before_update(context, typed_ref(before)?, typed_mut(entity)?))
            }
            Moment::AfterUpdate(before, entity) => {
                Box::pin(self.0.after_update(context, typed_ref(before)?, typed_ref(entity)?))
            }
            Moment::BeforeDelete(entity) => Box::pin(self.0.before_delete(context, typed_ref(entity)?)),
            Moment::AfterDelete(entity) => Box::pin(self.0.after_delete(context, typed_ref(entity)?)),
        })
    }

    fn after_commit<'a>(&'a self, change: &ErasedChange) -> Result<BoxFuture<'a, ()>> {
        let change = change.typed()?;
        Ok(Box::pin(async move { self.0.after_commit(&change).await }))
    }
}
