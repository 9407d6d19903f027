//! [`AnyShapes`]: the shapes of a resource that is declared at run time, for endpoints that do not know the type of its bags.

use std::any::Any;
use std::sync::Arc;

use restwright_core::Result;
use restwright_core::schema::{PropertyCollection, Registry};

use super::any_entity::{AnyBody, AnyEntity};

/// The shapes of a resource that is declared at run time, without the type of its pagination.
pub(crate) trait AnyShapes: Send + Sync {
    /// Makes the shapes those of the bags, for the operation that is planned.
    fn set_in(&self, registry: &mut Registry);

    /// Returns the description of an entity, or an empty string.
    fn description(&self) -> &str;

    /// Returns the shape of an entity in its store.
    fn stored(&self) -> PropertyCollection;

    /// Makes an entity of what was sent.
    fn create(self: Arc<Self>, new: Box<dyn AnyBody>) -> Result<Box<dyn AnyEntity>>;

    /// Gives entities that the store returned these shapes: one, or those of a list.
    fn attach(self: Arc<Self>, entities: &mut (dyn Any + 'static)) -> Result<()>;
}
