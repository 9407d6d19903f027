//! Creates endpoints and entity stores for resources that are declared at run time.

use std::sync::Arc;

use restwright_core::Result;
use restwright_core::auth::CrudAccess;
use restwright_core::schema::{PropertyCollection, Registry};

use super::{EntityBag, ResourceDefinition, RunTimeShapes};
use crate::endpoints::{
    AnyBody, AnyEntity, AnyShapes, Endpoints, EntityStore, HookContext, ResourceInfo, typed, typed_mut,
};
use crate::store::{Scope, Store};

impl Endpoints<EntityBag> {
    /// Creates the endpoints of a resource that is declared at run time.
    pub fn from_definition(definition: ResourceDefinition, store: impl Store, access: impl Into<CrudAccess>) -> Self {
        let (entity, shapes) = (definition.definition().clone(), definition.shapes());
        let ResourceDefinition { path, shape, filters, sort, pagination, .. } = definition;
        let info = ResourceInfo::run_time::<EntityBag>(path, shape.name(), entity, pagination, shapes);
        Self::run_time(store, access.into(), info, (filters, sort))
    }
}

impl<'s> EntityStore<'s, EntityBag> {
    /// Creates an accessor for the entities of a resource that is declared at run time. For other resources, use [`new`](Self::new).
    #[must_use]
    pub fn from_definition(store: &'s dyn Store, definition: &ResourceDefinition, scope: &Scope) -> Self {
        let (entity, name) = (definition.definition().clone(), definition.shape.name().to_owned());
        Self::run_time(store, entity, name, definition.shapes(), scope)
    }
}

impl HookContext<'_> {
    /// Returns an accessor for the entities of a resource that is declared at run time. The accessor runs in the transaction of the
    /// operation. For other resources, use [`store`](Self::store).
    pub fn store_of(&mut self, definition: &ResourceDefinition) -> EntityStore<'_, EntityBag> {
        self.within(|store, scope| EntityStore::from_definition(store, definition, scope))
    }
}

impl AnyShapes for RunTimeShapes {
    fn set_in(&self, registry: &mut Registry) {
        self.set_in(registry);
    }

    fn description(&self) -> &str {
        self.description()
    }

    fn stored(&self) -> PropertyCollection {
        self.stored()
    }

    fn create(self: Arc<Self>, new: Box<dyn AnyBody>) -> Result<Box<dyn AnyEntity>> {
        Ok(Box::new(RunTimeShapes::create(&self, *typed(new)?)))
    }

    fn attach(self: Arc<Self>, entity: &mut dyn AnyEntity) -> Result<()> {
        typed_mut::<EntityBag>(entity)?.attach(&self);
        Ok(())
    }
}
