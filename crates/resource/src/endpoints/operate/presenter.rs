//! Defines [`Presenter`], which changes entities before they are written to a response.

use std::future::{Future, ready};
use std::marker::PhantomData;

use restwright_core::Result;
use restwright_core::runtime::{BoxFuture, LocalBoxFuture};
use restwright_core::schema::Mode;

use super::hook_context::HookContext;
use super::hooks::{ErasedChange, ErasedHooks, Moment};
use crate::endpoints::Resource;
use crate::endpoints::erased::any_entity::{AnyEntity, typed};
use crate::store::Store;

/// Changes the entities of a response for the caller, for example to hide or compute values.
///
/// A presenter runs for every response with entities, in views, lists, creates, updates, replacements, batches, and deletes that return the
/// entity. It runs in the transaction of the operation, after the hooks and before the commit. It does not change the stored entities. The
/// store must have transactions. In a list with cursors, it must not change the fields of the order, because a cursor contains their values.
///
#[cfg_attr(not(doctest), doc = include_str!("../../doc_examples/presenter.md"))]
pub trait Presenter<R: Resource>: Send + Sync + 'static {
    /// Checks while an Api is built that the presenter can work with a store, like [`Hooks::check`](crate::Hooks::check).
    ///
    /// # Errors
    /// The presenter cannot work with the store. The message says why.
    fn check(&self, store: &dyn Store) -> Result<(), String> {
        let _ = store;
        Ok(())
    }

    /// Changes the entities of a response before the response is sent.
    ///
    /// # Errors
    /// A problem becomes the response, and the operation is undone.
    fn present(&self, context: &mut HookContext<'_>, entities: &mut [R]) -> impl Future<Output = Result<()>>;
}

/// Adapts a presenter of the resource `R` to [`ErasedHooks`](super::hooks::ErasedHooks).
pub(in crate::endpoints) struct Presents<R, P>(P, PhantomData<fn() -> R>);

impl<R, P> Presents<R, P> {
    pub(in crate::endpoints) fn new(presenter: P) -> Self {
        Self(presenter, PhantomData)
    }
}

impl<R: Resource, P: Presenter<R>> ErasedHooks for Presents<R, P> {
    fn name(&self) -> &'static str {
        std::any::type_name::<P>()
    }

    fn run_in(&self, _: Mode) -> bool {
        true
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
            Moment::Present(entities) if !entities.is_empty() => Box::pin(async move {
                let typed = std::mem::take(entities).into_iter().map(|entity| Ok(*typed::<R>(entity)?));
                let mut shown = typed.collect::<Result<Vec<R>>>()?;
                self.0.present(context, &mut shown).await?;
                entities.extend(shown.into_iter().map(|entity| Box::new(entity) as Box<dyn AnyEntity>));
                Ok(())
            }),
            _ => Box::pin(ready(Ok(()))),
        })
    }

    fn after_commit<'a>(&'a self, _: &ErasedChange) -> Result<BoxFuture<'a, ()>> {
        Ok(Box::pin(ready(())))
    }
}
