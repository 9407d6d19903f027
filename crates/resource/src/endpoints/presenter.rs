//! [`Presenter`]: the last step before entities are in a response.

use std::future::{Future, ready};
use std::pin::Pin;

use restwright_core::Result;
use restwright_core::schema::Mode;

use super::hook_context::HookContext;
use super::hooks::{CommittedChange, ErasedHooks, Moment};
use crate::resource::Resource;
use crate::store::Repository;

/// Changes the entities of a response for its caller: hides values, or computes them.
///
/// It runs for every response that contains entities: views, lists, creates, updates, replacements, batches, and deletes that return the
/// entity. It runs in the transaction of the operation, after the hooks and before the commit, and changes nothing in the store. The
/// store has to have transactions.
///
/// ```
/// use restwright::prelude::*;
/// use restwright::resource::{HookContext, MemoryStore, Presenter, Resource};
/// # use restwright::resource::Repository;
/// # trait Priced: Resource { fn hide_price(&mut self); }
///
/// /// Hides prices from callers without the scope `prices`.
/// struct Prices;
///
/// impl<R: Priced> Presenter<R, MemoryStore> for Prices {
///     async fn present(&self, context: &mut HookContext<'_, MemoryStore>, entities: &mut [R]) -> Result<()> {
///         if !context.identity().has_scope("prices") {
///             entities.iter_mut().for_each(R::hide_price);
///         }
///         Ok(())
///     }
/// }
/// ```
pub trait Presenter<R: Resource, S: Repository<R>>: Send + Sync + 'static {
    /// Changes the entities of a response.
    ///
    /// # Errors
    /// The problem that is the response. The operation is undone.
    fn present(&self, context: &mut HookContext<'_, S>, entities: &mut [R]) -> impl Future<Output = Result<()>>;
}

/// A presenter among the hooks.
pub(super) struct Presents<P>(pub(super) P);

impl<R: Resource, S: Repository<R>, P: Presenter<R, S>> ErasedHooks<R, S> for Presents<P> {
    fn name(&self) -> &'static str {
        std::any::type_name::<P>()
    }

    fn run_in(&self, _: Mode) -> bool {
        true
    }

    fn run<'a, 'q: 'a>(
        &'a self,
        context: &'a mut HookContext<'_, S>,
        moment: Moment<'a, 'q, R>,
    ) -> Pin<Box<dyn Future<Output = Result<()>> + 'a>> {
        match moment {
            Moment::Present(entities) => Box::pin(self.0.present(context, entities)),
            _ => Box::pin(ready(Ok(()))),
        }
    }

    fn after_commit<'a>(&'a self, _: &'a CommittedChange<R>) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>> {
        Box::pin(ready(()))
    }
}
