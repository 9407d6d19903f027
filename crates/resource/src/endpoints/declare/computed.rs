//! Defines [`ComputedField`], which computes a property of responses that is not stored.

use std::future::Future;
use std::marker::PhantomData;
use std::sync::Arc;

use restwright_core::auth::Identity;
use restwright_core::runtime::LocalBoxFuture;
use restwright_core::schema::{Property, Registry, Schema, typed as typed_property};
use restwright_core::{Problem, Result};
use serde::Serialize;

use crate::definition::FieldAccess;
use crate::endpoints::erased::any_entity::{AnyEntity, typed};
use crate::endpoints::{Endpoints, Resource};

/// Computes a property of responses from entities. The property is not stored, and requests cannot contain it.
///
/// It runs once for each response with entities, with all entities of a page, and once for each relation that a request includes. Clients cannot filter
/// or sort by the property. A function `fn(&Pet, &Identity) -> T` is a computed field too, for a value that needs no other data.
///
/// The `ETag` of a view contains a digest of its computed values. `If-Match` compares only the version.
///
#[cfg_attr(not(doctest), doc = include_str!("../../doc_examples/computed_field.md"))]
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not compute a field of `{R}`",
    label = "must be a `ComputedField<{R}>`, or a function `fn(&{R}, &Identity) -> T`"
)]
pub trait ComputedField<R>: Send + Sync + 'static {
    /// The type of the property.
    type Value: Serialize + Schema;

    /// Returns the value of each entity, in the same order. Another number of values is a 500.
    ///
    /// It runs after a create or a change, outside of the transaction of its hooks, and should not read the store. An error does not undo the
    /// change, unless the request has an idempotency key that is stored in the same database. Such a request commits after its response is
    /// complete, so an error undoes its change.
    ///
    /// # Errors
    /// A problem, which becomes the response.
    fn compute(&self, entities: &[R], caller: &Identity) -> impl Future<Output = Result<Vec<Self::Value>>>;
}

impl<R, V: Serialize + Schema, F: Fn(&R, &Identity) -> V + Send + Sync + 'static> ComputedField<R> for F {
    type Value = V;

    async fn compute(&self, entities: &[R], caller: &Identity) -> Result<Vec<V>> {
        Ok(entities.iter().map(|entity| self(entity, caller)).collect())
    }
}

/// A computed field of any resource.
#[derive(Clone)]
pub(in crate::endpoints) struct Computed {
    pub(in crate::endpoints) name: String,
    /// The description of the property in the OpenAPI document.
    pub(in crate::endpoints) description: String,
    pub(in crate::endpoints) access: Option<FieldAccess>,
    pub(in crate::endpoints) property: fn(&mut Registry, &str) -> Property,
    pub(in crate::endpoints) computes: Arc<dyn Computes>,
}

impl Computed {
    /// Returns `true` if the caller may read the property.
    pub(in crate::endpoints) fn is_readable(&self, caller: &Identity) -> bool {
        self.access.as_ref().is_none_or(|access| access.admits(caller))
    }
}

/// [`ComputedField`] without its types.
pub(in crate::endpoints) trait Computes: Send + Sync {
    /// Returns the JSON of the value of each entity.
    fn values<'a>(
        &'a self,
        entities: &'a [&'a dyn AnyEntity],
        caller: &'a Identity,
    ) -> LocalBoxFuture<'a, Result<Vec<String>>>;
}

struct Adapter<R, C>(C, PhantomData<fn() -> R>);

impl<R: Resource, C: ComputedField<R>> Computes for Adapter<R, C> {
    fn values<'a>(
        &'a self,
        entities: &'a [&'a dyn AnyEntity],
        caller: &'a Identity,
    ) -> LocalBoxFuture<'a, Result<Vec<String>>> {
        Box::pin(async move {
            let entities = entities.iter().map(|entity| Ok(*typed::<R>(entity.cloned())?));
            let entities = entities.collect::<Result<Vec<R>>>()?;
            let values = self.0.compute(&entities, caller).await?;
            let written = values.iter().map(|value| serde_json::to_string(value).map_err(Problem::internal));
            written.collect()
        })
    }
}

impl<R: Resource> Endpoints<R> {
    /// Adds a computed property to every response with entities.
    pub fn computed(self, name: impl Into<String>, field: impl ComputedField<R>) -> Self {
        self.with_computed(name.into(), None, field)
    }

    /// Adds a computed property that only some callers may read. For other callers it does not exist, and it is not computed.
    pub fn computed_for(
        self,
        name: impl Into<String>,
        access: impl Into<FieldAccess>,
        field: impl ComputedField<R>,
    ) -> Self {
        self.with_computed(name.into(), Some(access.into()), field)
    }

    /// Sets the description of a computed property in the OpenAPI document. Add the property before.
    pub fn describe_computed(mut self, name: &str, description: impl Into<String>) -> Self {
        if let Some(field) = self.declared.info.computed.iter_mut().find(|field| field.name == name) {
            field.description = description.into();
        }
        self
    }

    fn with_computed<C: ComputedField<R>>(mut self, name: String, access: Option<FieldAccess>, field: C) -> Self {
        let property = |registry: &mut Registry, name: &str| {
            // Optional, because the schema may also be the schema of the stored entity.
            typed_property::<C::Value>(registry, name.to_owned()).read_only().optional().into_property()
        };
        let computes = Arc::new(Adapter::<R, C>(field, PhantomData));
        let description = String::new();
        self.declared.info.computed.push(Computed { name, description, access, property, computes });
        self
    }
}
