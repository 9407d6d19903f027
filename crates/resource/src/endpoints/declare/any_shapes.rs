//! Defines [`AnyShapes`], which contains the schemas of a resource that is declared at run time.

use std::sync::Arc;

use restwright_core::Result;
use restwright_core::schema::{PropertyCollection, Registry};

use crate::endpoints::erased::any_entity::{AnyBody, AnyEntity};

/// The schemas of a resource that is declared at run time. Endpoints use the trait, so they do not depend on resources at run time.
pub(crate) trait AnyShapes: Send + Sync {
    /// Registers the schemas of `NewBag`, `ChangesBag`, `ViewBag` and `ItemBag` for one operation, while the Api is built.
    fn set_in(&self, registry: &mut Registry);

    /// Returns the description of the entity, or an empty string.
    fn description(&self) -> &str;

    /// Returns the properties of the stored entity.
    fn stored(&self) -> PropertyCollection;

    /// Creates an entity from a request body.
    fn create(self: Arc<Self>, new: Box<dyn AnyBody>) -> Result<Box<dyn AnyEntity>>;

    /// Attaches the schemas to an entity that the store returned.
    fn attach(self: Arc<Self>, entity: &mut dyn AnyEntity) -> Result<()>;
}
