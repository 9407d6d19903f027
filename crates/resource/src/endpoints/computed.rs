//! Defines [`ComputedField`], which computes a property of responses that is not stored.

use std::future::Future;
use std::marker::PhantomData;
use std::sync::Arc;

use restwright_core::auth::Identity;
use restwright_core::schema::{Property, PropertyCollection, Registry, Schema, SchemaSide, typed as typed_property};
use restwright_core::{BuildErrors, Problem, Result};
use serde::Serialize;

use super::any_entity::{AnyEntity, typed};
use super::call::Call;
use super::hooks::LocalBoxFuture;
use super::info::ResourceInfo;
use super::kind::Shape;
use super::member_changes::AddedMember;
use super::{Endpoints, Resource};
use crate::definition::FieldAccess;

/// Computes a property of responses from entities. The property is not stored, and requests cannot contain it.
///
/// It runs once for each response with entities, with all entities of a page, and once for each relation that a request includes. Clients cannot filter
/// or sort by the property. A function `fn(&Pet, &Identity) -> T` is a computed field too, for a value that needs no other data.
///
/// The `ETag` of a view contains a digest of its computed values. `If-Match` compares only the version.
///
#[cfg_attr(not(doctest), doc = include_str!("../doc_examples/computed_field.md"))]
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
pub(super) struct Computed {
    pub(super) name: String,
    /// The description of the property in the OpenAPI document.
    description: String,
    access: Option<FieldAccess>,
    property: fn(&mut Registry, &str) -> Property,
    computes: Arc<dyn Computes>,
}

impl Computed {
    /// Returns `true` if the caller may read the property.
    pub(super) fn is_readable(&self, caller: &Identity) -> bool {
        self.access.as_ref().is_none_or(|access| access.admits(caller))
    }
}

/// [`ComputedField`] without its types.
trait Computes: Send + Sync {
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

/// Returns the members that the computed fields of a resource add to each entity.
pub(super) async fn members(info: &ResourceInfo, call: &Call, entities: &[&dyn AnyEntity]) -> Result<Vec<AddedMember>> {
    let mut members = Vec::new();
    let is_readable = |field: &&Computed| field.is_readable(&call.identity);
    for field in info.computed.iter().filter(is_readable).filter(|_| !entities.is_empty()) {
        let values = field.computes.values(entities, &call.identity).await?;
        if values.len() != entities.len() {
            return Err(Problem::internal(format!(
                "the computed field `{}` of `{}` returned {} values for {} entities; it must return one for each, in the same order",
                field.name,
                info.definition.name(),
                values.len(),
                entities.len()
            )));
        }
        members.push(AddedMember { name: field.name.clone(), values });
    }
    Ok(members)
}

/// Formats the computed fields that a caller may not read as a string. Returns `None` if every caller may read all computed fields.
#[cfg(feature = "idempotency")]
pub(super) fn rights_text(info: &ResourceInfo, caller: &Identity) -> Option<String> {
    let is_hidden = |field: &&Computed| !field.is_readable(caller);
    let hidden: Vec<_> = info.computed.iter().filter(is_hidden).map(|field| field.name.as_str()).collect();
    are_guarded(info).then(|| format!("computed {hidden:?}"))
}

/// Returns `true` if callers see different computed fields.
pub(super) fn are_guarded(info: &ResourceInfo) -> bool {
    info.computed.iter().any(|field| field.access.is_some())
}

/// Adds the computed fields to the schemas of views and list items.
pub(super) fn describe(info: &ResourceInfo, registry: &mut Registry) {
    for field in &info.computed {
        for shape in [Shape::View, Shape::Item] {
            let schema = info.kind.schema_type(shape, registry);
            let property = (field.property)(registry, &field.name);
            let access = field.access.as_ref();
            let access = access.map(|access| format!("Only callers with {access} may read this property."));
            let words =
                [Some(field.description.clone()), access].into_iter().flatten().filter(|words| !words.is_empty());
            let words = words.collect::<Vec<_>>().join(" ");
            let property = if words.is_empty() { property } else { property.description(words) };
            registry.add_property(&schema, property);
        }
    }
}

/// Checks that no property and no relation has the name of a computed field.
pub(super) fn check(info: &ResourceInfo) -> Result<(), BuildErrors> {
    let mut errors = BuildErrors::new();
    let mut registry = Registry::new();
    info.set_shapes(&mut registry);
    let schemas = [Shape::Whole, Shape::View, Shape::Item].map(|shape| info.kind.schema_type(shape, &mut registry));
    for (index, field) in info.computed.iter().enumerate() {
        let (name, entity) = (&field.name, info.definition.name());
        let has_name = |property: &Property| property.name() == name || property.name_in(SchemaSide::Output) == name;
        let is_property = schemas
            .iter()
            .filter_map(|schema| registry.collection(schema))
            .flat_map(PropertyCollection::properties)
            .any(has_name);
        let is_repeated = info.computed.iter().take(index).any(|before| before.name == *name)
            || info.relations.iter().any(|relation| relation.name == *name);
        if is_property || is_repeated || info.definition.get(name).is_some() {
            errors.push(format!(
                "the computed field `{name}` of `{entity}` has the name of another property; rename one of them"
            ));
        }
        if name.is_empty() {
            errors.push(format!("a computed field of `{entity}` has an empty name; write the name of its property"));
        }
        if let Some(mistake) = field.access.as_ref().and_then(FieldAccess::mistake) {
            errors.push(format!("the computed field `{name}` of `{entity}` {mistake}"));
        }
    }
    errors.finish(Some(()))
}
