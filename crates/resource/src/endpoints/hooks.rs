//! [`Hooks`]: the application's own logic before and after the operations of a resource.

use std::any::Any;
use std::future::{Future, ready};
use std::marker::PhantomData;
use std::pin::Pin;

use restwright_core::Result;
use restwright_core::runtime::BoxFuture;
use restwright_core::schema::Mode;

use super::Resource;
use super::any_entity::{AnyEntity, AnyIdentifier, typed_mut, typed_ref};
use super::hook_context::HookContext;
use crate::store::{ListQuery, Repository, Store};

/// Own logic before and after the operations of a resource, in the transaction of the operation.
///
/// A hook may change what is to be stored, refuse it with a [`Problem`](restwright_core::Problem), or with
/// [`Violations`](restwright_core::schema::Violations) that become one, and work with the store through its
/// [context](HookContext): what it writes is committed together with the entity, or not at all. What it changes is checked
/// again; if the result is invalid, or has another scope or identifier, the response is a 500 and the log names the hook.
///
/// While concurrent changes are in the way, the whole operation runs again from what was sent, hooks included. What must happen once is
/// written to the store, or belongs into [`after_commit`](Self::after_commit). Each hook may take as long as
/// [`Endpoints::hook_timeout`](crate::Endpoints::hook_timeout) says; then the response is a 503, and nothing is changed.
///
/// Hooks run in the order in which they were added. A hook for every store is generic over it: `impl<S: Repository<Pet>> Hooks<Pet, S> for ..`.
///
/// ```
/// use restwright::prelude::*;
/// use restwright::resource::{HookContext, Hooks, MemoryStore, Resource};
///
/// struct AtMostOne;
///
/// impl<R: Resource> Hooks<R, MemoryStore> for AtMostOne {
///     async fn before_create(&self, context: &mut HookContext<'_, MemoryStore>, _: &mut R) -> Result<()> {
///         if context.store::<R>().count(&()).await? > 0 {
///             return Err(Problem::new(restwright::problem::catalogue::CONFLICT).detail("There is one already."));
///         }
///         Ok(())
///     }
/// }
/// ```
pub trait Hooks<R: Resource, S: Repository<R>>: Send + Sync + 'static {
    /// The operations in which the hooks run. Views and lists are not among them by default, and have no transaction without hooks. A batch
    /// is a create of each entity, and a replacement an update or a create.
    const MODES: &'static [Mode] = &[Mode::Create, Mode::Update, Mode::Delete];

    /// Runs before an entity is inserted.
    ///
    /// # Errors
    /// The problem with which the operation is refused. This holds for every hook.
    fn before_create(&self, context: &mut HookContext<'_, S>, entity: &mut R) -> impl Future<Output = Result<()>> {
        let _ = (context, entity);
        async { Ok(()) }
    }

    /// Runs after an entity was inserted, with its identifier.
    fn after_create(&self, context: &mut HookContext<'_, S>, entity: &R) -> impl Future<Output = Result<()>> {
        let _ = (context, entity);
        async { Ok(()) }
    }

    /// Runs before an entity is looked for.
    fn before_view(&self, context: &mut HookContext<'_, S>, id: &R::Id) -> impl Future<Output = Result<()>> {
        let _ = (context, id);
        async { Ok(()) }
    }

    /// Runs before entities are listed, and may change the filter of the query. The order is that of the request, to which cursors belong.
    fn before_list(
        &self,
        context: &mut HookContext<'_, S>,
        query: &mut ListQuery<'_>,
    ) -> impl Future<Output = Result<()>> {
        let _ = (context, query);
        async { Ok(()) }
    }

    /// Runs before an entity is changed or replaced.
    fn before_update(
        &self,
        context: &mut HookContext<'_, S>,
        before: &R,
        entity: &mut R,
    ) -> impl Future<Output = Result<()>> {
        let _ = (context, before, entity);
        async { Ok(()) }
    }

    /// Runs after an entity was changed or replaced.
    fn after_update(
        &self,
        context: &mut HookContext<'_, S>,
        before: &R,
        entity: &R,
    ) -> impl Future<Output = Result<()>> {
        let _ = (context, before, entity);
        async { Ok(()) }
    }

    /// Runs before an entity is deleted.
    ///
    /// It does not run for entities that [`OnDelete::Cascade`](crate::OnDelete::Cascade) deletes with the entity they refer to. The hook of that entity
    /// finds them in the store: they still exist.
    fn before_delete(&self, context: &mut HookContext<'_, S>, entity: &R) -> impl Future<Output = Result<()>> {
        let _ = (context, entity);
        async { Ok(()) }
    }

    /// Runs after an entity was deleted, and with it the entities that refer to it by [`OnDelete::Cascade`](crate::OnDelete::Cascade), whose hooks do
    /// not run.
    fn after_delete(&self, context: &mut HookContext<'_, S>, entity: &R) -> impl Future<Output = Result<()>> {
        let _ = (context, entity);
        async { Ok(()) }
    }

    /// Runs once when a change has been committed, for each change of an operation in [`MODES`](Self::MODES). Deletes by
    /// [`OnDelete::Cascade`](crate::OnDelete::Cascade) are not among them.
    ///
    /// The response waits for these hooks as long as for one hook, by [`Endpoints::hook_timeout`](crate::Endpoints::hook_timeout); they go on
    /// behind it. Neither a deadline nor a client that has gone ends them. If one panics, the log says so, and the others run. They end with the process: what must not be lost is written by a hook
    /// inside the transaction and read from there.
    fn after_commit(&self, change: &CommittedChange<R>) -> impl Future<Output = ()> + Send {
        let _ = change;
        async {}
    }
}

/// A change of an entity that has been committed.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum CommittedChange<R> {
    /// The entity was created.
    Created(R),
    /// The entity was changed or replaced.
    Updated {
        /// The entity as it was.
        before: R,
        /// The entity as it is.
        after: R,
    },
    /// The entity was deleted.
    Deleted(R),
}

impl Change {
    /// Returns the change of an entity whose type is known.
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
    /// Returns the operation.
    pub(super) fn mode(&self) -> Mode {
        match self {
            Self::Created(_) => Mode::Create,
            Self::Updated { .. } => Mode::Update,
            Self::Deleted(_) => Mode::Delete,
        }
    }
}

/// A change of an entity whose type is not known.
pub(super) type Change = CommittedChange<Box<dyn AnyEntity>>;

/// The moment at which hooks run, with what they are given.
pub(super) enum Moment<'m, 'q> {
    BeforeCreate(&'m mut (dyn AnyEntity + 'static)),
    AfterCreate(&'m (dyn AnyEntity + 'static)),
    BeforeView(&'m (dyn AnyIdentifier + 'static)),
    BeforeList(&'m mut ListQuery<'q>),
    /// Before the response, with its entities: one, a `Vec` or a slice of a list. Only presenters run.
    Present(&'m mut (dyn Any + 'static)),
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
            Self::Present(entities) => Moment::Present(*entities),
            Self::BeforeUpdate(before, entity) => Moment::BeforeUpdate(*before, *entity),
            Self::AfterUpdate(before, entity) => Moment::AfterUpdate(*before, *entity),
            Self::BeforeDelete(entity) => Moment::BeforeDelete(*entity),
            Self::AfterDelete(entity) => Moment::AfterDelete(*entity),
        }
    }

    /// Returns the operation.
    pub(super) fn mode(&self) -> Mode {
        match self {
            Self::BeforeCreate(_) | Self::AfterCreate(_) => Mode::Create,
            Self::BeforeView(_) | Self::Present(_) => Mode::View,
            Self::BeforeList(_) => Mode::List,
            Self::BeforeUpdate(..) | Self::AfterUpdate(..) => Mode::Update,
            Self::BeforeDelete(_) | Self::AfterDelete(_) => Mode::Delete,
        }
    }

    /// Returns the entity that hooks may change before it is kept.
    pub(super) fn changeable(&self) -> Option<&dyn AnyEntity> {
        match self {
            Self::BeforeCreate(entity) | Self::BeforeUpdate(_, entity) => Some(*entity),
            _ => None,
        }
    }
}

pub(super) type LocalBoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + 'a>>;

/// [`Hooks`] of which neither the type nor the resource is known.
pub(super) trait ErasedHooks<S: Store>: Send + Sync {
    fn name(&self) -> &'static str;
    fn run_in(&self, mode: Mode) -> bool;

    /// # Errors
    /// The entities of the moment have another type.
    fn run<'a, 'q: 'a>(
        &'a self,
        context: &'a mut HookContext<'_, S>,
        moment: Moment<'a, 'q>,
    ) -> Result<LocalBoxFuture<'a, Result<()>>>;

    /// # Errors
    /// The entities of the change have another type.
    fn after_commit<'a>(&'a self, change: &Change) -> Result<BoxFuture<'a, ()>>;
}

/// Hooks of the resource `R` among others, such as presenters.
pub(super) struct Runs<R, H>(H, PhantomData<fn() -> R>);

impl<R, H> Runs<R, H> {
    pub(super) fn new(hooks: H) -> Self {
        Self(hooks, PhantomData)
    }
}

impl<R: Resource, S: Repository<R>, H: Hooks<R, S>> ErasedHooks<S> for Runs<R, H> {
    fn name(&self) -> &'static str {
        std::any::type_name::<H>()
    }

    fn run_in(&self, mode: Mode) -> bool {
        H::MODES.contains(&mode)
    }

    fn run<'a, 'q: 'a>(
        &'a self,
        context: &'a mut HookContext<'_, S>,
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

    fn after_commit<'a>(&'a self, change: &Change) -> Result<BoxFuture<'a, ()>> {
        let change = change.typed()?;
        Ok(Box::pin(async move { self.0.after_commit(&change).await }))
    }
}
