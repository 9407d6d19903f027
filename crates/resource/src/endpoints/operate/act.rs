//! Defines [`Act`], the function of an action as a trait object.

use restwright_core::Result;
use restwright_core::runtime::LocalBoxFuture;

use super::hook_context::HookContext;
use crate::endpoints::erased::any_entity::AnyEntity;

/// Calls the function of an action. The trait hides the types of the resource and of the request body.
pub(in crate::endpoints) trait Act {
    /// Runs the function of the action on an entity.
    ///
    /// # Errors
    /// Fails if the entity has another type.
    fn act<'a>(
        &'a self,
        entity: &'a mut (dyn AnyEntity + 'static),
        context: &'a mut HookContext<'_>,
    ) -> Result<LocalBoxFuture<'a, Result<()>>>;
}
